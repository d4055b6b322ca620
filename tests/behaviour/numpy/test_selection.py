"""Choosing elements."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import BYTES, FLOATS, INTS, SCALAR, TRUTHS, VECTOR

case = Table()

case(np.where, TRUTHS, FLOATS, INTS)
case(np.where, TRUTHS, 1, 2.0)
case(np.where, TRUTHS, BYTES, 1)
case(np.where, True, FLOATS, 0)
case(np.where, SCALAR, 1, 2)
case(np.where, FLOATS, VECTOR, 0)
case(np.clip, FLOATS, -1, 1)
case(np.clip, INTS, 0, 2)
case(np.clip, BYTES, 2, None)
case(np.clip, FLOATS, None, 0.5)
case(np.clip, BYTES, -1, 3)
case(np.clip, BYTES, 1, 300)
case(np.clip, BYTES, -1, None)
case(np.clip, BYTES, None, 2.5)
case(np.clip, BYTES, 300, 400)
case(np.clip, BYTES, -5, -1)
case(np.clip, INTS.astype(np.int32), -(2**40), 2**40)
case(np.clip, INTS, 0.5, 2)
case(np.clip, FLOATS, VECTOR, 1)
case(np.clip, 3, 0, 2)
case(np.select, [FLOATS > 0, FLOATS < -1], [FLOATS, INTS])
case(np.select, [FLOATS > 0, FLOATS < -1], [FLOATS, INTS], default=7)
for default in (-2, Static(-2), Static(300), Static(2**63)):
    case(np.select, [np.array([True, False])], [np.array([1, 2], np.uint8)], default=default)
case(np.take, FLOATS, Static([0, 2]))
case(np.take, FLOATS, np.array([0, -2]), axis=1)
case(np.take, FLOATS, np.array([0, 9]), axis=1)
case(np.take, np.zeros((0, 1, 1)), -3, axis=1)
case(np.take, np.zeros((1, 1, 0)), -3, axis=1)
case(np.take, FLOATS, np.array([0, 9]), axis=1, mode="clip")
case(np.take, FLOATS, np.array([0, 9]), axis=1, mode="wrap")
case(np.take, FLOATS, 5)
case(np.take, FLOATS, np.array([[0, 1], [1, 1]]), axis=0)
case(np.take_along_axis, FLOATS, np.argsort(FLOATS, 1), Static(1))
case(np.take_along_axis, FLOATS, np.argsort(FLOATS, 0), axis=0)
case(np.take_along_axis, FLOATS[:1], np.array([[1], [0], [-1]]), Static(1))
case(np.take_along_axis, FLOATS, np.array([[1, 0, 2, 1]]), Static(1))
case(np.take_along_axis, FLOATS[:1, None], np.argsort(FLOATS[:, :2, None], 1), Static(2))
case(np.take_along_axis, FLOATS[:1, None], np.zeros((3, 2, 1), int), Static(0))
case(np.take_along_axis, FLOATS[:1], np.array([[1], [9]]), Static(1))
case(np.take_along_axis, FLOATS[:2], np.array([[1], [0], [1]]), Static(1))
case(np.put_along_axis, FLOATS[:1], np.array([[1], [0], [-1]]), 99, Static(1))
case(np.put_along_axis, FLOATS[:1], np.array([[1], [0], [1]]), np.array([[1], [2], [3]]), Static(1))
case(np.put_along_axis, FLOATS[:1], np.array([[1], [0], [9]]), 99, Static(1))
case(np.put_along_axis, FLOATS[:2], np.array([[1], [0], [1]]), 99, Static(1))
case(np.put_along_axis, FLOATS, np.argsort(FLOATS, 1), INTS, Static(1))
case(np.put_along_axis, FLOATS, np.argmax(FLOATS, 1, keepdims=True), 99, Static(1))
case(np.choose, np.array([0, 1, 2, 0]), [VECTOR, VECTOR * 2, VECTOR * 3])
case(np.choose, 2, [1, np.zeros(0)])
case(np.choose, np.array([0, 1, 3, 0]), [VECTOR, VECTOR * 2, VECTOR * 3])
case(np.choose, np.array([0, -1, 2, 0]), [VECTOR, VECTOR * 2, VECTOR * 3])
case(np.choose, np.array([0, -1, 5, 0]), [VECTOR, VECTOR * 2, VECTOR * 3], mode="wrap")
case(np.choose, np.array([0, -1, 5, 0]), [VECTOR, VECTOR * 2, VECTOR * 3], mode="clip")
case(np.compress, Static([True, False, True]), FLOATS, axis=0)
case(np.extract, Static(TRUTHS), FLOATS)

case(np.piecewise, FLOATS, [FLOATS > 0, FLOATS < -1], Static([1, -1]))
case(np.piecewise, FLOATS, [FLOATS > 0, FLOATS < -1], Static([1, -1, 5]))
case(np.piecewise, FLOATS, [FLOATS > 0], Static([1, 2, 3]))
case(np.piecewise, FLOATS, [FLOATS > 0], Static([np.sin]))
for index in (5, np.array([0, 5, 11]), 12, -1, 1.5):
    case(np.unravel_index, index, Static((3, 4)))
case(np.ravel_multi_index, (np.array([0, 1]), np.array([2, 3])), Static((3, 4)))
case(np.ravel_multi_index, (np.array([0, 5]), np.array([2, 3])), Static((3, 4)))
case(np.ravel_multi_index, (np.array([0, 5]), np.array([2, 9])), Static((3, 4)), mode="wrap")
case(np.ravel_multi_index, (np.array([0, 5]), np.array([2, 9])), Static((3, 4)), mode=("clip", "wrap"))
case(np.ravel_multi_index, (1, 2), Static((3, 4)))
for places in (np.array([1, 5, 11]), 7, np.array([12]), np.array([[1, 2], [3, 4]])):
    case(np.unravel_index, places, Static((3, 4)), order="F")
case(np.ravel_multi_index, [np.array([1, 2]), np.array([3, 0])], Static((3, 4)), order="F")
case(np.ravel_multi_index, [np.array([1, 2]), np.array([3, 5])], Static((3, 4)), order="F", mode=("raise", "wrap"))
case(np.ravel_multi_index, [np.array([1, 2]), np.array([3, 5])], Static((3, 4)), order="X")
case(np.clip, FLOATS, Static(-0.5), Static(0.5), dtype="f4")
case(np.clip, INTS, Static(0), Static(2), dtype="f8")
case(np.clip, FLOATS, FLOATS * 0, 1.0, dtype="i4")
case(np.put, INTS, np.array([0, -99]), np.zeros(0, int))


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
