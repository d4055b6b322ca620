"""Tests joined by `and` and `or` in inner loops: whatever the parts read, the answer is Python's."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.native.joined_tests import with_joined_tests
from anabranch.runtime.ops.control import COND
from anabranch.runtime.ops.structured import all_equations
from tests.equivalence import check

RNG = np.random.default_rng(5)


def overlapping(boxes):
    count = 0
    for i in range(len(boxes)):
        for j in range(i + 1, len(boxes)):
            if boxes[i, 0] <= boxes[j, 1] and boxes[j, 0] <= boxes[i, 1] and boxes[i, 2] <= boxes[j, 3]:
                count += 1
    return count


def either(x, y, low):
    found = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] < low or (y[i] > x[i] and not y[i] - 1.0 > low):
            found[i] = x[i]
    return found


def neighbours(x, y):
    count = 0
    for i in range(len(x)):
        if i > 0 and x[i - 1] < x[i] and y[i] != 0:
            count += 1
        if (i + 1 < len(x) and x[i + 1] < x[i]) or y[i] == 2:
            count += 10
    return count


def indexed(x, places):
    count = 0
    for i in range(len(places)):
        if places[i] >= 0 and x[places[i]] > 0:
            count += 1
    return count


def first(x, y):
    for i in range(len(x)):
        if x[i] == 3 and y[i] == 2:
            return i
    return -1


def test_results():
    check(overlapping, RNG.standard_normal((30, 4)))
    holes = RNG.standard_normal((30, 4))
    holes[::3, 1] = np.nan
    check(overlapping, holes)
    x, y = RNG.standard_normal((2, 50))
    check(either, x, y, 0.1)
    ints, others = RNG.integers(0, 5, (2, 60))
    check(neighbours, ints, others)
    check(neighbours, ints[:1], others[:1])
    check(first, ints, others)
    check(indexed, x, RNG.integers(-2, 50, 40))
    check(indexed, x, np.array([3, -7, 50]))


@pytest.mark.parametrize(("function", "branches"), [(overlapping, 1), (either, 1), (first, 2)])
def test_parts_are_computed_in_loops_over_all_elements(function, branches):
    x = RNG.standard_normal(40)
    args = {overlapping: (RNG.standard_normal((30, 4)),), either: (x, x, 0.5), first: (x, x)}[function]
    program = with_joined_tests(jit(function).lower(*args).program)
    assert sum(e.op is COND for e in all_equations(program.equations)) == branches
