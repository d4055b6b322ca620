"""The names of values: in registers one for each element, in memory one for the array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.llvm_types import joined, parts, value_type


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
