"""Closeness, membership and rounding."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import COMPLEX, FLOATS, INTS, NANS, SCALAR, SINGLE, TALL, TRUTHS, VECTOR

case = Table()

for X, Y in (
    (FLOATS, FLOATS + 1e-09),
    (FLOATS, INTS),
    (NANS, NANS),
    (INTS, INTS),
    (SCALAR, 2.5),
    (3, 3),
    (SINGLE, FLOATS),
    (FLOATS, 1),
    (1, FLOATS),
    (COMPLEX, COMPLEX),
):
    case(np.isclose, X, Y)
    case(np.allclose, X, Y)
    case(np.array_equal, X, Y)
    case(np.array_equiv, X, Y)
    case(np.isclose, X, Y, equal_nan=True)
    case(np.array_equal, X, Y, equal_nan=True)
case(np.array_equal, FLOATS, VECTOR)
case(np.array_equiv, FLOATS, TALL)
case(np.isin, INTS, Static([1, 2]))
case(np.isin, INTS, Static([1, 2]), invert=True)
case(np.isin, INTS, np.array([1.5, 2]))
case(np.isin, NANS, NANS)
case(np.isin, 3, INTS)
case(np.isin, INTS, np.arange(-30, 40))
FAR = np.concatenate(([-(2**63), 2**63 - 1, 2**63 - 9], np.arange(80) * 3))
for wanted in (INTS, FAR[:5], np.array([2**63 - 1, -5, -(2**63), 7]), np.arange(9, dtype=np.int8), np.arange(9) > 4):
    case(np.isin, wanted, FAR)
    case(np.isin, wanted, FAR[2:], invert=True)
    case(np.isin, wanted, FAR[3:])
    case(np.isin, wanted, FAR[3:].astype(np.uint8), invert=True)
    case(np.isin, wanted, FAR > 5)
    case(np.isin, wanted, FAR.astype(np.uint64))
case(np.isin, NANS, np.append(NANS.ravel(), np.arange(90.0)))
case(np.isin, INTS, Static([]))
for X in (NANS, FLOATS, INTS, COMPLEX, 3.5, NANS.astype("f4"), TRUTHS, SCALAR, 2, NANS + 1j * NANS):
    for f in (
        np.isposinf,
        np.isneginf,
        np.iscomplex,
        np.isreal,
        np.nan_to_num,
        np.fix,
        np.sinc,
        np.angle,
        np.round,
        np.around,
        np.real,
        np.imag,
    ):
        case(f, X)
    case(np.round, X, Static(2))
    case(np.round, X, Static(-1))
    case(np.angle, X, deg=True)
case(np.nan_to_num, NANS, nan=1.0, posinf=2.0, neginf=3.0)
case(np.nan_to_num, NANS, copy=False)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
