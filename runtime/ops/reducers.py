"""Two values of a dtype into one, as NumPy's binary ufuncs do it: what reductions, accumulations and scatters share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ml_dtypes import finfo

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops.op import BOOL
from anabranch.runtime.ops.stablehlo_writer import Emitter

Emit = Callable[[Emitter, str, str, ArrayType], str]


@frozen
class Reducer:
    """A binary ufunc, the kinds of dtype it is defined for here, and how to emit it."""

    ufunc: np.ufunc  # NumPy's own
    kinds: str  # the letters of `dtype.kind` that NumPy's ufunc keeps; `V` stands for the dtypes of ml_dtypes
    emit: Emit  # emits the combination of two values of one type

    def takes(self, dtype: np.dtype) -> bool:
        """Return whether the ufunc has a loop from two values of `dtype` to one."""
        return dtype.kind in self.kinds


def _plain(name: str, on_bool: str | None = None) -> Emit:
    """The StableHLO op `name`; bool, whose arithmetic is logic in NumPy, takes `on_bool`."""

    def emit(emitter: Emitter, x: str, y: str, type: ArrayType) -> str:
        chosen = on_bool if on_bool is not None and type.dtype == BOOL else name
        return emitter.binary(chosen, x, y, type)

    return emit


def _extreme(name: str, on_bool: str, direction: str) -> Emit:
    """`minimum` or `maximum`; a complex pair is ordered by real part, then by imaginary part, NaNs first of all."""
    plain = _plain(name, on_bool)

    def emit(emitter: Emitter, x: str, y: str, type: ArrayType) -> str:
        if type.dtype.kind != "c":
            return plain(emitter, x, y, type)
        part, mask = ArrayType(type.shape, real_dtype(type.dtype)), ArrayType(type.shape, BOOL)
        (xr, xi), (yr, yi) = parts(emitter, x, type), parts(emitter, y, type)

        def both(a: str, b: str) -> str:
            return emitter.binary("and", a, b, mask)

        # A NaN in y has to win over a number in x, so `before` must be false whenever y holds one.
        imaginary = both(emitter.compare(xi, xi, "EQ", part), emitter.compare(yi, yi, "EQ", part))
        before = both(emitter.compare(xr, yr, direction, part), imaginary)
        tie = both(emitter.compare(xr, yr, "EQ", part), emitter.compare(xi, yi, direction[0] + "E", part))
        keep = emitter.binary("or", emitter.binary("or", before, tie, mask), has_nan(emitter, x, type), mask)
        return emitter.select(keep, x, y, type)

    return emit


def real_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of a complex dtype's two parts."""
    return np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)


def parts(emitter: Emitter, x: str, type: ArrayType) -> tuple[str, str]:
    """The real and the imaginary part of a complex value."""
    part = ArrayType(type.shape, real_dtype(type.dtype))
    return emitter.op("real", [x], [type], part), emitter.op("imag", [x], [type], part)


def has_nan(emitter: Emitter, x: str, type: ArrayType) -> str:
    """Where a float, or either part of a complex number, is NaN."""
    return emitter.compare(x, x, "NE", type)


ADD = Reducer(np.add, "biufcV", _plain("add", "or"))
MULTIPLY = Reducer(np.multiply, "biufcV", _plain("multiply", "and"))
MINIMUM = Reducer(np.minimum, "biufcV", _extreme("minimum", "and", "LT"))
MAXIMUM = Reducer(np.maximum, "biufcV", _extreme("maximum", "or", "GT"))
SUBTRACT = Reducer(np.subtract, "iufcV", _plain("subtract"))
AND = Reducer(np.bitwise_and, "biu", _plain("and"))
OR = Reducer(np.bitwise_or, "biu", _plain("or"))
XOR = Reducer(np.bitwise_xor, "biu", _plain("xor"))


def lowest(dtype: np.dtype) -> Any:
    """Return the neutral value of `maximum`: the least of the dtype."""
    if dtype.kind == "b":
        return False
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    return complex(-np.inf, -np.inf) if dtype.kind == "c" else -_infinity(dtype)


def highest(dtype: np.dtype) -> Any:
    """Return the neutral value of `minimum`: the greatest of the dtype."""
    if dtype.kind == "b":
        return True
    if dtype.kind in "iu":
        return np.iinfo(dtype).max
    return complex(np.inf, np.inf) if dtype.kind == "c" else _infinity(dtype)


def _infinity(dtype: np.dtype) -> float:
    """Infinity, or the largest number where a floating-point dtype of eight bits has no infinity."""
    limits: Any = finfo
    return np.inf if np.isinf(np.asarray(np.inf).astype(dtype)) else float(limits(dtype).max)
