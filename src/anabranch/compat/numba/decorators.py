"""`njit`, `vectorize`, `prange` and what else is written in and around functions for Numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.runtime.compat import dispatcher
from anabranch.runtime.compat.dispatcher import jit
from anabranch.runtime.compat.objmode import objmode as objmode
from anabranch.runtime.compat.value_types import value_type
from anabranch.runtime.ufuncs import vectorize as _ufuncs
from anabranch.runtime.ufuncs.number_types import Type, type_of

njit = jit
prange, pndindex = range, np.ndindex
_threads = 1


def vectorize(signatures_or_function: Any = (), **options: Any) -> Any:
    """As `numba.vectorize`: `anabranch.vectorize` with Numba's options.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch.compat.numba import vectorize
    >>> @vectorize(["float64(float64)"], target="parallel")
    ... def clipped(x):
    ...     return min(x, 1.0)
    >>> clipped(np.array([0.5, 2.0]))
    array([0.5, 1. ])
    """
    identity = options.pop("identity", None)
    return _ufuncs.vectorize(signatures_or_function, identity=identity, **dispatcher.settings(options))


def guvectorize(*signatures_and_layout: Any, **options: Any) -> Any:
    """As `numba.guvectorize`: `anabranch.guvectorize` with Numba's options.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch.compat.numba import guvectorize
    >>> @guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    ... def largest(row, out):
    ...     out[0] = row.max()
    >>> largest(np.array([[1.0, 3.0], [5.0, 4.0]]))
    array([3., 5.])
    """
    options.pop("identity", None)
    return _ufuncs.guvectorize(*signatures_and_layout, **dispatcher.settings(options))


def typeof(value: Any) -> Type:
    """The type of a number, an array, or None.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch.compat.numba import typeof
    >>> typeof(np.ones((2, 3))).name
    'float64[:, ::1]'
    """
    return value_type(value)


def from_dtype(dtype: Any) -> Type:
    """The type of a dtype's elements.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch.compat.numba import from_dtype
    >>> from_dtype(np.dtype(np.int16)).name
    'int16'
    """
    return type_of(np.dtype(dtype))


def literally(value: Any) -> Any:
    """The value.

    Examples
    --------
    >>> from anabranch.compat.numba import literally, njit
    >>> njit(lambda n: (0,) * literally(n))(3)
    (0, 0, 0)
    """
    return value


literal_unroll: Callable[[Any], Any] = literally


def set_num_threads(n: int) -> None:
    """Note how many threads there may be; loops run in one.

    Examples
    --------
    >>> from anabranch.compat.numba import get_num_threads, set_num_threads
    >>> before = get_num_threads()
    >>> set_num_threads(before)
    """
    global _threads
    if n < 1:
        raise ValueError("The number of threads must be at least 1")
    _threads = n


def get_num_threads() -> int:
    """How many threads were asked for.

    Examples
    --------
    >>> from anabranch.compat.numba import get_num_threads
    >>> get_num_threads() >= 1
    True
    """
    return _threads


def threading_layer() -> str:
    """The name of what runs loops in parallel: there is none.

    Examples
    --------
    >>> from anabranch.compat.numba import threading_layer
    >>> threading_layer()
    'none'
    """
    return "none"
