"""The text of types, constants and attributes in MLIR's generic form."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from anabranch.runtime.host.buffer_types import DTYPES
from anabranch.runtime.ir.array_type import ArrayType

_ELEMENT = {dtype.name: name for name, dtype in DTYPES.items()}


@functools.lru_cache(maxsize=256)
def element(dtype: np.dtype) -> str:
    """MLIR's name of a dtype."""
    return _ELEMENT[dtype.name]


@functools.lru_cache(maxsize=4096)
def tensor(type: ArrayType) -> str:
    """`tensor<3x4xf64>`."""
    return f"tensor<{''.join(f'{n}x' for n in type.shape)}{element(type.dtype)}>"


def ints(values: Sequence[int]) -> str:
    """`array<i64: 1, 2>`."""
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def splat(value: np.ndarray) -> str:
    """A scalar as MLIR writes it; floats as bits, so that NaN payloads, infinities and -0.0 survive."""
    kind = value.dtype.kind
    if kind == "b":
        return "true" if value else "false"
    if kind in "iu":
        return str(int(value))
    if kind == "c":
        part = np.float32 if value.dtype.itemsize == 8 else np.float64
        return f"({splat(np.asarray(value.real, part))}, {splat(np.asarray(value.imag, part))})"
    return "0x" + value.tobytes()[::-1].hex().upper()


def nested(array: np.ndarray) -> str:
    """The text of an array's elements, in brackets for each axis."""
    if array.ndim == 0:
        return splat(array)
    return "[" + ", ".join(map(nested, array)) + "]"
