"""Numbers of a few kinds, one of which is chosen at run time, as one number that is worth the same.

Python's int is worth the same as a float where both meet a float, and a constant such as 0 as a number of each dtype
that holds it. Which kind of number it is stays with the tag of the alternatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.values.abstract import PYTHON_DTYPES, Abstract, Kind, promoted

# How many bits of an int a float's significand holds.
_BITS = {dtype: np.finfo(dtype).nmant + 1 for dtype in "efdFD"}


def common(kinds: Sequence[Abstract | None]) -> Abstract | None:
    """Return the kind of number that NumPy promotes all of these to; None where one is none, or an array."""
    both: Abstract | None = None
    for kind in kinds:
        if kind is None or kind.kind is Kind.ARRAY or kind.shape:
            return None
        both = kind if both is None else promoted(both, kind)
        if both is None:
            return None
    return both


def converts(a: Abstract, value: object, both: Abstract) -> bool:
    """Return whether a number can be held as one of `both`, as NumPy converts it where it meets one of these.

    `value`: the number, if it is known while tracing; else anything that is no plain number.
    """
    if a == both or _holds(both.dtype, value):
        return True
    if a.kind is Kind.PYTHON and both.dtype.kind in "fc":
        return both.dtype.kind == "c" or a.dtype.kind != "c"
    return type(value) not in PYTHON_DTYPES and bool(np.can_cast(a.dtype, both.dtype))


def keeps(a: Abstract, value: object, interval: Interval, both: Abstract) -> bool:
    """Return whether a number surely is worth the same as one of `both`, to the last digit."""
    if a == both:
        return True
    if type(value) in PYTHON_DTYPES:
        return _holds(both.dtype, value)
    if a.dtype.kind in "iu" and both.dtype.kind in "fc":
        info = np.iinfo(a.dtype)
        known = interval if a.kind is Kind.PYTHON else Interval(int(info.min), int(info.max))
        most = 1 << _BITS[both.dtype.char]
        return -most <= known.low and known.high <= most
    return bool(np.can_cast(a.dtype, both.dtype))


def becomes(option: object, abstract: Abstract | None, dtype: np.dtype) -> bool:
    """Return whether a number can be cast to a dtype without an error at run time."""
    if (
        abstract is None
        or abstract.kind is Kind.ARRAY
        or abstract.dtype.kind not in "biuf"
        or dtype.kind not in "biufc"
    ):
        return False
    if abstract.kind is Kind.SCALAR:
        return not may_not_fit(abstract, dtype)
    if dtype.kind in "fc" or dtype == abstract.dtype:
        return True
    return type(option) is int and dtype.kind in "iu" and np.iinfo(dtype).min <= option <= np.iinfo(dtype).max


def may_not_fit(abstract: Abstract, dtype: np.dtype) -> bool:
    """Return whether a number may be one of NumPy's scalars that is too large an int for a dtype, for which it raises.

    Elements without a sign take the last bits of a scalar, as of an array.
    """
    source = abstract.dtype
    if abstract.kind is not Kind.SCALAR or dtype.kind != "i" or source.kind not in "iuf":
        return False
    return source.kind == "f" or not np.can_cast(source, dtype)


def _holds(dtype: np.dtype, value: object) -> bool:
    """Return whether a number that is known while tracing is one of this dtype."""
    if type(value) not in PYTHON_DTYPES:
        return False
    try:
        with np.errstate(all="ignore"):
            held = np.asarray(value, dtype).item()
    except (OverflowError, TypeError):
        return False
    same: Any = held == value or value != value
    return bool(same)
