"""Static arguments whose arrays are traced ones, which nobody can write to, and of which writable ones can be made."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from anabranch.runtime.control.calls.user_functions import is_capturable
from anabranch.runtime.ir.program import Literal
from anabranch.runtime.numpy.core import frozen
from anabranch.runtime.tracing.storage import ConstantStorage
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import memory_layout


def traced(copy: Any, original: Any) -> Any:
    """The copy of a static argument, with traced arrays; what it has in common with the caller's own stays as it is.

    Static are arrays, tuples, and dataclasses that go by their contents; of these there are copies.
    """
    if type(copy) is tuple:
        return tuple(map(traced, copy, original))
    if copy is original:
        return copy
    if type(copy) is np.ndarray:
        return _constant(copy) if is_capturable(copy) else copy
    if dataclasses.is_dataclass(copy):
        for field in dataclasses.fields(copy):
            part = getattr(copy, field.name)
            object.__setattr__(copy, field.name, traced(part, getattr(original, field.name)))
    return copy


def _constant(array: np.ndarray) -> TracedArray:
    storage = ConstantStorage(Literal(frozen(np.array(array, order="C"))))
    storage.strides = memory_layout.traits_of_ndarray(array).strides
    return TracedArray(storage)
