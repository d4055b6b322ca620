"""Values of series of polynomials: functions of `numpy.polynomial` that are arithmetic in Python, on traced arrays.

What they compute is in their code; it is run with the staged `np`, and a test of classes that knows traced arrays.
Their loops go over coefficients, whose number a shape or the degree tells.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar

_STEMS = ("poly", "cheb", "leg", "lag", "herm", "herme")
_NAMES = frozenset(stem + end for stem in _STEMS for end in ("val", "vander"))
_KNOWN = (bool, int, float, complex, np.ndarray, np.generic, TracedArray, NumPyScalar, PythonScalar)
_MOST = 64  # coefficients, for each of which there are a few operations


def on_arrays(
    function: Callable[..., Any], args: Sequence[object], kwargs: Mapping[str, object], xp: object
) -> Callable[..., Value] | None:
    """The function as it runs on these arguments, with `xp` as its NumPy; None where it is called on the host."""
    is_known = isinstance(function, types.FunctionType) and function.__name__ in _NAMES
    if not is_known or not function.__module__.startswith("numpy.polynomial."):
        return None
    count = function.__code__.co_argcount
    given = {**dict(zip(function.__code__.co_varnames[:count], args, strict=False)), **kwargs}
    if not _are_few(given.get("c", given.get("deg"))) or not all(isinstance(x, _KNOWN) for x in _numbers(given)):
        return None
    scope = {**function.__globals__, "np": xp, "isinstance": is_instance}
    return types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)


def _numbers(given: Mapping[str, object]) -> list[object]:
    """The arguments, and the coefficients in a list."""
    coefficients = given.get("c")
    items = [*coefficients] if isinstance(coefficients, (list, tuple)) and type(coefficients) in (list, tuple) else []
    return [*items, *(x for name, x in given.items() if not (items and name == "c"))]


def _are_few(coefficients: object) -> bool:
    if type(coefficients) is int:
        return coefficients <= _MOST
    if isinstance(coefficients, (list, tuple)):
        return len(coefficients) <= _MOST
    shape = getattr(coefficients, "shape", None)
    return shape is not None and (not shape or shape[0] <= _MOST)


def is_instance(x: object, cls: Any) -> bool:
    """As `isinstance`, for code that asks for NumPy's arrays: traced ones are such."""
    return isinstance(x, (TracedArray, np.ndarray) if cls is np.ndarray else cls)
