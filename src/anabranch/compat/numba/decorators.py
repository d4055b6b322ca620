"""`njit`, `vectorize`, `prange` and what else is written in and around functions for Numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.runtime.compat import numba_options
from anabranch.runtime.compat.dispatcher import jit
from anabranch.runtime.compat.objmode import objmode as objmode
from anabranch.runtime.compat.value_types import value_type
from anabranch.runtime.ufuncs import vectorize as _ufuncs
from anabranch.runtime.ufuncs.number_types import Type, type_of

njit = jit
prange = range
_threads = 1


def vectorize(signatures_or_function: Any = (), **options: Any) -> Any:
    """As `numba.vectorize`: `anabranch.vectorize` with Numba's options."""
    identity = options.pop("identity", None)
    return _ufuncs.vectorize(signatures_or_function, identity=identity, **numba_options.settings(options))


def guvectorize(*signatures_and_layout: Any, **options: Any) -> Any:
    """As `numba.guvectorize`: `anabranch.guvectorize` with Numba's options."""
    options.pop("identity", None)
    return _ufuncs.guvectorize(*signatures_and_layout, **numba_options.settings(options))


def typeof(value: Any) -> Type:
    """The type of a number, an array, or None."""
    return value_type(value)


def from_dtype(dtype: Any) -> Type:
    """The type of a dtype's elements."""
    return type_of(np.dtype(dtype))


def literally(value: Any) -> Any:
    """The value."""
    return value


literal_unroll: Callable[[Any], Any] = literally


def set_num_threads(n: int) -> None:
    """Note how many threads there may be; loops run in one."""
    global _threads
    if n < 1:
        raise ValueError("The number of threads must be at least 1")
    _threads = n


def get_num_threads() -> int:
    """How many threads were asked for."""
    return _threads


def threading_layer() -> str:
    """The name of what runs loops in parallel: there is none."""
    return "none"
