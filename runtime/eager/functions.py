"""NumPy's functions, as functions of Arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.device.array import Array, placed
from anabranch.runtime.eager.array_operators import OPERATIONS
from anabranch.runtime.eager.execute import call
from anabranch.runtime.numpy import staged
from anabranch.runtime.tracing.builder import tracing

P = ParamSpec("P")
R = TypeVar("R")
# Made on the host and copied: there is nothing to compute on the device.
CREATION: frozenset[Any] = frozenset(
    (np.arange, np.empty, np.eye, np.full, np.linspace, np.ones, np.zeros, np.array, np.identity, np.logspace,
     np.geomspace, np.tri, np.fromfunction, np.indices, np.frombuffer, np.fft.fftfreq, np.fft.rfftfreq)
)  # fmt: skip


@functools.cache
def function(original: Callable[..., Any]) -> Callable[..., Any]:
    """One of NumPy's functions or ufuncs, as a function that returns Arrays; in compiled functions the staged one."""

    @functools.wraps(original, updated=(), assigned=("__name__", "__qualname__", "__doc__"))
    def lifted(*args: Value, **kwargs: Value) -> Value:
        if tracing():
            return staged(original)(*args, **kwargs)
        if original in CREATION:
            return placed(original(*args, **kwargs))
        if isinstance(original, np.ufunc):
            return OPERATIONS.ufunc(original, "__call__", args, kwargs)
        return OPERATIONS.function(original, args, kwargs)

    lifted.__module__ = "anabranch.numpy"
    return lifted


def for_arrays(function: Callable[P, R]) -> Callable[P, R]:
    """A function on staged operations: compiled where one of its arguments is an Array, which its results are then."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if not tracing() and any(isinstance(a, Array) for a in (*args, *kwargs.values())):
            made: R = call(function, args, kwargs)
            return made
        return function(*args, **kwargs)

    return run
