"""Machine code as a function of Python's."""

from __future__ import annotations

import ctypes
import itertools
import weakref
from collections.abc import Callable
from typing import Any

from anabranch.base.fork_locks import lock
from anabranch.runtime.host.machine_code import linked

# The name of the function in the module.
ENTRY = "call"

# The way in which the function takes its arguments: an array of objects, and how many.
_FASTCALL = 0x80


class _Definition(ctypes.Structure):
    """Python's `PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Held:
    """The things that live as long as the function: its code and its description."""

    def __init__(self, library: object, definition: _Definition) -> None:
        self.library, self.definition = library, definition


# Equal code is one function for as long as somebody has it. What is linked gets a name that nothing had before.
_made: weakref.WeakValueDictionary[str, Callable[..., Any]] = weakref.WeakValueDictionary()
_numbers = itertools.count()
_lock = lock()


def python_function(name: str, code: bytes, llvm: str) -> Callable[..., Any]:
    """The function `call` of object code.

    Parameters
    ----------
    name
        One that only this code has.
    llvm
        The module that it was compiled from.
    """
    with _lock:
        made = _made.get(name)
        if made is None:
            made = _made[name] = _linked(f"{name}.{next(_numbers)}", code, llvm)
        return made


def _linked(name: str, code: bytes, llvm: str) -> Callable[..., Any]:
    address, library = linked(name, code, ENTRY, llvm)
    definition = _Definition(ENTRY.encode(), address, _FASTCALL, None)
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    made: Callable[..., Any] = new(ctypes.addressof(definition), _Held(library, definition), None)
    return made
