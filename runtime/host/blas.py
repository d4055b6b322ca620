"""BLAS, the library that NumPy computes products with, by the addresses of its functions: machine code calls them.

Its functions take the addresses of all that they are given. Where ints are 64 bits wide and less than `MOST`, the same
addresses are those of ints of 32 bits, so that machine code need not know which of the two a library takes.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import re
import sys
from collections.abc import Iterator

# What the names of its functions begin with in machine code.
PREFIX = "blas."
_SYMBOL = re.compile(rf"@{re.escape(PREFIX)}(\w+)")
# Ints that it is given are less than this.
MOST = 2**31


def is_there() -> bool:
    """Return whether there is one on this machine that can be called."""
    return sys.byteorder == "little" and _address_of("dgemm") is not None


def symbols_in(llvm: str) -> Iterator[tuple[str, int]]:
    """The symbols of BLAS in machine code, and their addresses in this process.

    Raises `LookupError` where no BLAS is found.
    """
    for name in set(_SYMBOL.findall(llvm)):
        address = _address_of(name)
        if address is None:
            raise LookupError(f"BLAS has no {name} here")
        yield PREFIX + name, address


@functools.cache
def _address_of(name: str) -> int | None:
    """The address of NumPy's own function, else of that which SciPy is linked with; None where neither shows it."""
    return _numpys(name) or _scipys(name)


def _numpys(name: str) -> int | None:
    """The address of the function in the library that NumPy has loaded, by the names that its wheels give it."""
    path = getattr(sys.modules.get("numpy._core._multiarray_umath"), "__file__", None)
    if path is None:
        return None
    # What a library is linked with is found by it, too.
    library = ctypes.CDLL(path)
    for form in ("scipy_{}_64_", "scipy_{}_", "{}_64_"):
        function = getattr(library, form.format(name), None)
        if function is not None:
            return ctypes.cast(function, ctypes.c_void_p).value
    return None


def _scipys(name: str) -> int | None:
    """The address of the function by the interface that SciPy has for compiled code."""
    try:
        capsule = importlib.import_module("scipy.linalg.cython_blas").__pyx_capi__[name]
    except (ImportError, AttributeError, KeyError):
        return None
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, (ctypes.py_object,)
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    address: int | None = pointer_of(capsule, name_of(capsule))
    return address
