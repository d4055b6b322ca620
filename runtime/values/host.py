"""From arrays that left the computation to the values that the user sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from anabranch.runtime.values import layout as layouts
from anabranch.runtime.values.abstract import Kind


def build(layout: layouts.Layout, arrays: Iterator[np.ndarray[Any, Any]]) -> Any:
    """The host value of a layout from its arrays."""
    match layout:
        case layouts.Held(value):
            return value.copy() if isinstance(value, np.ndarray) else value
        case layouts.Leaf(abstract):
            array = next(arrays)
            if abstract.kind is Kind.PYTHON:
                return array.item()
            return array[()] if abstract.kind is Kind.SCALAR else array
        case layouts.Node(structure, children):
            return structure.build([build(c, arrays) for c in children])
        case layouts.Choice(options):
            tag = int(next(arrays))
            return [build(o, arrays) for o in options][tag]
