"""Functions behind the standard library's wrappers, called in a row: what one call leaves, the next one finds."""

from __future__ import annotations

import functools

import pytest

from anabranch import jit
from tests.equivalence import same


def cached_list():
    @functools.cache
    def seen():
        return []

    def f(x):
        seen().append(x * 2)
        return seen()[0] + x

    return f


def cached_with_a_traced_argument():
    @functools.cache
    def helper(x):
        return x + 1 if x > 0 else x - 1

    def f(x):
        total = 0.0
        for i in range(3):
            if x > i:
                total += helper(x) * helper(x)
        return total

    return f


def cached_table():
    @functools.cache
    def table(n):
        return [k * k for k in range(n)]

    def f(x):
        total = 0.0
        for i in range(4):
            total += table(4)[i] * x
        return total

    return f


def cached_counts():
    @functools.cache
    def counts(name):
        return {"calls": 0}

    def f(x):
        if x > 2:
            counts("a")["calls"] += 1
        return counts("a")["calls"], counts("b")["calls"]

    return f


def dispatched_by_class():
    @functools.singledispatch
    def scale(x):
        return x * 2

    @scale.register
    def _(x: int):
        return x * 10 if x > 0 else x

    @scale.register
    def _(x: list):
        return [scale(v) for v in x]

    def f(x):
        return scale(x), scale([x, 1.5, 2])

    return f


@pytest.mark.parametrize(
    "make", [cached_list, cached_with_a_traced_argument, cached_table, cached_counts, dispatched_by_class]
)
def test_calls_in_a_row(make):
    plain, compiled = make(), jit(make())
    for x in (1.0, 5.0, -3.0, 4, -4, 4.5):
        same(plain(x), compiled(x), f"{make.__name__}({x})")
