"""Differences, integrals, convolution, interpolation."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import BYTES, COMPLEX, FLOATS, INTS, SCALAR, SINGLE, TRUTHS, VECTOR

case = Table()

for X in (FLOATS, INTS, BYTES, COMPLEX, TRUTHS, SINGLE):
    case(np.diff, X)
    case(np.diff, X, Static(2), Static(0))
    case(np.diff, X, axis=0, prepend=1)
    case(np.ediff1d, X)
case(np.diff, SCALAR)
case(np.diff, FLOATS, Static(-1))
case(np.ediff1d, FLOATS, to_end=Static([1.0, 2.0]), to_begin=-9)
case(np.ediff1d, INTS, to_end=Static(2))
case(np.gradient, FLOATS)
case(np.gradient, VECTOR)
case(np.gradient, VECTOR, 2.0)
case(np.gradient, FLOATS, axis=0)
case(np.gradient, INTS, axis=(0, 1))
case(np.gradient, VECTOR, np.array([0.0, 1, 3, 4.5]))
case(np.gradient, FLOATS, 2.0, np.array([0.0, 1, 3, 4.5]))
case(np.gradient, SINGLE)
case(np.gradient, FLOATS[:1])
case(np.gradient, FLOATS, 1.0, 2.0, 3.0)
for X in (FLOATS, INTS, SINGLE):
    case(np.trapezoid, X)
    case(np.trapezoid, X, dx=0.5, axis=0)
    case(np.trapezoid, X, VECTOR)
    case(np.trapezoid, X, FLOATS)
    case(np.trapezoid, X, np.array([1.0, 2, 4]), axis=0)
for m in ("full", "same", "valid"):
    for x, y in (
        (VECTOR, VECTOR[:2]),
        (VECTOR[:2], VECTOR),
        (INTS[0], VECTOR),
        (COMPLEX[0], COMPLEX[1][:3]),
        (VECTOR, VECTOR),
        (FLOATS[0], SINGLE[1]),
        (np.arange(50.0), np.arange(40.0)),
        (np.arange(5), 3),
    ):
        case(np.convolve, x, y, mode=m)
        case(np.correlate, x, y, mode=m)
for kernel in ([np.nan, 1.0], [1.0, np.inf, 2.0], [1.0, 2.0, np.nan, 0.0, 3.0]):
    for m in ("full", "same", "valid"):
        case(np.convolve, np.array([3.0, 1.0, 2.0]), np.array(kernel), mode=m)
        case(np.correlate, np.array([3.0, 1.0, 2.0]), np.array(kernel), mode=m)
case(np.convolve, VECTOR, VECTOR, mode="x")
case(np.convolve, VECTOR, np.array([]))
case(np.convolve, FLOATS, VECTOR)
xp = np.array([0.0, 1, 2, 4])
case(np.interp, FLOATS, xp, VECTOR)
case(np.interp, 0.5, xp, VECTOR)
case(np.interp, FLOATS * 3, xp, VECTOR, left=-1, right=9)
case(np.interp, np.array([0, 1, 2, 4, 5, np.nan, -1]), xp, VECTOR)
case(np.interp, np.array([0, 1, 2]), np.array([1.0]), np.array([5.0]))
case(np.interp, FLOATS, xp, VECTOR[:2])
case(np.interp, np.array([1, 1.5]), np.array([0, 1, 1, 2.0]), VECTOR)
for X in (FLOATS, INTS, SINGLE, COMPLEX):
    case(np.cov, X)
    case(np.cov, X, rowvar=False)
    case(np.cov, X, X)
    case(np.corrcoef, X)
    case(np.cov, X, bias=True)
    case(np.cov, X[0])
    case(np.corrcoef, X[0])
case(np.unwrap, FLOATS * 9)
case(np.unwrap, INTS)
case(np.unwrap, SINGLE * 5, axis=0)
STEPS = [0, 3, -2, 5, 100, -100, 64, 0]
for dtype in ("i8", "i1", "f4", "u1", "f8"):
    LINE = np.array(STEPS).astype(dtype)
    for period in (4, 7, 100, 200, 256, 6.5, np.int8(100), np.float32(6)):
        case(np.unwrap, LINE, period=Static(period))
        case(np.unwrap, LINE, period=Static(period), discont=2)
    case(np.unwrap, LINE.reshape(2, 4), axis=0, period=6)
    case(np.unwrap, LINE[:0], period=6)
case(np.histogram, FLOATS, Static([-1, 0, 1.0]))
case(np.histogram, INTS, Static(4), Static((-4, 4)))
case(np.histogram, np.array([1, 2, 2, 3, 5]), Static([1, 2, 3]))

for order in (1, 2, 3):
    case(np.gradient, FLOATS, edge_order=order)
    case(np.gradient, FLOATS, 2.0, axis=0, edge_order=order)
    case(np.gradient, VECTOR, np.array([0, 1, 3, 7]), edge_order=order)
case(np.gradient, VECTOR[:2], edge_order=2)
POINTS, SAMPLES = np.array([-2.0, 0.1, 1, 2.4, 9]), np.array([0.5, 2, 4])
for period in (3.0, -5, 0, 4):
    case(np.interp, POINTS, SAMPLES, VECTOR[:3], period=period)
case(np.interp, POINTS, SAMPLES, VECTOR[:3] * 1j + 1)
case(np.interp, POINTS, SAMPLES, VECTOR[:3] * 1j + 1, left=2j, right=1)
case(np.interp, 1.5, SAMPLES, VECTOR[:3], period=3)
COUNTS = np.array([1, 2, 0, 3])
for w in ({"fweights": COUNTS}, {"aweights": COUNTS + 0.5}, {"fweights": COUNTS, "aweights": COUNTS + 0.5}):
    for ddof in (None, 0, 2):
        case(np.cov, FLOATS, ddof=ddof, **w)
case(np.cov, FLOATS, fweights=COUNTS - 1)
case(np.cov, FLOATS, fweights=COUNTS + 0.5)
case(np.cov, FLOATS, aweights=COUNTS[:2])
case(np.cov, np.ones((1, 0)), rowvar=False)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
