"""The one registry from NumPy's functions and ndarray's methods to their staged counterparts.

`runtime.numpy` installs the rules of its families; values only look things up, so that operators and methods work
without importing upwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

FUNCTIONS: dict[object, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
PROPERTIES: dict[str, Callable[[Any], Any]] = {}
# The functions whose rules take arrays of run-time size, too. Those of methods and attributes all do, or refuse them.
OF_ANY_SHAPE: set[object] = set()
# What is called for such arrays by `np.ufunc`, of any ufunc, and by `bool`.
DYNAMIC_SHAPE_OPERATIONS: dict[object, Callable[..., Any]] = {}
# The functions that NumPy itself computes once the values are known, and what stages a call of NumPy's own.
ON_HOST: set[object] = set()
HOST_CALLS: list[Callable[..., Any]] = []
# As those; the first argument is a result like all others, so that no call while tracing has to tell.
HOST_CALLS_LIKE: list[Callable[..., Any]] = []
# Why what is not staged is not, by its full name; and what only works on values that are known while tracing.
REFUSED: dict[str, str] = {}
STATIC: dict[str, str] = {}
# What makes the counterparts of other libraries' ufuncs.
UFUNC_MAKERS: list[Callable[[np.ufunc], Callable[..., Any] | None]] = []
# By the class of a generator of random numbers, what returns its staged method of a name.
GENERATOR_METHODS: dict[str, Callable[[Any, str], Any]] = {}


def function_of(original: object) -> Callable[..., Any] | None:
    """The staged counterpart of a function or ufunc; None where there is none."""
    found = FUNCTIONS.get(original)
    if found is None and isinstance(original, np.ufunc):
        return next(filter(None, (make(original) for make in UFUNC_MAKERS)), None)
    return found
