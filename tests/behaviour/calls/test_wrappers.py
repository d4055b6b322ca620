"""Functions behind the standard library's wrappers, called in a row: what one call leaves, the next one finds."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equivalence import Outcome, alike, same


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


def longest_common(a, b):
    @functools.lru_cache(None)
    def longest(i, j):
        if i == len(a) or j == len(b):
            return 0
        if a[i] == b[j]:
            return 1 + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1))

    return longest(0, 0)


def in_a_branch(a, b):
    @functools.cache
    def first(k):
        return a[k] * 2, "name"

    total = 0
    if b[0] > 1:
        total += first(0)[0]
    return total + first(0)[0] + first(0)[0], first(0)


def one_after_the_other(a, b):
    @functools.cache
    def made(k):
        return np.full(2, a[k])

    made(0)[0] += 5
    return made(0), made(0) is made(0), made(1) is made(0)


@pytest.mark.parametrize("function", [longest_common, in_a_branch, one_after_the_other])
def test_results_that_a_cache_keeps(function):
    compiled = jit(function)
    for a, b in (([1, 2, 3, 4, 1], [3, 4, 1, 2]), ([1, 1, 5], [1, 1]), ([7, 2], [2, 7])):
        a, b = np.array(a), np.array(b)
        same(function(a, b), compiled(a, b), f"{function.__name__}({a}, {b})")


def test_an_array_that_a_branch_has_made_is_refused():
    def f(x):
        @functools.cache
        def made():
            return np.full(2, x)

        if x > 1:
            made()[0] = 7.0
        return made()

    with pytest.raises(UnsupportedOperationError, match="the result of made, which a cache keeps"):
        jit(f)(2.0)


def test_how_often_a_cache_was_asked_is_refused():
    @functools.cache
    def square(x):
        return x * x

    def f(x):
        return square(x) + square(x), square.cache_info()

    with pytest.raises(UnsupportedOperationError, match="count the calls yourself"):
        jit(f)(2.0)


def fibonacci(n):
    @functools.cache
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n)


def pairs(n):
    @functools.cache
    def pair(k):
        if k < 2:
            return k, 1.0
        a, b = pair(k - 1)
        c, d = pair(k - 2)
        return a + c, b * 0.5 + d

    return pair(n)


def printed(n):
    @functools.lru_cache(maxsize=1000)
    def lucas(k):
        print("at", k)
        if k < 0:
            raise ValueError(f"no number {k}")
        return 2 - k if k < 2 else lucas(k - 1) + lucas(k - 2)

    return lucas(n)


@functools.cache
def paths(i, j):
    return 1 if i == 0 or j == 0 else paths(i - 1, j) + paths(i, j - 1)


def of_a_module(n):
    return paths(n, 12)


# Without the cache a recursion as deep would not end.
@pytest.mark.parametrize(
    ("function", "calls"),
    [(fibonacci, (70, 1, 40)), (pairs, (50, 0)), (printed, (9, 1, -2)), (of_a_module, (20, 3))],
)
@pytest.mark.parametrize("native", [True, False])
def test_recursion_finds_what_its_cache_keeps(function, calls, native):
    compiled = jit(function, native_loops=native)
    for n in calls:
        want = Outcome(function, (n,), {})
        for _ in range(3):
            paths.cache_clear()
            alike(want, Outcome(compiled, (n,), {}))


def test_numbers_that_are_no_keys_are_computed_each_time():
    def f(x):
        @functools.cache
        def steps(y):
            return steps(y - 1) + 1 if y > 1 else y

        return steps(x)

    compiled = jit(f)
    for x in (20.5, np.nan, 0.0):
        same(f(x), compiled(x))


def test_an_array_is_no_key_of_a_cache():
    @functools.cache
    def total(a):
        return a.sum()

    def f(a):
        try:
            return total(a)
        except TypeError as error:
            return str(error)

    same(f(np.ones(3)), jit(f)(np.ones(3)))
