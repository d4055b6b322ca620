"""Reductions over windows known only at run time as machine code: loops over the windows alone, also at their ends."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check

SIZE = 300
BOUNDS = np.array([[0, 0], [0, 1], [0, SIZE], [SIZE, SIZE], [7, 3], [SIZE - 1, SIZE], [2, 35], [-5, SIZE], [3, 999]])


def sums(a, b, bounds):
    out = np.zeros(len(bounds), a.dtype)
    for i in range(len(bounds)):
        low, high = bounds[i, 0], bounds[i, 1]
        out[i] = (a[low:high] * b[low:high]).sum()
    return out


def products(a, grid, bounds):
    out = np.zeros((len(bounds), 3), a.dtype)
    for i in range(len(bounds)):
        high = bounds[i, 1] % SIZE
        out[i, 0] = grid[i, :high] @ grid[i + 1, :high]
        out[i, 1] = a[:high] @ grid[:high, i]
        out[i, 2] = grid[i, high:] @ a[high:]
    return out


def extremes(a, bounds):
    out = np.zeros((len(bounds), 3), a.dtype)
    for i in range(len(bounds)):
        if 0 <= bounds[i, 0] < bounds[i, 1]:
            part = a[bounds[i, 0] : bounds[i, 1]]
            out[i, 0] = (part * 2).max()
            out[i, 1] = (part + bounds[i, 0]).min()
            out[i, 2] = (part % 3 + 1).prod()
    return out


def truths(a, bounds):
    out = np.zeros((len(bounds), 2), np.bool_)
    for i in range(len(bounds)):
        part = a[bounds[i, 0] : bounds[i, 1]]
        out[i, 0] = (part > 4).any()
        out[i, 1] = (part > 1).all()
    return out


def written_meanwhile(a):
    for i in range(1, len(a)):
        a[i] = a[i] + (a[:i] * 0.5).sum() / i
    return a


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.float32])
def test_windows(rng, dtype):
    a, b = ((rng.random(SIZE) * 9).astype(dtype) for _ in range(2))
    grid = (rng.random((SIZE, SIZE)) * 9).astype(dtype)
    for function, args in ((sums, (a, b)), (products, (a, grid)), (extremes, (a,)), (truths, (a,))):
        lowered = jit(function).lower(*args, BOUNDS)
        assert lowered.native_program() is not None
        with np.errstate(all="ignore"):
            check(function, *args, BOUNDS)


def test_an_array_that_is_written_between_windows(rng):
    check(written_meanwhile, rng.random(SIZE))


def test_numbers_that_are_none(rng):
    a = rng.random(SIZE)
    a[[3, 20]] = np.nan, np.inf
    with np.errstate(all="ignore"):
        check(sums, a, a, BOUNDS)
        check(extremes, a, BOUNDS)


@pytest.mark.parametrize("function", [sums, products, extremes, truths])
def test_windows_are_reduced_as_such(rng, function):
    grid = rng.random((SIZE, SIZE))
    args = {sums: (grid[0], grid[1]), products: (grid[0], grid)}.get(function, (grid[0],))
    assert "windowed_reduce" in str(jit(function).lower(*args, BOUNDS).program)
