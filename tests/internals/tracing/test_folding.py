"""Loops over numbers that are known while tracing: short ones are computed then, long ones are compiled."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import configure, jit
from tests.equations import ops
from tests.equivalence import check

LOOPS = {"for", "for_until", "while"}


def leibniz(count):
    total, sign = 0.0, 1.0
    for k in range(count):
        total += sign / (2 * k + 1)
        sign = -sign
    return total


def first_that_is_large(count):
    at = 0
    for k in range(10**9):
        at = (at * 5 + k) % 1009
        if k >= count and at > 1000:
            break
    return at


@pytest.mark.parametrize("function", [leibniz, first_that_is_large])
@pytest.mark.parametrize(("count", "is_left"), [(100, False), (30_000, True)])
def test_short_loops_alone_are_computed_while_tracing(function, count, is_left):
    def call(x):
        return function(count), x

    assert bool(LOOPS.intersection(ops(jit(call).trace(1.0).program))) == is_left
    check(call, 1.0)


def shortest_ways(x):
    n = 6
    costs = [[float("inf")] * n for _ in range(n)]
    middles = [[0] * n for _ in range(n)]
    for i in range(n):
        costs[i][(i + 1) % n] = 1.0 + i
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if costs[i][k] + costs[k][j] < costs[i][j]:
                    costs[i][j] = costs[i][k] + costs[k][j]
                    middles[i][j] = k
    return np.zeros(middles[0][5] + 1) + x, costs[0]


def fails_at_once(x):
    table = np.arange(5.0)
    for k in range(7):
        table[k] += 1.0
    return table + x


@pytest.mark.parametrize("native", [True, False])
def test_small_tables(native):
    with configure(native_loops=native):
        for function in (shortest_ways, fails_at_once):
            check(function, 2.0)
    assert not LOOPS.intersection(ops(jit(shortest_ways).trace(2.0).program))


def counted(x):
    table = np.zeros(7)
    for k in range(20):
        table[k * k % 7] += k
    return table, table, x


def test_each_call_has_a_table_of_its_own():
    compiled = jit(counted)
    for _ in range(3):
        one, same, _ = compiled(1.0)
        assert same is one
        np.testing.assert_array_equal(one, counted(1.0)[0])
        one[:] = 5.0
