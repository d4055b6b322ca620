"""Searches of long sorted lines: each begins where the one before has ended, and finds what NumPy finds."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check

RNG = np.random.default_rng(9)


def places(line, values):
    return (
        np.searchsorted(line, values),
        np.searchsorted(line, values * 1, side="right"),
        np.searchsorted(line, values[-1]),
    )


def values_like(line, order):
    found = np.concatenate([line[:90], line[-40:], line[::17], RNG.random(130).astype(line.dtype)])
    return {"random": RNG.permutation(found), "up": np.sort(found), "down": np.sort(found)[::-1]}[order]


@pytest.mark.parametrize("order", ["random", "up", "down"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_places(dtype, order):
    line = np.sort((RNG.random(1400) * 200).astype(dtype))
    check(places, line, values_like(line, order))
    if np.dtype(dtype).kind == "f":
        line[-30:], line[:3] = np.nan, -np.inf
        check(places, line, values_like(line, order))


def interpolated(x, line, heights):
    rows = np.interp(x.reshape(10, -1) * 2, line, heights)
    return rows, np.digitize(x, line), np.searchsorted(line[: int(x[0] * 100) + 1100], x)


def test_values_of_several_axes_and_lines_of_run_time_length():
    line = np.sort(RNG.random(1300))
    x = RNG.random(400)
    check(interpolated, x, line, RNG.random(1300))
    assert all(map(np.array_equal, jit(places, native_loops=False)(line, x), places(line, x)))


def parts_of_lines(line, x, count):
    return np.searchsorted(line[:count], x), np.searchsorted(line[:count], x, side="right"), np.digitize(x, line[::-1])


@pytest.mark.parametrize("size", [9, 33, 257, 300])
def test_lines_that_take_few_steps(size):
    line = np.sort(RNG.integers(0, 40, size) / 2.0)
    x = np.concatenate([line[::-3], RNG.random(60) * 25 - 2, [np.nan, np.inf, -np.inf]])
    for count in (size, size - 1, 20, 7, 1, 0):
        check(parts_of_lines, line, x, count)


def test_a_line_of_nan_alone():
    check(places, np.full(50, np.nan), np.concatenate([RNG.random(80), [np.nan]]))
