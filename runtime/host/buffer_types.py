"""The types of an executable's buffers."""

from __future__ import annotations

import functools
import math
from typing import ClassVar, Protocol, TypeAlias

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


# The types of an executable's arguments and results, and the numbers of the results whose memory it is given.
Signature: TypeAlias = tuple[tuple[BufferType, ...], tuple[BufferType, ...], tuple[int, ...]]
