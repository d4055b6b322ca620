"""The static types of values in a Program."""

from __future__ import annotations

import functools

import numpy as np

from anabranch.base.frozen import frozen

_SHORT = {"bool": "bool", "int": "i", "uint": "u", "float": "f", "complex": "c"}


@frozen
class ArrayType:
    """The static type of a value in a Program: a shape and a NumPy dtype."""

    shape: tuple[int, ...]
    dtype: np.dtype

    def __str__(self) -> str:
        return f"{short_dtype(self.dtype)}[{','.join(map(str, self.shape))}]"

    @property
    def size(self) -> int:
        size = 1
        for n in self.shape:
            size *= n
        return size

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize


# NumPy's own dtypes in the machine's order of bytes, of which there is one object each.
_NATIVE = {known.num: known for known in map(np.dtype, "?bBhHiIlLqQefdgFDG")}


def native(dtype: np.dtype) -> np.dtype:
    """The dtype in the machine's order of bytes: the very object that an array of it has."""
    known = _NATIVE.get(dtype.num)
    return dtype.newbyteorder("=") if known is None else known


@functools.lru_cache(maxsize=256)
def short_dtype(dtype: np.dtype) -> str:
    """`f64` for float64, `i8` for int8, `bool`, `c128`; ml_dtypes keep their own names."""
    name = dtype.name.rstrip("0123456789")
    return dtype.name if name not in _SHORT else _SHORT[name] + dtype.name[len(name) :]
