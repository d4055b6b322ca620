"""Python's ints from 2**63 to 2**64 - 1 as arguments: words of 64 bits without a sign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import wrap
from anabranch.runtime.values.host_types.host_type import HostStructure


@frozen
class WordStructure(HostStructure):
    """That of such an int: one of NumPy's scalars."""

    def children(self, value: Value) -> list[Value]:
        return [np.uint64(value)]

    def build(self, children: Sequence[Value]) -> Value:
        (word,) = children
        return wrap.python_number(wrap.as_atom(word)) if tracing() else int(word)

    def on_host(self, children: Sequence[Any], members: Sequence[object]) -> Value:
        return int(children[0])


WORD = WordStructure(int, ("word",))
