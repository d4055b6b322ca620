"""Systems of linear equations, inverses, determinants, least squares."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.stacks import (
    COMPLEX,
    DEEP,
    DEFINITE,
    DEPENDENT,
    INTS,
    NANS,
    NO_STACK,
    NONE,
    RECTANGLES,
    SINGULAR,
    SQUARE,
    SQUARES,
    STACK,
    TALL,
    WRONG,
)

case = Table()
VECTOR = np.array([1.0, -2, 0.5])

for A in (*SQUARES, *WRONG, SINGULAR, SINGULAR[1], NANS):
    for f in (np.linalg.inv, np.linalg.det, np.linalg.slogdet):
        case(f, A)
for A in (SQUARE, STACK, COMPLEX, STACK.astype(np.float32), NO_STACK, SINGULAR):
    for B in (VECTOR, VECTOR * 1j, VECTOR.astype(np.float32), np.arange(3), np.ones((3, 2)), np.ones((3, 0)), STACK):
        case(np.linalg.solve, A, B)
case(np.linalg.solve, STACK, STACK[:, :, :1])
case(np.linalg.solve, DEEP, np.ones((5, 4, 2)))
case(np.linalg.solve, INTS, [1, 2, 3, 4])
case(np.linalg.solve, NONE, np.zeros(0))
case(np.linalg.solve, np.eye(40)[::-1] * 9 + np.tri(40) / 9, np.arange(40.0))
case(np.linalg.solve, np.random.default_rng(3).normal(size=(2, 60, 60)), np.ones((60, 2)))
for B in (np.float64(1), np.ones(2), np.ones((2, 3)), np.ones((4, 3, 1))):
    case(np.linalg.solve, STACK, B)
for A in WRONG:
    case(np.linalg.solve, A, VECTOR)
CUBE = np.random.default_rng(4).normal(size=(2, 3, 6))
case(np.linalg.tensorsolve, CUBE, np.ones((2, 3)))
case(np.linalg.tensorsolve, CUBE.transpose(2, 0, 1), np.ones((2, 3)), axes=Static((0,)))
case(np.linalg.tensorsolve, CUBE, np.ones(2))
case(np.linalg.tensorinv, CUBE)
case(np.linalg.tensorinv, CUBE.transpose(2, 0, 1), ind=Static(1))
case(np.linalg.tensorinv, CUBE, ind=Static(0))
case(np.linalg.tensorinv, CUBE, ind=Static(1))

for A in (*SQUARES, *RECTANGLES, SINGULAR, NANS, np.ones(3)):
    case(np.linalg.pinv, A)
    case(np.linalg.pinv, A, Static(1e-3))
    case(np.linalg.pinv, A, rtol=Static(None))
case(np.linalg.pinv, STACK, np.array([0.1, 0.9]))
case(np.linalg.pinv, STACK, 0.2)
case(np.linalg.pinv, DEFINITE, hermitian=Static(True))
case(np.linalg.pinv, SQUARE, Static(1e-3), rtol=Static(1e-3))

for A in (SQUARE, TALL, TALL.T, DEPENDENT, DEPENDENT * 0, TALL.astype(np.float32), TALL * 1j, TALL * np.nan, INTS):
    for B in (np.arange(1.0, len(A) + 1), np.arange(len(A) * 2).reshape(-1, 2), np.ones((len(A), 0))):
        case(np.linalg.lstsq, A, B)
        case(np.linalg.lstsq, A, B, Static(0.5))
        case(np.linalg.lstsq, A, B.astype(np.float32), Static(-1))
for shape in ((0, 3), (3, 0), (0, 0)):
    case(np.linalg.lstsq, np.zeros(shape), np.ones(shape[0]))
    case(np.linalg.lstsq, np.zeros(shape), np.ones((shape[0], 2)))
case(np.linalg.lstsq, TALL, np.ones(5), 0.9)
case(np.linalg.lstsq, TALL, np.ones(4))
case(np.linalg.lstsq, STACK, np.ones(3))
case(np.linalg.lstsq, TALL, np.float64(3))
for n in (-1, -2, -5):
    case(np.linalg.matrix_power, STACK, Static(n))
    case(np.linalg.matrix_power, INTS, Static(n))
    case(np.linalg.matrix_power, SINGULAR, Static(n))
case(np.linalg.matrix_power, STACK, Static(1.5))


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
