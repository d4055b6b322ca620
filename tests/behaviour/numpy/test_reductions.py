"""Reductions over axes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Table
from tests.behaviour.numpy.samples import ARRAYS, FLOATS, VECTOR
from tests.equivalence import check, check_calls

case = Table()

for X in ARRAYS:
    for ax in (0, 1, -1, (0, 1), 2, (0, 0), ()):
        for kd in (True, False):
            for f in (np.sum, np.prod, np.max, np.min, np.any, np.all, np.count_nonzero, np.ptp):
                case(f, X, axis=ax, keepdims=kd)
            if not isinstance(ax, tuple):
                for f in (np.argmax, np.argmin):
                    case(f, X, axis=ax, keepdims=kd)
    case(np.sum, X, dtype="f4")
    case(np.sum, X, initial=3, where=X > 0)
    case(np.max, X, initial=1, where=X > 0)
    case(np.max, X, where=X > 0)
    case(np.sum, X[..., :1], where=X > 0)
case(np.cumulative_sum, VECTOR)
case(np.cumulative_sum, FLOATS, axis=1, include_initial=True)
case(np.cumulative_prod, FLOATS, axis=0)
case(np.cumulative_sum, FLOATS)
HALVES = np.array([[1.0, 1.5, 0.5], [0.0, 2.0, 1.5]], np.float32)
for f in (np.sum, np.prod, np.max, np.any):
    for out in (np.zeros(2, np.int64), np.zeros(2, np.int8), np.zeros(2), np.zeros(2, bool)):
        case(f, HALVES, axis=1, out=out)
        case(f, HALVES > 1, axis=1, out=out)
case(np.cumsum, HALVES, axis=1)
for out in (np.zeros((2, 3), np.int64), np.zeros((2, 3), np.float32)):
    case(np.cumsum, HALVES, axis=1, out=out)
    case(np.add.accumulate, HALVES, axis=1, out=out)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int16, np.uint16])
def test_sums_of_narrow_ints_are_wide(dtype):
    least, most = (False, True) if dtype is bool else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    sums = [np.full((70_000, 2), value, dtype) for value in (least, most)]
    check_calls(lambda x: (x.sum(), x.sum(0), np.add.reduce(x, 1, initial=2**40)), *[(x,) for x in sums])
    check(lambda x: (np.count_nonzero(x), x.sum(dtype=np.int8), x[:0].sum()), np.full(300, most, dtype))
