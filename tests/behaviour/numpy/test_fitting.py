"""Zeros of polynomials, and polynomials through points."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import CUBE, FLOATS

case = Table()
X = np.linspace(-1, 2, 9)
Y = np.sin(X)
PAIRS = np.stack([Y, X**2], axis=1)
WEIGHTS = np.linspace(0.5, 2, 9)

# NumPy before 2.5 gives real arrays of real zeros, so some of these are complex.
for p in ([1.0, 0.5, 3], [2, 1, 4], np.array([1, 2, 3], np.float32), [1j, 2, 3, 4.5]):
    case(np.roots, np.asarray(p))
case(np.roots, np.array([5.0]))
case(np.roots, FLOATS)
case.refuses("begin with zero", np.roots, np.array([0.0, 1, 2]))
case.refuses("end with zero", np.roots, np.array([1.0, 2, 0]))
for matrix in (FLOATS[:, :3], FLOATS[:, :3].astype(np.float32), np.array([[0, 1], [-1, 0]])):
    case(np.poly, matrix)
case.refuses("complex", np.poly, FLOATS[:, :3] * 1j)

for y in (Y, PAIRS, Y.astype(np.float32), Y * 1j, np.arange(9)):
    for deg in (0, 1, 3):
        case(np.polyfit, X, y, Static(deg))
        case(np.polyfit, X, y, Static(deg), full=Static(True))
        case(np.polyfit, X, y, Static(deg), w=WEIGHTS)
        case(np.polyfit, X, y, Static(deg), cov=Static(True))
        case(np.polyfit, X, y, Static(deg), cov=Static("unscaled"), w=WEIGHTS)
case(np.polyfit, X.astype(np.float32), Y.astype(np.float32), Static(2))
case(np.polyfit, np.ones(9), Y, Static(2), full=Static(True))
case(np.polyfit, np.ones(9), Y, Static(2), Static(1e-2))
case(np.polyfit, X[:2], Y[:2], Static(1), cov=Static(True))
case(np.polyfit, X, Y, Static(-1))
case(np.polyfit, FLOATS, Y, Static(1))
case(np.polyfit, X, CUBE, Static(1))
case(np.polyfit, X[:0], Y[:0], Static(1))
case(np.polyfit, X, Y[1:], Static(1))
case(np.polyfit, X, Y, Static(1), w=PAIRS)
case(np.polyfit, X, Y, Static(1), w=X[1:])


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
