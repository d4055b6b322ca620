"""The types of an executable's buffers."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Protocol

import ml_dtypes
import numpy as np

from anabranch.base.frozen import frozen


class DeviceBuffer(Protocol):
    """A buffer of XLA's, as far as the host's side looks into it."""

    def unsafe_buffer_pointer(self) -> int: ...


@frozen
class BufferType:
    """Shape and dtype of one argument or result. `weak_type` is there for jaxlib, which asks for it."""

    shape: tuple[int, ...]
    dtype: np.dtype
    weak_type: ClassVar[bool] = False

    def __str__(self) -> str:
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"

    @property
    def nbytes(self) -> int:
        """Size of an array of this type."""
        return math.prod(self.shape) * self.dtype.itemsize


@functools.lru_cache(maxsize=4096)
def buffer_type(shape: tuple[int, ...], dtype: np.dtype) -> BufferType:
    """The type of such arrays, the same object each time: the fast path of a call compares types by identity."""
    return BufferType(shape, dtype)


# XLA takes memory that begins at a multiple of so many bytes, which is a line of the processor's caches.
ALIGNMENT = 64


def window_type(kind: BufferType) -> BufferType:
    """The type of a buffer in whose first line an array of another type begins, at any of the elements."""
    return buffer_type((math.prod(kind.shape) + ALIGNMENT // kind.dtype.itemsize - 1,), kind.dtype)


def offsets_type(windows: Sequence[int]) -> BufferType:
    """The type of the argument that says where in their windows arrays begin."""
    return buffer_type((len(windows),), np.dtype(np.int32))


DTYPES: dict[str, np.dtype] = {
    "i1": np.dtype(np.bool_),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    **{f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    **{f"f{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
    **{f"complex<f{bits}>": np.dtype(f"complex{2 * bits}") for bits in (32, 64)},
    **{
        f"f8{name}": np.dtype(getattr(ml_dtypes, f"float8_{name.lower()}"))
        for name in ("E3M4", "E4M3", "E4M3FN", "E4M3FNUZ", "E4M3B11FNUZ", "E5M2", "E5M2FNUZ", "E8M0FNU")
    },
}


DTYPE_OF_NAME = {dtype.name: dtype for dtype in DTYPES.values()}


class Signature(NamedTuple):
    """The types that an executable takes and gives."""

    # The types of the arguments and results.
    inputs: tuple[BufferType, ...]
    outputs: tuple[BufferType, ...]
    recycled: tuple[int, ...] = ()  # the outputs that are computed into the memory of earlier ones
    # The inputs that are read through windows: an input stands here once for each offset of its that is passed.
    windows: tuple[int, ...] = ()
