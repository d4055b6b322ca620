"""Means, spreads and order statistics."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import FLOATS, OPERANDS, VECTOR

case = Table()

for X in (*OPERANDS, np.ones((2, 3), "f2"), np.array([[1, np.nan], [2, 3]])):
    for f in (np.mean, np.var, np.std, np.median, np.average):
        case(f, X)
    for kd in (True, False):
        case(np.mean, X, axis=0, keepdims=kd)
        case(np.var, X, axis=-1, ddof=1, keepdims=kd)
        case(np.median, X, axis=0, keepdims=kd)
        case(np.quantile, X, Static(0.3), axis=0, keepdims=kd)
        case(np.quantile, X, Static([0.3, 0.7]), axis=-1, keepdims=kd)
        case(np.percentile, X, Static(50), keepdims=kd)
        case(np.percentile, X, 30.0, keepdims=kd)
    case(np.mean, X, where=np.asarray(X) > 0)
    case(np.std, X, where=np.asarray(X) > 0)
    case(np.mean, X, dtype="f4")
    case(np.average, X, weights=np.abs(np.asarray(X)) + 1)
    case(np.average, X, returned=True)
case(np.average, FLOATS, axis=0, weights=np.array([1, 2, 3]))
case(np.average, FLOATS, axis=1, weights=VECTOR, returned=True)
case(np.average, FLOATS, axis=1, weights=VECTOR * 0)
case(np.average, FLOATS, weights=VECTOR)
case(np.average, np.zeros((3, 0)), axis=0)
case(np.var, np.array([6e4, 6e4, 5e4], "f2"))  # the mean of which overflows
case(np.std, np.array([1, 2, 300], "f2"), ddof=1)
case(np.quantile, FLOATS, Static(1.5))
case(np.quantile, FLOATS, 1.5)
case(np.median, FLOATS, axis=5)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
