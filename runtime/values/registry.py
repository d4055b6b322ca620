"""The one registry from NumPy's functions and ndarray's methods to their staged counterparts.

`runtime.numpy` installs the rules of its families; values only look things up, so that operators and methods work
without importing upwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value

FUNCTIONS: dict[object, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
PROPERTIES: dict[str, Callable[[Any], Any]] = {}
# What is called instead where an argument is an array of run-time size.
SIZED: dict[object, Callable[..., Any]] = {}
SIZED_METHODS: dict[str, Callable[..., Any]] = {}
SIZED_PROPERTIES: dict[str, Callable[[Any], Any]] = {}
# Why what is not staged is not, by its full name; and what only works on values that are known while tracing.
REFUSED: dict[str, str] = {}
STATIC: dict[str, str] = {}


# How a function is called that another one is given: control flow, which stands above this module, says so.
_called: list[Callable[[Any], Callable[..., Any]]] = []


def register_called(called: Callable[[Any], Callable[..., object]]) -> None:
    """Make `called(function)` what calls a function with its control flow staged."""
    _called[:] = [called]


def called(function: object) -> Value:
    """Return the staged form of a function that is an argument of another, such as a sort key; None for None."""
    return function if function is None or not _called else _called[0](function)
