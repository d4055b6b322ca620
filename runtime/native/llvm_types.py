"""LLVM's types and constants for NumPy's dtypes, and the names of values in registers and in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType

_FLOATS = {2: "half", 4: "float", 8: "double"}
# What separates the parts of a complex value, which LLVM has as two values.
_PARTS = "|"


class NotNativeError(Exception):
    """A loop that has no native form; the message says what stands in the way."""


def is_native(dtype: np.dtype) -> bool:
    """Return whether values of a dtype have a native form."""
    return dtype.kind in "biu" or (dtype.kind == "f" and dtype.itemsize in (4, 8)) or dtype.char in "FD"


def part(dtype: np.dtype) -> np.dtype:
    """The dtype of the parts of a complex value; of others their own."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def value_type(dtype: np.dtype) -> str:
    """The type of a value in a register; of a complex one that of its parts."""
    if not is_native(dtype):
        raise NotNativeError(f"values of {dtype}")
    if dtype.kind == "b":
        return "i1"
    if dtype.kind in "iu":
        return f"i{8 * dtype.itemsize}"
    return _FLOATS[part(dtype).itemsize]


def memory_type(dtype: np.dtype) -> str:
    """The type of an element in memory; of a complex one that of its parts."""
    return "i8" if dtype.kind == "b" else value_type(dtype)


def of_size(nbytes: int) -> str:
    """The attributes of the address of so many bytes; of none it may be any address."""
    return f" nonnull dereferenceable({nbytes})" if nbytes else ""


def constant(value: np.generic | np.ndarray) -> str:
    """A constant as LLVM has it in text."""
    value = np.asarray(value).reshape(())
    kind = value.dtype.kind
    if kind == "c":
        return joined(constant(value.real), constant(value.imag))
    if kind == "b":
        return "true" if value else "false"
    if kind == "f":
        # The text of a float is that of the double which it is equal to.
        return f"0x{int(np.float64(value).view(np.uint64)):016X}"
    return str(int(value))


def joined(real: str, imag: str) -> str:
    """The name of a complex value with these parts."""
    return f"{real}{_PARTS}{imag}"


def parts(name: str) -> list[str]:
    """The names of the parts of a complex value, or the name of any other."""
    return name.split(_PARTS)


def is_memory(name: str) -> bool:
    """Return whether a name is that of an array in memory."""
    return name.startswith("@")


def is_lazy(name: str) -> bool:
    """Return whether a name is that of an array whose elements are computed where they are needed."""
    return name.startswith("~")


def elements(name: str) -> list[str]:
    """The names of the elements of a value in registers."""
    if name.startswith("["):
        return name[1:-1].split(";") if len(name) > 2 else []
    return [name]


def packed(names: Sequence[str], dtype: np.dtype | None = None) -> str:
    """The name of a value in registers; with a dtype, `names` are those of the parts of its elements."""
    if dtype is not None and dtype.kind == "c":
        names = [joined(a, b) for a, b in zip(names[::2], names[1::2], strict=True)]
    return names[0] if len(names) == 1 else f"[{';'.join(names)}]"


def flat(name: str) -> list[str]:
    """The names of the parts of all elements."""
    return [p for element in elements(name) for p in parts(element)]


def value_types(type: ArrayType) -> list[str]:
    """LLVM's types of the parts of all elements."""
    return [value_type(type.dtype)] * (type.size * (2 if type.dtype.kind == "c" else 1))
