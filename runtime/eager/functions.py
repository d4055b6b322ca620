"""NumPy's functions, as functions of Arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.runtime.array import placed
from anabranch.runtime.eager.operations import Operations
from anabranch.runtime.numpy import staged
from anabranch.runtime.trace import tracing

_operations = Operations()
# Made on the host and copied: there is nothing to compute on the device.
CREATION: frozenset[Any] = frozenset(
    (np.arange, np.empty, np.eye, np.full, np.linspace, np.ones, np.zeros, np.array, np.identity, np.logspace,
     np.geomspace, np.tri, np.fromfunction, np.indices, np.frombuffer, np.fft.fftfreq, np.fft.rfftfreq)
)  # fmt: skip


@functools.cache
def function(original: Callable[..., Any]) -> Callable[..., Any]:
    """One of NumPy's functions or ufuncs, as a function that gives Arrays; in compiled functions what it is there."""

    @functools.wraps(original, updated=(), assigned=("__name__", "__qualname__", "__doc__"))
    def call(*args: Any, **kwargs: Any) -> Any:
        if tracing():
            return staged(original)(*args, **kwargs)
        if original in CREATION:
            return placed(original(*args, **kwargs))
        if isinstance(original, np.ufunc):
            return _operations.ufunc(original, "__call__", args, kwargs)
        return _operations.function(original, args, kwargs)

    call.__module__ = "anabranch.numpy"
    return call
