"""Abstract values: the shape, the dtype and the kind of Python object that are known of a value while tracing."""

from __future__ import annotations

import enum
from typing import TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.device.array import Array
from anabranch.runtime.ir.array_type import ArrayType

# bool, int, float or complex.
PythonType: TypeAlias = type[int] | type[float] | type[complex]
PYTHON_DTYPES: dict[type, np.dtype] = {
    bool: np.dtype(np.bool_),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}
_PYTHON_OF_KIND: dict[str, PythonType] = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
_RANK = {bool: 0, int: 1, float: 2, complex: 3}


class Kind(enum.Enum):
    """Which Python object a traced value stands for."""

    PYTHON = "Python scalar"
    SCALAR = "NumPy scalar"
    ARRAY = "ndarray"
    BUFFER = "memory of a list"


@frozen
class Abstract:
    """The abstract value of one leaf."""

    shape: tuple[int, ...]
    dtype: np.dtype
    kind: Kind

    @property
    def type(self) -> ArrayType:
        return ArrayType(self.shape, self.dtype)

    @property
    def python(self) -> PythonType:
        """int, float, bool or complex, for a Python scalar."""
        return _PYTHON_OF_KIND[self.dtype.kind]

    def __str__(self) -> str:
        if self.kind is Kind.PYTHON:
            return str(self.python.__name__)
        if self.kind is Kind.SCALAR:
            return f"numpy.{self.dtype.name}"
        return f"{self.dtype.name}{list(self.shape)}"


def python_abstract(kind: type) -> Abstract:
    """The abstract value of a Python scalar of this type."""
    return Abstract((), PYTHON_DTYPES[kind], Kind.PYTHON)


# That of one of Python's ints from 0 to 2**64 - 1.
WORD = Abstract((), np.dtype(np.uint64), Kind.PYTHON)


def abstract_of(value: object) -> Abstract | None:
    """The abstract value of a concrete Python or NumPy number or array; None for anything else."""
    if type(value) in PYTHON_DTYPES:
        return python_abstract(type(value))
    if isinstance(value, np.generic) and value.dtype.kind in "biufcV" and not isinstance(value, np.void):
        return Abstract((), value.dtype, Kind.SCALAR)
    if isinstance(value, (np.ndarray, Array)):
        return Abstract(value.shape, value.dtype, Kind.ARRAY)
    return None


def join(a: Abstract, b: Abstract) -> Abstract | None:
    """The abstract value that holds both as what they are; None where there is none."""
    return a if a == b else _joined_ints(a, b)


def _joined_ints(a: Abstract, b: Abstract) -> Abstract | None:
    """The abstract value of an int that is an int64 in one place and a word in the other."""
    both = a.kind is b.kind is Kind.PYTHON and a.python is b.python is int
    return WORD if both and WORD in (a, b) else None


def promoted(a: Abstract, b: Abstract) -> Abstract | None:
    """The least abstract value that holds both, by NumPy's promotion; None where shapes differ."""
    if a == b:
        return a
    if a.shape != b.shape:
        return None
    if a.kind is b.kind is Kind.PYTHON:
        ints = _joined_ints(a, b)
        return ints if ints is not None else python_abstract(max(a.python, b.python, key=_RANK.__getitem__))
    dtype = promote(a, b)
    # A 0-d ndarray in one place and a scalar in the other: the immutable one holds both values.
    kind = Kind.ARRAY if a.kind is b.kind is Kind.ARRAY else Kind.SCALAR
    return Abstract(a.shape, dtype, kind)


def promote(a: Abstract, b: Abstract) -> np.dtype:
    """NumPy's result dtype of two values (NEP 50: Python scalars are weak)."""

    def spec(x: Abstract) -> Value:
        return x.python(0) if x.kind is Kind.PYTHON else x.dtype

    return np.result_type(spec(a), spec(b))
