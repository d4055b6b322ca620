"""New contents of arguments that are computed from what these held, in their own memory."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check


def scaled(x, y):
    x *= 0.5
    y += x
    return x


def exchanged(x, y):
    x[:], y[:] = y.copy(), x.copy()


def differences(x, y):
    x[:], y[:] = x + y, x - y
    return x.sum()


def held_before(x, y):
    before = x.copy()
    x += 1
    y += before
    return before


def twice_the_same(x, y):
    z = x * y
    x[:] = z
    return z


def moved(x, y):
    x[:] = x[::-1] + y[0]
    y[1:] = y[:-1] * 2
    y -= x


def chosen(x, y):
    x[x < 0] = 0
    np.multiply(x, y, out=y)
    return (x > y).sum()


def parts(x, y):
    x[1:-1] = x[:-2] + x[2:] * y[0]
    y[::2] = 7
    x[3] = y[1]


def may_fail(x, y):
    x += 1
    y[int(abs(x[0]))] = 3
    y += x


@pytest.mark.parametrize("size", [6, 40, 3000])
@pytest.mark.parametrize(
    "program", [scaled, exchanged, differences, held_before, twice_the_same, moved, chosen, parts, may_fail]
)
def test_arguments_and_results(program, size):
    x = np.arange(size) - 2.5
    check(program, x, np.cos(x))
    check(program, np.repeat(x, 2)[::2], np.cos(x)[::-1])


@pytest.mark.parametrize(
    ("program", "places"),
    [(scaled, [0, 1]), (differences, [1]), (exchanged, []), (chosen, [0, 1]), (held_before, [1]), (parts, [0, 1])],
)
def test_no_other_memory_is_taken(program, places):
    found = jit(program).lower(np.ones(3000), np.ones(3000)).native_program().begins
    assert sorted(place for place in found if place is not None) == places
