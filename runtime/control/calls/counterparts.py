"""The staged forms of NumPy's and Python's own functions and modules, by the original."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.stdlib import (
    builtins_,
    cmath_,
    cmp_to_key,
    math_,
    operator_,
)
from anabranch.runtime.device.array import Array
from anabranch.runtime.numpy import namespace, staged as staged_numpy
from anabranch.runtime.values import registry
from anabranch.runtime.values.user_classes import is_users_class

_ITERABLES = (range, enumerate, zip, reversed)


def counterpart(value: object) -> str | None:
    """The text, in terms of `ab`, of the staged form of a global or built-in.

    None when there is none; "" for a built-in function that works on traced values as it is.
    """
    if value is np:
        return "ab.numpy"
    if type(value) in (np.ndarray, Array):
        return "ab.outside"
    if value is math:
        return "ab.math"
    try:
        # A class may also stand for itself (dtype=bool), so its calls go through `ab.call`.
        if (not isinstance(value, type) or value in _ITERABLES) and value in builtins_.COUNTERPARTS:
            return f"ab.builtins.{builtins_.COUNTERPARTS[value]}"
        if value in math_.COUNTERPARTS:
            return f"ab.math.{math_.COUNTERPARTS[value]}"
    except TypeError:  # unhashable
        return None
    if isinstance(value, types.BuiltinFunctionType) and value.__module__ == "builtins" and value is not input:
        return ""
    if isinstance(value, types.ModuleType) and value.__name__.startswith("numpy."):
        return f"ab.numpy.{value.__name__.removeprefix('numpy.')}"
    name = None if isinstance(value, type) or is_users_class(type(value)) else getattr(value, "__name__", None)
    if name and getattr(np, name, None) is value and callable(value):
        return f"ab.numpy.{name}"
    return None


def staged(value: object) -> Value:
    """The staged form of a module or function, or the object itself."""
    if value is np:
        return namespace
    if value is math:
        return math_.mathematics
    try:
        if value in builtins_.COUNTERPARTS:
            return getattr(builtins_, builtins_.COUNTERPARTS[value])
        if value in math_.COUNTERPARTS:
            return getattr(math_.mathematics, math_.COUNTERPARTS[value])
        for functions in (operator_, cmath_, cmp_to_key):
            if value in functions.COUNTERPARTS:
                return functions.COUNTERPARTS[value]
    except TypeError:
        return value
    return staged_numpy(value)


def imported(value: object) -> Value:
    """Return the value for a name that a function imports: a type or a built-in as it is, anything else staged.

    Types and built-ins are staged where they are called, as each of them may be compared, shown or passed on.
    """
    try:
        own = isinstance(value, type) or value in builtins_.COUNTERPARTS
    except TypeError:  # unhashable
        own = False
    return value if own else staged(value)


def original_of(function: object) -> Value:
    """The function of Python's or NumPy's that a staged one stands for; any other as it is."""
    if not (getattr(function, "__module__", None) or "").startswith("anabranch."):
        return function
    for original, staged in _pairs():
        if staged is function:
            return original
    return function


def _pairs() -> list[tuple[object, Callable[..., Any]]]:
    found = [(original, getattr(builtins_, name)) for original, name in builtins_.COUNTERPARTS.items()]
    found += [(original, getattr(math_.mathematics, name)) for original, name in math_.COUNTERPARTS.items()]
    return [*found, *registry.FUNCTIONS.items()]
