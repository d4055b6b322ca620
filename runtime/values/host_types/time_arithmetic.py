"""NumPy's loops for dates and durations, on the int64 that they are; the least one stands for "not a time"."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import registry

NAT = np.int64(np.iinfo(np.int64).min)
Loop: TypeAlias = Callable[[Any, Any], Any]

_F = registry.FUNCTIONS


def isnat(x: Value) -> Value:
    """Return whether elements are not times."""
    return _F[np.equal](x, NAT)


def _either(x: Value, y: Value) -> Value:
    return _F[np.logical_or](isnat(x), isnat(y))


def where(condition: Value, x: Value, y: Value) -> Value:
    """As `numpy.where`; of no axis, a scalar."""
    found = _F[np.where](condition, x, y)
    return found if found.ndim else found[()]


# ---- other units -----------------------------------------------------------------------------------------------------


def converted(x: Value, source: np.dtype, target: np.dtype) -> Value:
    """Times of one unit in another, as `astype` has them."""
    if source == target:
        return x
    ratio = _factor(source, target)
    if ratio is None:
        ratio, x = _by_calendar(x, source, target)
    if ratio == 1:
        return x
    changed = x
    if ratio.numerator != 1:
        changed = _F[np.multiply](changed, np.int64(ratio.numerator))
    if ratio.denominator != 1:
        changed = _F[np.floor_divide](changed, np.int64(ratio.denominator))
    return where(isnat(x), NAT, changed)


def _by_calendar(x: Value, source: np.dtype, target: np.dtype) -> tuple[Fraction, Value]:
    """Dates of which one unit is years or months as days, or as months, and how many of the target one of these is."""
    days, months = np.dtype("M8[D]"), np.dtype("M8[M]")
    if source.kind == "m":
        raise UnsupportedOperationError(
            f"{source} as {target} is not supported in compiled code: years and months have no length; convert it "
            "outside of the function"
        )
    if np.datetime_data(source)[0] in ("Y", "M"):
        made = where(isnat(x), NAT, _days_of_months(converted(x, source, months)))
        here = days
    else:
        made = where(isnat(x), NAT, _months_of_days(converted(x, source, days)))
        here = months
    ratio = _factor(here, target)
    assert ratio is not None
    return ratio, made


def _divided(x: Value, n: int) -> Value:
    return _F[np.floor_divide](x, np.int64(n))


def _days_of_months(months: Value) -> Value:
    """The days from 1970 to the first of each month counted from January 1970, by the Gregorian calendar."""
    month = months % np.int64(12)
    # Years that begin in March end with the leap day.
    march = (month + np.int64(10)) % np.int64(12)
    year = _divided(months, 12) + np.int64(1970) - _F[np.less](month, np.int64(2)) * np.int64(1)
    era = _divided(year, 400)
    of_era = year - era * np.int64(400)
    day = _divided(march * np.int64(153) + np.int64(2), 5)
    in_era = of_era * np.int64(365) + _divided(of_era, 4) - _divided(of_era, 100) + day
    return era * np.int64(146_097) + in_era - np.int64(719_468)


def _months_of_days(days: Value) -> Value:
    """The month that each day is in, counted from January 1970."""
    shifted = days + np.int64(719_468)
    era = _divided(shifted, 146_097)
    in_era = shifted - era * np.int64(146_097)
    leap = in_era - _divided(in_era, 1460) + _divided(in_era, 36_524) - _divided(in_era, 146_096)
    of_era = _divided(leap, 365)
    day = in_era - (of_era * np.int64(365) + _divided(of_era, 4) - _divided(of_era, 100))
    march = _divided(day * np.int64(5) + np.int64(2), 153)
    return (of_era + era * np.int64(400) - np.int64(1970)) * np.int64(12) + march + np.int64(2)


# ---- loops -----------------------------------------------------------------------------------------------------------


def _kept(loop: Loop) -> Loop:
    """The loop where both are times, else none."""
    return lambda x, y: where(_either(x, y), NAT, loop(x, y))


def _integer(x: Value) -> Value:
    """The floats as C makes ints of them; what has no such value is no time."""
    return _F[np.where](_F[np.isfinite](x), x, 0.0).astype(np.int64)


def _times_float(x: Value, y: Value) -> Value:
    product = _F[np.multiply](x, y)
    return where(_F[np.logical_or](isnat(x), _F[np.logical_not](_F[np.isfinite](product))), NAT, _integer(product))


def _by_float(x: Value, y: Value) -> Value:
    quotient = _F[np.true_divide](x, y)
    return where(_F[np.logical_or](isnat(x), _F[np.logical_not](_F[np.isfinite](quotient))), NAT, _integer(quotient))


def _by_int(x: Value, y: Value) -> Value:
    zero = _F[np.equal](y, np.int64(0))
    divisor = where(zero, np.int64(1), y)
    size = _divided_towards_zero(x, divisor)
    return where(_F[np.logical_or](isnat(x), zero), NAT, size)


def _divided_towards_zero(x: Value, y: Value) -> Value:
    quotient = _F[np.floor_divide](x, y)
    inexact = _F[np.not_equal](_F[np.multiply](quotient, y), x)
    return quotient + _F[np.logical_and](inexact, _F[np.less](quotient, np.int64(0))) * np.int64(1)


def _ratio(x: Value, y: Value) -> Value:
    return where(_either(x, y), np.nan, _F[np.true_divide](x, y))


def _whole(x: Value, y: Value) -> Value:
    return where(_either(x, y), np.int64(0), _F[np.floor_divide](x, y))


def _remainder(x: Value, y: Value) -> Value:
    nothing = _F[np.logical_or](_either(x, y), _F[np.equal](y, np.int64(0)))
    return where(nothing, NAT, _F[np.remainder](x, y))


def _compared(ufunc: np.ufunc) -> Loop:
    return lambda x, y: _F[np.logical_and](_F[ufunc](x, y), _F[np.logical_not](_either(x, y)))


def _ignoring(ufunc: np.ufunc) -> Loop:
    return lambda x, y: where(isnat(x), y, where(isnat(y), x, _F[ufunc](x, y)))


def _staged(ufunc: np.ufunc) -> Loop:
    return lambda x, y: _F[ufunc](x, y)


# By the ufunc and the kinds of its operands, as NumPy's loop has them.
LOOPS: dict[tuple[np.ufunc, str], Loop] = {
    **{(np.add, kinds): _kept(_staged(np.add)) for kinds in ("Mm", "mM", "mm")},
    **{(np.subtract, kinds): _kept(_staged(np.subtract)) for kinds in ("MM", "Mm", "mm")},
    (np.multiply, "mi"): lambda x, y: where(isnat(x), NAT, _F[np.multiply](x, y)),
    (np.multiply, "im"): lambda x, y: where(isnat(y), NAT, _F[np.multiply](x, y)),
    (np.multiply, "mf"): _times_float,
    (np.multiply, "fm"): lambda x, y: _times_float(y, x),
    (np.true_divide, "mi"): _by_int,
    (np.true_divide, "mf"): _by_float,
    (np.true_divide, "mm"): _ratio,
    (np.floor_divide, "mi"): _by_int,
    (np.floor_divide, "mm"): _whole,
    (np.remainder, "mm"): _remainder,
    **{
        (ufunc, kinds): _compared(ufunc)
        for ufunc in (np.equal, np.less, np.less_equal, np.greater, np.greater_equal)
        for kinds in ("MM", "mm")
    },
    **{
        (np.not_equal, kinds): lambda x, y: _F[np.logical_or](_F[np.not_equal](x, y), _either(x, y))
        for kinds in ("MM", "mm")
    },
    **{(ufunc, kinds): _kept(_staged(ufunc)) for ufunc in (np.maximum, np.minimum) for kinds in ("MM", "mm")},
    (np.fmax, "MM"): _ignoring(np.maximum),
    (np.fmax, "mm"): _ignoring(np.maximum),
    (np.fmin, "MM"): _ignoring(np.minimum),
    (np.fmin, "mm"): _ignoring(np.minimum),
}
UNARY: dict[np.ufunc, Callable[[Any], Any]] = {
    np.negative: lambda x: _F[np.negative](x),  # the least int is its own negative
    np.positive: lambda x: _F[np.positive](x),
    np.absolute: lambda x: where(isnat(x), NAT, _F[np.absolute](x)),
}


# In attoseconds; years and months have no length.
_LENGTHS = {
    "W": 7 * 86_400 * 10**18,
    "D": 86_400 * 10**18,
    "h": 3_600 * 10**18,
    "m": 60 * 10**18,
    "s": 10**18,
    "ms": 10**15,
    "us": 10**12,
    "ns": 10**9,
    "ps": 10**6,
    "fs": 10**3,
    "as": 1,
}


def _factor(source: np.dtype, target: np.dtype) -> Fraction | None:
    """How many units of the target are one of the source; None where that depends on the date."""
    (one, count), (other, number) = np.datetime_data(source), np.datetime_data(target)
    if one == other or "generic" in (one, other):
        return Fraction(count, number) if one == other else Fraction(1)
    if {one, other} == {"Y", "M"}:
        months = Fraction(12) if one == "Y" else Fraction(1, 12)
        return months * count / number
    if one not in _LENGTHS or other not in _LENGTHS:
        return None
    return Fraction(_LENGTHS[one] * count, _LENGTHS[other] * number)
