"""Ufuncs of other libraries than NumPy, by name, and the loops in C that they compute with.

A ufunc object holds the addresses of its loops in a form that `numpy/ufuncobject.h` makes public: machine code calls
them, without Python's lock, for the results that the library itself has.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import re
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from anabranch.base.frozen import frozen

# Where users have ufuncs from that are functions of their arguments alone, and keep their names.
_MODULES = ("scipy.special",)
_LOOP, _DATA = "ufunc_loop", "ufunc_data"
_SYMBOL = re.compile(rf"@({_LOOP}|{_DATA})\.(\w+)\.([\w.]+)\.(\w+)")


@frozen
class LibraryUfunc:
    """A ufunc by the module and the name that it is found by in every process."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"

    def load(self) -> np.ufunc:
        """The ufunc itself."""
        found: np.ufunc = getattr(importlib.import_module(self.module), self.name)
        return found


@functools.cache
def named(ufunc: np.ufunc) -> LibraryUfunc | None:
    """The name of a ufunc of another library; None for one of NumPy's, or of one that has no place to be found at."""
    name = ufunc.__name__
    if getattr(np, name, None) is ufunc or ufunc.signature is not None:
        return None
    for module in _MODULES:
        if getattr(sys.modules.get(module), name, None) is ufunc:
            return LibraryUfunc(module, name)
    return None


@functools.cache
def has_wide_loops() -> bool:
    """Return whether NumPy's loops for functions such as `exp` compute eight doubles at once here."""
    for module in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath"):
        try:
            features = importlib.import_module(module).__cpu_features__
        except (ImportError, AttributeError):  # another release
            continue
        return bool(features.get("AVX512_SKX"))
    return False


class _UfuncObject(ctypes.Structure):
    """The first members of a `PyUFuncObject`."""

    _fields_ = (
        ("head", ctypes.c_char * object.__basicsize__),
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
    )


@frozen
class Loop:
    """One loop of a ufunc, as machine code names it: the symbols of its function and of the data it takes, if any."""

    function: str
    data: str


def loop_of(ufunc: LibraryUfunc, dtypes: Sequence[np.dtype]) -> Loop | None:
    """The loop for the dtypes of operands and results; None where its address cannot be had."""
    try:
        loaded = ufunc.load()
    except (ImportError, AttributeError):  # another release of the library
        return None
    types = next((t for t in loaded.types if _dtypes(t) == tuple(dtypes)), None)
    addresses = None if types is None or "?" in types else _addresses(ufunc, types)
    if types is None or addresses is None:
        return None
    rest = f"{types.replace('->', '_')}.{ufunc.module}.{ufunc.name}"
    return Loop(f"{_LOOP}.{rest}", f"{_DATA}.{rest}" if addresses[1] else "")


def symbols_in(llvm: str) -> Iterator[tuple[str, int]]:
    """The symbols of loops in machine code, and their addresses in this process.

    Raises `LookupError` where the library has no such loop any more.
    """
    for found in set(_SYMBOL.finditer(llvm)):
        kind, types, module, name = found.groups()
        addresses = _addresses(LibraryUfunc(module, name), types.replace("_", "->"))
        if addresses is None:
            raise LookupError(f"{module}.{name} has no loop {types}")
        yield found.group().removeprefix("@"), addresses[kind == _DATA]


@functools.cache
def _addresses(ufunc: LibraryUfunc, types: str) -> tuple[int, int] | None:
    """The addresses of the loop of these types, and of the data that it takes; None where they are not to be had."""
    loaded = ufunc.load()
    found = _UfuncObject.from_address(id(loaded))
    counts = (found.nin, found.nout, found.nargs, found.ntypes)
    if counts != (loaded.nin, loaded.nout, loaded.nargs, loaded.ntypes) or types not in loaded.types:
        return None
    if found.name != loaded.__name__.encode() or not found.functions:
        return None
    place = loaded.types.index(types)
    function = found.functions[place]
    return None if function is None else (function, (found.data[place] or 0) if found.data else 0)


def _dtypes(types: str) -> tuple[np.dtype, ...]:
    return tuple(np.dtype(char) for char in types.replace("->", ""))
