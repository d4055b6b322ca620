"""The layout in memory of what machine code reads of CPython's objects and NumPy's arrays."""

from __future__ import annotations

import ctypes
import functools

import numpy as np

# Where an ndarray object holds the address of its memory: NumPy's binary interface promises that it comes first.
ADDRESS = object.__basicsize__
# Where any object has its type.
TYPE = ADDRESS - ctypes.sizeof(ctypes.c_void_p)


def address(array: np.ndarray) -> int:
    """The address of an array's memory, as `array.ctypes.data` says in ten times the time."""
    return ctypes.c_size_t.from_address(id(array) + ADDRESS).value


@functools.cache
def is_as_expected() -> bool:
    """Return whether this Python and this NumPy lay objects out so."""
    array = np.zeros(1)
    return address(array) == array.ctypes.data and ctypes.c_size_t.from_address(id(array) + TYPE).value == id(
        np.ndarray
    )
