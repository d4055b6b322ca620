"""Values that are assigned to elements of an array: numbers as Python and NumPy convert them, sequences as arrays."""

from __future__ import annotations

import math

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.values import number_sequence, registry, wrap
from anabranch.runtime.values.number_sequence import NumberSequence
from anabranch.runtime.values.python_numbers import number_methods, python_conversions
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.static_requests import requests_of

_SEQUENCES = (list, tuple, *number_sequence.NUMBERS)


def of_elements(value: Value, dtype: np.dtype) -> Value:
    """The value to assign to elements of a dtype: a Python number is converted as `int` and `float` do it, or raise."""
    if isinstance(value, number_sequence.NUMBERS):
        value = _numbers(value, dtype)
    if isinstance(value, (list, tuple)) and dtype.kind in "iuf":
        return registry.FUNCTIONS[np.array](value, dtype)
    value = number_methods.element_of(value, dtype)
    wanted = {"i": int, "u": int, "f": float}.get(dtype.kind)
    if wanted is None or not isinstance(value, PythonScalar) or value.abstract.python in (bool, int, wanted):
        return value
    return python_conversions.to_kind(value, wanted)


def _numbers(value: range | NumberSequence, dtype: np.dtype) -> Value:
    """The values of a range as those of a list, which must fit the dtype one by one."""
    if isinstance(value, range):
        return list(value)
    try:
        return list(value)  # type: ignore[call-overload]
    except ConcretizationError as error:
        if requests_of(error) or (dtype.kind in "iu" and dtype != np.int64):
            raise
    return value.as_indices()


def of_one(value: Value, dtype: np.dtype) -> Value:
    """The value to assign to a single element: a number; of sequences only bool() makes one."""
    value = number_methods.element_of(value, dtype)
    if dtype == np.bool_ and isinstance(value, _SEQUENCES):
        return bool(value)
    shape = () if isinstance(value, _SEQUENCES) else wrap.shape_of(value)
    if isinstance(value, _SEQUENCES) or (shape and not (dtype == np.bool_ and math.prod(shape) == 1)):
        raise ValueError("setting an array element with a sequence.")
    return value
