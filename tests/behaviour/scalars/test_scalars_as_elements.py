"""NumPy's scalars as elements of arrays of integers: what is too large raises where the elements have a sign."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.testing.compare_outcomes import Tolerance
from tests.equivalence import Outcome, alike, check

WIDE = np.array([1, 2**40, 3])
NEGATIVE = np.array([3, -226, 3])
FLOATS = np.array([2.0, 300.0, np.nan])
SHORT = np.array([1, 200, 3], np.uint8)


def one(a, x, k):
    a[k] = x[k]
    return a


def one_by_one(a, x, k):
    for i in range(k + 1):
        a[i] = x[i]
    return a


def added(a, x, k):
    a[k] += x[k]
    return a


def part(a, x, k):
    a[: k + 1] = x[k]
    return a


def whole(a, x, k):
    a[...] = x[k]
    return a


def either(a, x, k):
    a[k] = x[k] if k else a[0]
    return a


def listed(a, x, k):
    return np.array([x[k], x[0]], a.dtype)


def masked(a, x, k):
    a[np.array([True, False, True])] = x[k]
    a[[0, 1]] = x[k]
    return a


def of_an_array(a, x, k):
    a[:2] = x[:2]
    return a + x[k].astype(a.dtype)


@pytest.mark.parametrize("function", [one, one_by_one, added, part, whole, either, listed, masked, of_an_array])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32])
def test_as_numpy(function, dtype):
    f = jit(function)
    for x in (WIDE, NEGATIVE, FLOATS, SHORT):
        for k in (1, 2, 0):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                want = Outcome(function, (np.zeros(3, dtype), x, k), {})
                alike(want, Outcome(f, (np.zeros(3, dtype), x, k), {}), Tolerance(0))


@pytest.mark.parametrize("native", [True, False])
def test_it_raises_before_anything_is_written(native):
    a = np.array([7, 8, 9], np.int16)
    with pytest.raises(OverflowError, match="Python integer 1099511627776 out of bounds for int16"):
        jit(one_by_one, native_loops=native)(a, WIDE, 2)
    check(one_by_one, np.array([7, 8, 9], np.int64), WIDE, 2)
