"""Products of vectors and matrices."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import COMPLEX, CUBE, EMPTY, FLOATS, INTS, SCALAR, SINGLE, TALL, TRUTHS, VECTOR
from tests.equivalence import check

case = Table()

for X, Y in (
    (FLOATS, TALL),
    (FLOATS, VECTOR),
    (VECTOR, TALL),
    (VECTOR, VECTOR),
    (CUBE, TALL),
    (CUBE, VECTOR),
    (FLOATS, FLOATS),
    (VECTOR, CUBE),
    (CUBE, np.ones((2, 4, 5))),
    (CUBE, np.ones((3, 4, 5))),
    (SCALAR, FLOATS),
    (FLOATS, SCALAR),
    (INTS, TALL),
    (TRUTHS, TRUTHS.T),
    (TRUTHS, TRUTHS[0]),
    (TRUTHS[:, 0], TRUTHS),
    (TRUTHS[0], TRUTHS[1]),
    (TRUTHS[0], ~TRUTHS[0]),
    (CUBE % 3 > 1, CUBE[0, 0] % 2 > 0),
    (TRUTHS[:, :0], TRUTHS[0, :0]),
    (SINGLE, TALL),
    (EMPTY, np.ones((3, 2))),
    (np.ones((2, 0)), np.ones((0, 3))),
):
    for f in (np.matmul, np.dot, np.inner, np.tensordot, np.vdot, np.outer, np.kron):
        case(f, X, Y)
for X, Y in (
    (np.ones((3, 1, 2, 4)), np.arange(12.0).reshape(4, 3)),
    (np.arange(8.0).reshape(2, 4), np.arange(120.0).reshape(5, 2, 4, 3)),
    (np.arange(24.0).reshape(3, 1, 2, 4), np.arange(60.0).reshape(1, 5, 4, 3)),
    (np.arange(48.0).reshape(2, 3, 2, 4), np.arange(24.0).reshape(2, 1, 4, 3)),
    (np.arange(48.0).reshape(1, 2, 3, 2, 4), np.arange(96.0).reshape(4, 2, 1, 4, 3)),
):
    case(np.matmul, X, Y)
case(np.tensordot, FLOATS, TALL, axes=1)
case(np.tensordot, CUBE, FLOATS, axes=([1, 2], [0, 1]))
case(np.tensordot, CUBE, FLOATS, axes=([0, 1], [0, 1]))
case(np.tensordot, FLOATS, FLOATS, axes=0)
case(np.cross, FLOATS[:, :3], FLOATS[:, :3])
case(np.cross, FLOATS, FLOATS)
case(np.cross, FLOATS[:, :3].T.copy(), FLOATS[:, :3], axisa=0)
case(np.linalg.multi_dot, [FLOATS, TALL, FLOATS])
case(np.linalg.multi_dot, [VECTOR, TALL, FLOATS, VECTOR])
case(np.linalg.matrix_power, FLOATS[:, :3], Static(3))
case(np.linalg.matrix_power, FLOATS[:, :3], Static(0))
case(np.linalg.matrix_power, FLOATS, Static(2))
case(np.vecdot, FLOATS, FLOATS)
case(np.vecdot, COMPLEX, COMPLEX)
case(np.matvec, FLOATS, VECTOR)
case(np.vecmat, VECTOR, TALL)
case(np.linalg.outer, VECTOR, VECTOR)

case(np.linalg.matmul, FLOATS, TALL)
case(np.linalg.vecdot, COMPLEX, COMPLEX)
case(np.linalg.tensordot, FLOATS, TALL, axes=1)
case(np.linalg.trace, CUBE)
case(np.linalg.trace, FLOATS, offset=1)
case(np.linalg.cross, FLOATS[:, :3], FLOATS[:, :3])
case(np.linalg.cross, FLOATS[:, :2], FLOATS[:, :2])
case(np.linalg.diagonal, CUBE)

# The order of the products shows in the rounding.
case(np.linalg.multi_dot, [SINGLE.T, SINGLE, TALL, FLOATS])
case(np.linalg.multi_dot, [VECTOR, TALL, FLOATS])
case(np.linalg.multi_dot, [VECTOR, TALL, FLOATS, VECTOR])
case(np.linalg.multi_dot, [VECTOR, CUBE, FLOATS])


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)


@pytest.mark.parametrize("shape", [(5,), (2, 3), (0,), (4, 2), (3, 1)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_products_are_repeated_over_an_output(shape: tuple[int, ...], dtype: type) -> None:
    def of_vectors(a):
        out = np.zeros(shape, dtype)
        made = np.matmul(a, a, out=out), np.vecdot(a, a + 1, out=out)
        return made, out, made[0] is out

    def of_a_matrix(a):
        return np.matmul(a[:2, None], a[None, 0], out=np.zeros(shape, dtype))

    check(of_vectors, VECTOR)
    check(of_a_matrix, VECTOR)
