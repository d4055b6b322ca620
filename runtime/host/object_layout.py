"""The layout in memory of what machine code reads of CPython's objects and NumPy's arrays."""

from __future__ import annotations

import ctypes
import functools
import re
import sys
import sysconfig
from collections.abc import Iterator

import numpy as np

# Where an ndarray object holds the address of its memory: NumPy's binary interface promises that it comes first.
ADDRESS = object.__basicsize__
# Where any object has its type.
TYPE = ADDRESS - ctypes.sizeof(ctypes.c_void_p)
# Where an ndarray has the number of its axes, the addresses of their sizes and strides, its dtype and its flags.
AXES, SIZES, STRIDES, DTYPE, FLAGS = (ADDRESS + offset for offset in (8, 16, 24, 40, 48))
# Where a tuple has its length, and its items.
LENGTH, ITEMS = object.__basicsize__, tuple.__basicsize__
# NumPy's flags C_CONTIGUOUS, ALIGNED and WRITEABLE, as `ndarray.flags.num` has them.
CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
ORDINARY = CONTIGUOUS | ALIGNED | WRITEABLE

# Where a class has its flags, and the number of its version.
_CLASS_FLAGS, VERSION = (ADDRESS + 8 + 8 * place for place in (18, 45))
_METHOD_DESCRIPTOR = 1 << 17

_PREFIX = "object."
# The symbol of the class of arrays.
NDARRAY = f"{_PREFIX}ndarray"
_SYMBOL = re.compile(rf"@({re.escape(_PREFIX)}(ndarray|dtype\.(\w+)))")


def address(array: np.ndarray) -> int:
    """The address of an array's memory, as `array.ctypes.data` says in ten times the time."""
    return ctypes.c_size_t.from_address(id(array) + ADDRESS).value


def call_as_method(cls: type) -> None:
    """Let calls of a class's objects as methods be calls with the instance, as those of functions are.

    For `obj.name(...)` Python asks no `__get__` then, which has to lead to the same.
    """
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED") == 1:
        return
    flags = ctypes.c_ulong.from_address(id(cls) + _CLASS_FLAGS)
    if flags.value == cls.__flags__:
        flags.value |= _METHOD_DESCRIPTOR
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


def class_version(cls: type) -> int:
    """The number that a class has until it, or one above it, is changed; 0 where there is none."""
    if not _has_versions():
        return 0
    getattr(cls, "__anabranch_version__", None)  # a lookup, which gives a class that has none a version
    return _version(cls)


def _version(cls: type) -> int:
    return ctypes.c_uint32.from_address(id(cls) + VERSION).value


@functools.cache
def _has_versions() -> bool:
    """Return whether classes hold their versions there."""

    class Base:
        some = 1

    class Derived(Base):
        pass

    before = []
    for change in ("some", "other"):
        getattr(Derived, "some")  # noqa: B009 - a lookup
        before.append(_version(Derived))
        setattr(Base, change, 2)
        if _version(Derived):
            return False
    return all(before) and before[0] != before[1]


def dtype_symbol(dtype: np.dtype) -> str:
    """The symbol of the one object that NumPy has for a dtype of numbers."""
    return f"{_PREFIX}dtype.{_character(dtype)}"


def is_ordinary(array: np.ndarray) -> bool:
    """Return whether an array is what machine code takes for one of its type, as far as its layout is the right one."""
    is_its = array.dtype is np.dtype(_character(array.dtype))
    return type(array) is np.ndarray and is_its and (array.flags.num | CONTIGUOUS) & ORDINARY == ORDINARY


def _character(dtype: np.dtype) -> str:
    return "bool" if dtype.char == "?" else dtype.char


def symbols_in(llvm: str) -> Iterator[tuple[str, int]]:
    """The symbols of NumPy's objects in machine code, and their addresses in this process."""
    for symbol, _, dtype in set(_SYMBOL.findall(llvm)):
        yield symbol, id(np.dtype(dtype) if dtype else np.ndarray)


@functools.cache
def is_as_expected() -> bool:
    """Return whether this Python and this NumPy lay objects out so."""
    array = np.zeros((2, 3))

    def word(offset: int, kind: type[ctypes.c_size_t | ctypes.c_int] = ctypes.c_size_t) -> int:
        return kind.from_address(id(array) + offset).value

    if ctypes.sizeof(ctypes.c_void_p) != 8 or address(array) != array.ctypes.data or word(TYPE) != id(np.ndarray):
        return False
    flags, axes = word(FLAGS, ctypes.c_int), word(AXES, ctypes.c_int)
    if flags != array.flags.num or axes != 2 or word(DTYPE) != id(array.dtype):
        return False
    pair = (array, None)
    words = [ctypes.c_size_t.from_address(id(pair) + offset).value for offset in (LENGTH, ITEMS, ITEMS + 8)]
    return words == [2, id(array), id(None)] and tuple((ctypes.c_size_t * 2).from_address(word(SIZES))) == array.shape
