"""Functions that have another form in the array API standard than in NumPy."""

from __future__ import annotations

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.eager.functions import function


def sort(x: object, /, *, axis: object = -1, descending: bool = False, stable: bool = True, **others: object) -> Value:
    """As `numpy.sort`, and downwards where asked for."""
    ordered = function(np.sort)(x, axis=axis, **(others or {"stable": stable}))
    return function(np.flip)(ordered, axis=axis) if descending else ordered


def argsort(x: Value, /, *, axis: Value = -1, descending: bool = False, stable: bool = True, **others: Value) -> Value:
    """As `numpy.argsort`, and downwards where asked for; equal elements then keep their order, too."""
    options = others or {"stable": stable}
    if not descending:
        return function(np.argsort)(x, axis=axis, **options)
    # Sorted upwards from the end, equal elements stand in reverse: what turns all around puts them right.
    backwards = function(np.argsort)(function(np.flip)(x, axis=axis), axis=axis, **options)
    return (x.shape[axis] - 1) - function(np.flip)(backwards, axis=axis)


def diff(x: Value, /, *, axis: Value = -1, n: object = 1, prepend: object = None, append: object = None) -> Value:
    """As `numpy.diff`; None stands for nothing before or behind the array."""
    ends = {k: v for k, v in (("prepend", prepend), ("append", append)) if v is not None}
    return function(np.diff)(x, n=n, axis=axis, **ends)


@frozen
class FloatLimits:
    """The limits of a floating-point dtype; of a complex one those of its parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype


@frozen
class IntegerLimits:
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: np.dtype


def finfo(of: object, /) -> FloatLimits:
    """The limits of a floating-point dtype, or of an array's."""
    found = np.finfo(_dtype(of))
    eps, largest, least, normal = (float(n) for n in (found.eps, found.max, found.min, found.smallest_normal))
    return FloatLimits(int(found.bits), eps, largest, least, normal, np.dtype(found.dtype))


def iinfo(of: Value, /) -> IntegerLimits:
    """The limits of an integer dtype, or of an array's."""
    found = np.iinfo(_dtype(of))
    return IntegerLimits(int(found.bits), int(found.max), int(found.min), np.dtype(found.dtype))


def _dtype(of: Value) -> np.dtype:
    return np.dtype(of) if isinstance(of, (type, str, np.dtype)) else np.dtype(of.dtype)
