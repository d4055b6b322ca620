"""Shapes and views."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import FLOATS, VECTOR

case = Table()

for sh in ((12,), (2, -1), (2, 6), -1, (5, 5), (-1, -1), (2, 3, 2)):
    case(np.reshape, FLOATS, Static(sh))
    case(np.reshape, FLOATS, Static(sh), order="F")
case(np.transpose, FLOATS, Static((1, 0)))
case(np.transpose, FLOATS, Static((1, 1)))
case(np.transpose, FLOATS, Static((0,)))
case(np.moveaxis, np.zeros((2, 3, 4)), Static(0), Static(-1))
case(np.moveaxis, np.zeros((2, 3, 4)), Static((0, 1)), Static((-1, 0)))
case(np.rollaxis, np.arange(24.0).reshape(2, 3, 4), Static(2))
case(np.rollaxis, np.arange(24.0).reshape(2, 3, 4), Static(0), Static(3))
case(np.swapaxes, FLOATS, Static(0), Static(1))
case(np.swapaxes, FLOATS, Static(0), Static(2))
case(np.expand_dims, FLOATS, Static(0))
case(np.expand_dims, FLOATS, Static((0, 3)))
case(np.expand_dims, FLOATS, Static(5))
case(np.squeeze, FLOATS[None], Static(0))
case(np.squeeze, FLOATS[None], Static(1))
case(np.broadcast_to, VECTOR, Static((3, 4)))
case(np.broadcast_to, VECTOR, Static((3, 5)))
case(np.broadcast_arrays, VECTOR, FLOATS)
case(np.flip, FLOATS, Static(0))
case(np.flip, FLOATS, axis=(0, 1))
case(np.flip, FLOATS, axis=3)
for k in range(-1, 5):
    case(np.rot90, FLOATS, Static(k))
    case(np.diagonal, FLOATS, Static(k))
    case(np.trace, FLOATS, Static(k))
    case(np.rot90, np.arange(24).reshape(2, 3, 4), Static(k), Static((1, 2)))
case(np.diagonal, np.arange(24).reshape(2, 3, 4), Static(1), Static(0), Static(2))
case(np.diagonal, np.arange(18).reshape(2, 3, 3), Static(0), Static(1), Static(2))
case(np.diagonal, VECTOR)
case(np.diagonal, FLOATS, Static(-9))

case(np.matrix_transpose, FLOATS)
case(np.matrix_transpose, VECTOR)
case(np.linalg.matrix_transpose, FLOATS)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
