"""Diagonals, triangles and polynomials."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import FLOATS, INTS, VECTOR
from tests.equivalence import check

case = Table()

case(np.diag, VECTOR)
case(np.diag, VECTOR, Static(1))
case(np.diag, VECTOR, Static(-2))
case(np.diag, FLOATS)
case(np.diag, FLOATS, Static(1))
case(np.diag, np.zeros((2, 2, 2)))
case(np.diagflat, FLOATS, Static(1))
case(np.diagflat, 3)
for k in (-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 5):
    case(np.tril, FLOATS, Static(k))
    case(np.triu, INTS, Static(k))
    case(np.tril, np.ones((2, 3, 4)), Static(k))
    case(np.triu, VECTOR, Static(k))
case(np.vander, VECTOR)
case(np.vander, INTS[0], Static(3))
case(np.vander, INTS[0], increasing=True)
case(np.polyval, VECTOR, FLOATS)
case(np.polyval, [1, 2, 3], FLOATS)
case(np.polyval, VECTOR, 2.0)
case(np.polyval, INTS[0], 3)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_objects():
    def f(x):
        m = np.matrix(x)
        return m * m.T, (m * np.matrix([[1.0], [2.0]])).A, np.bmat([[x, x]])

    check(f, np.array([[1.0, 2.0], [3.0, 4.0]]))


def test_matrices_that_share_memory_are_refused():
    with pytest.raises(UnsupportedOperationError, match=r"np\.matrix, which copies"):
        jit(lambda x: np.asmatrix(x))(np.eye(2))
