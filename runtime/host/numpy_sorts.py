"""NumPy's own sorts in C, by their addresses: machine code calls them.

They are among the functions that NumPy's interface for C has for each dtype; those for numbers ask nothing of Python.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import re
from collections.abc import Iterator

import numpy as np

# The places of the function that gives the address of a dtype's functions in the interface, and of its sorts that keep
# no order of equal elements among these, as `numpy/__multiarray_api.h` and `numpy/ndarraytypes.h` have them.
_GIVES_FUNCTIONS, _SORT, _ARGSORT = 365, 33, 36
# An array's address, for an argsort that of the positions, how many elements there are, and what no sort of numbers
# looks at.
SORT, ARGSORT = "declare i32 @{}(ptr, i64, ptr)", "declare i32 @{}(ptr, ptr, i64, ptr)"
_SYMBOL = "npy_{}_{}"


def sort_symbol(dtype: np.dtype) -> str:
    """The name, in machine code, of the function that sorts."""
    return _SYMBOL.format("sort", dtype.name)


def argsort_symbol(dtype: np.dtype) -> str:
    """The name of the function that puts positions in the order of the elements there."""
    return _SYMBOL.format("argsort", dtype.name)


def symbols_in(llvm: str) -> Iterator[tuple[str, int]]:
    """Yield the names of such functions in a module, with their addresses."""
    for kind, name in sorted(set(re.findall(f"@{_SYMBOL.format('(sort|argsort)', '([a-z0-9]+)')}", llvm))):
        place = _SORT if kind == "sort" else _ARGSORT
        yield _SYMBOL.format(kind, name), _functions_of(np.dtype(name))[place]


@functools.cache
def _functions_of(dtype: np.dtype) -> list[int]:
    """The addresses of a dtype's functions, up to the last of its sorts."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_size_t, [ctypes.py_object, ctypes.c_char_p]
    table: int = get(importlib.import_module("numpy._core._multiarray_umath")._ARRAY_API, None)
    interface = (ctypes.c_size_t * (_GIVES_FUNCTIONS + 1)).from_address(table)
    functions = ctypes.PYFUNCTYPE(ctypes.c_size_t, ctypes.py_object)(interface[_GIVES_FUNCTIONS])(dtype)
    return list((ctypes.c_size_t * (_ARGSORT + 1)).from_address(functions))
