"""The units of `datetime64` and `timedelta64`: how many of one are one of another."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

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


def factor(source: np.dtype, target: np.dtype) -> Fraction | None:
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
