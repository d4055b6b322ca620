"""Factorings, eigenvalues and singular values."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.stacks import (
    COMPLEX,
    DEFINITE,
    DEPENDENT,
    HERMITIAN,
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

for A in (*SQUARES, *WRONG, -DEFINITE):
    for upper in (False, True):
        case(np.linalg.cholesky, A, upper=Static(upper))
for A in (*SQUARES, *WRONG):
    for f in (np.linalg.eigh, np.linalg.eigvalsh):
        case(f, A)
        case(f, A, Static("u"))
for f in (np.linalg.eigh, np.linalg.eigvalsh):
    case(f, SQUARE, Static("x"))
for A in (COMPLEX, COMPLEX.astype(np.complex64), np.array([[0.0, 1], [-1, 0]]), *WRONG, NANS, np.eye(2) * np.inf):
    for f in (np.linalg.eig, np.linalg.eigvals):
        case(f, A)
for A in (*SQUARES, *RECTANGLES, *WRONG, NANS):
    for mode in ("reduced", "complete", "r", "raw"):
        case(np.linalg.qr, A, Static(mode))
    for full in (True, False):
        case(np.linalg.svd, A, Static(full))
    case(np.linalg.svd, A, compute_uv=Static(False))
    case(np.linalg.svdvals, A)
    case(np.linalg.matrix_rank, A)
    case(np.linalg.matrix_rank, A, Static(0.5))
    for p in (None, 2, -2, 1, -1, np.inf, -np.inf, "fro"):
        if A is not NANS:
            case(np.linalg.cond, A, Static(p))
case(np.linalg.qr, SQUARE, Static("other"))
case.refuses("write mode='reduced'", np.linalg.qr, SQUARE, Static("full"))
for A in (DEFINITE, HERMITIAN, DEFINITE - 3 * np.eye(3), NONE, NO_STACK):
    case(np.linalg.svd, A, hermitian=Static(True))
    case(np.linalg.svd, A, compute_uv=Static(False), hermitian=Static(True))
    case(np.linalg.matrix_rank, A, hermitian=Static(True))
case(np.linalg.matrix_rank, STACK, np.array([0.1, 2.0]))
case(np.linalg.matrix_rank, STACK, rtol=np.array([0.1, 0.9]))
case(np.linalg.matrix_rank, STACK, 0.1)
case(np.linalg.matrix_rank, STACK, Static(0.1), rtol=Static(0.1))
for A in (np.zeros(3), np.float64(0), DEPENDENT, INTS):
    case(np.linalg.matrix_rank, A)
for p in (1, 2, np.inf, "fro", None):
    case(np.linalg.cond, SINGULAR, Static(p))
case(np.linalg.cond, TALL, Static(-2))


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
