"""Counting values in bins."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import BYTES, EMPTY, FLOATS, INTS, NANS, SINGLE, TALL, TRUTHS, VECTOR

case = Table()

for b in (4, [-1.0, 0, 0.5, 2], [0, 0, 1]):
    for X in (FLOATS, INTS, SINGLE, BYTES, EMPTY, TRUTHS):
        numbers = np.arange(X.size).reshape(X.shape)
        case(np.histogram, X, Static(b))
        case(np.histogram, X, Static(b), density=True)
        case(np.histogram, X, Static(b), range=(-1, 2))
        case(np.histogram, X, Static(b), weights=numbers)
        case(np.histogram, X, Static(b), weights=numbers * 1j)
        case(np.histogram, X, np.array(b) if isinstance(b, list) else Static(b))
        case(np.histogram_bin_edges, X, Static(b))
case(np.histogram, FLOATS, Static(0))
case(np.histogram, FLOATS, Static(2.5))
case(np.histogram, FLOATS, Static(3), range=(2, 1))
case(np.histogram, FLOATS, Static(3), range=(1, 1))
case(np.histogram, FLOATS, np.array([1.0, 0]))
case(np.histogram, FLOATS, Static(3), weights=VECTOR)
case(np.histogram, NANS, Static(3))
case(np.histogram, NANS, Static([0, 1, 3]))
case(np.histogram, np.ones(3), Static(3))
case.refuses("'auto'", np.histogram, FLOATS, Static("auto"))
case(np.histogram, FLOATS, 3)
case(np.bincount, np.array([3, 0, 3, 1]))
case(np.bincount, np.array([3, 0, 3, 1], np.uint8), minlength=7)
case(np.bincount, np.array([True, False, True]))
case(np.bincount, np.array([3, 0, 3, 1]), np.array([0.5, 2, 3, 1]))
case(np.bincount, np.array([3, 0, 3, 1]), np.array([0.5, 2, 3]))
case(np.bincount, np.array([3, 0, -3, 1]))
case(np.bincount, np.zeros(0, int), minlength=3)
case(np.bincount, np.zeros(3))
case(np.bincount, np.zeros((2, 2), int))
case(np.bincount, np.array([1, 2]), minlength=-1)
case(np.bincount, np.array([1, 2]), np.array([1j, 2]))
case(np.histogramdd, TALL)
case(np.histogramdd, TALL, Static((2, 3, [0, 1, 2])))
case(np.histogramdd, TALL, Static(2), density=True)
case(np.histogramdd, TALL, Static(2), weights=VECTOR)
case(np.histogramdd, TALL, Static(2), range=((0, 1), (0, 2), None))
case(np.histogramdd, TALL, Static((2, 3)))
case(np.histogramdd, [VECTOR, VECTOR + 1], Static(2))
case(np.histogram2d, VECTOR, VECTOR**2)
case(np.histogram2d, VECTOR, VECTOR**2, Static((2, 3)))
case(np.histogram2d, VECTOR, VECTOR**2, Static([0, 1, 2]))
case(np.histogram2d, VECTOR, VECTOR**2, Static(3), density=True, weights=VECTOR)
case(np.histogram2d, VECTOR, VECTOR[:2])


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
