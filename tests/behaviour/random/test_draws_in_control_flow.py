"""Draws in branches, loops, handlers and helpers: as often as in the plain function, in its order."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import pytest

from anabranch import ConcretizationError, jit
from tests.equivalence import check

MAKERS = [np.random.default_rng, np.random.RandomState, random.Random]


def exactly(function: Any, *args: Any) -> None:
    check(function, *args, ulps=0.0)


@pytest.fixture(params=MAKERS, ids=["Generator", "RandomState", "Random"])
def rng(request: pytest.FixtureRequest) -> Any:
    return request.param(6)


def test_in_branches(rng) -> None:
    def drawn(rng, x):
        if x > 0:
            x += rng.random()
        elif x > -1:
            x += rng.random() + rng.random()
        y = rng.random() if x > 1.5 else 0.5
        return x, y, rng.random()

    for x in (1.0, 0.25, -0.5, -2.0):
        exactly(drawn, rng, x)


def test_a_branch_that_only_draws(rng) -> None:
    def drawn(rng, x):
        if x > 0:
            rng.random()
        return rng.random()

    exactly(drawn, rng, 1.0)
    exactly(drawn, rng, -1.0)


def test_and_or(rng) -> None:
    exactly(lambda rng, x: (x > 0 and rng.random() > 0.5, x > 0 or rng.random() > 0.5, rng.random()), rng, 1.0)
    exactly(lambda rng, x: (x > 0 and rng.random() > 0.5, x > 0 or rng.random() > 0.5, rng.random()), rng, -1.0)


def test_while_until(rng) -> None:
    def drawn(rng, limit):
        steps, x = 0, 0.0
        while rng.random() < limit:
            steps += 1
            x += rng.random()
        return steps, x

    for limit in (0.0, 0.5, 0.9):
        exactly(drawn, rng, limit)


def test_break_continue_and_return(rng) -> None:
    def drawn(rng, n, limit):
        total = 0.0
        for i in range(n):
            x = rng.random()
            if x < 0.2:
                continue
            total += x
            if total > limit:
                break
            if x > 0.95:
                return -1.0, i
        return total, n

    for n, limit in ((0, 1.0), (5, 10.0), (50, 3.0), (50, 100.0)):
        exactly(drawn, rng, n, limit)


def test_nested_loops(rng) -> None:
    def drawn(rng, n, a):
        for i in range(n):
            for j in range(i):
                a[j] += rng.random()
            if a[0] > 1.0:
                a[i] -= rng.random()
        return a.sum()

    exactly(drawn, rng, 6, np.zeros(6))


def helper(rng, n):
    total = 0.0
    for _ in range(n):
        total += rng.random()
    return total


def recursive(rng, n):
    return 0.0 if n <= 0 else rng.random() + recursive(rng, n - 1)


def test_helpers(rng) -> None:
    exactly(lambda rng, n: helper(rng, n) - helper(rng, 2) + rng.random(), rng, 4)
    exactly(lambda rng, n: [helper(rng, i) for i in range(6)] + [helper(rng, n)], rng, 4)
    exactly(recursive, rng, 5)


def test_comprehensions_and_generators(rng) -> None:
    def yielding(rng, n):
        for _ in range(n):
            yield rng.random()

    exactly(lambda rng, n: [rng.random() for _ in range(n)], rng, 4)
    exactly(lambda rng, n: np.array([rng.random() for _ in range(n)]), rng, 4)
    exactly(lambda rng, n: sum(rng.random() for _ in range(n)), rng, 4)
    exactly(lambda rng, n: sum(yielding(rng, n)), rng, 4)
    exactly(lambda rng, a: max(a, key=lambda _: rng.random()), rng, [1.0, 2.0, 3.0])
    exactly(lambda rng, a: list(map(lambda x: x + rng.random(), a)), rng, [1.0, 2.0, 3.0])


def test_lists_that_grow(rng) -> None:
    """A run with too small a buffer is done again, and draws the same."""

    def drawn(rng, n, limit):
        found = []
        for _ in range(n):
            x = rng.random()
            if x < limit:
                found.append(x)
        return found, rng.random()

    for n in (3, 40, 200):
        exactly(drawn, rng, n, 0.9)
    compiled, same = jit(drawn), copy.deepcopy(rng)
    for n in (3, 300):
        assert compiled(rng, n, 0.9) == drawn(same, n, 0.9)


def test_a_failure_after_draws(rng) -> None:
    """The generator is left as it was where the exception was raised."""

    def out_of_range(rng, a, n):
        total = 0.0
        for i in range(n):
            total += rng.random()
            total += a[i]
            total += rng.random()
        return total

    def raised(rng, a, n):
        for i in range(n):
            x = rng.random()
            if x > 0.6:
                raise ValueError(f"step {i}")
            rng.random()
        assert n < 3
        return rng.random()

    for n in (2, 5):
        exactly(out_of_range, rng, np.ones(3), n)
        exactly(raised, rng, np.ones(3), n)
    exactly(raised, rng, np.ones(3), 40)


def test_a_failure_before_draws_under_a_condition(rng) -> None:
    def drawn(rng, a, i):
        x = rng.random() + a[i]
        if x > 0:
            x += rng.random()
        return x + rng.random()

    for i in (1, 7):
        exactly(drawn, rng, np.ones(3), i)


def test_as_many_as_are_drawn(rng) -> None:
    def f(rng, times):
        total = 0.0
        for _ in range(times):
            total = max(total, rng.normal(1.0, 2.0, size=rng.poisson(2)).max(initial=0))
        n = rng.binomial(6, 0.5)
        return total, rng.uniform(0, 3, n), rng.standard_normal((n, 2)), rng.choice(5, size=n), rng.random()

    for times in (0, 3):
        exactly(f, rng, times)


@pytest.mark.parametrize("count", [0, 2, 5, 6, -1])
def test_as_many_as_are_known_at_run_time_without_repetition(count) -> None:
    def f(rng, counts):
        n = counts[0] if counts[0] > 1 else int(counts[0])
        few = rng.choice(5, n, replace=False)
        return few, rng.choice(np.arange(5.0) * 2, size=min(n, counts[0]), replace=False), rng.choice(4, n, True)

    exactly(f, np.random.RandomState(7), np.array([count]))


@pytest.mark.parametrize("make", MAKERS[:2])
def test_sizes_that_are_no_int(make) -> None:
    sizes = np.array([2, 3])
    with pytest.raises(ConcretizationError, match="a plain int"):
        jit(lambda rng, sizes: rng.normal(size=sizes))(make(6), sizes)
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        jit(lambda rng, sizes: rng.normal(size=sizes[0] / 2))(make(6), sizes)


def test_fewer_than_none_are_refused_as_by_numpy(rng) -> None:
    exactly(lambda rng, n: rng.normal(size=rng.poisson(1) - n), rng, 50)


def test_try(rng) -> None:
    def caught(rng, a, n):
        total = 0.0
        for i in range(n):
            try:
                total += rng.random()
                total += a[i]
                total += rng.random()
            except IndexError:
                total -= rng.random()
            finally:
                total += rng.random()
        return total

    for n in (0, 2, 5):
        exactly(caught, rng, np.ones(3), n)


def test_try_of_a_generator_made_in_the_function() -> None:
    def caught(seed, a, i):
        rng = np.random.default_rng(seed)
        try:
            x = a[i] + rng.random()
            rng.random()
        except IndexError:
            x = -rng.random()
        return x, rng.random()

    for i in (1, 7):
        exactly(caught, 3, np.ones(3), i)


def test_with_output(rng, capsys) -> None:
    def shown(rng, n):
        for i in range(n):
            if i % 2:
                print(i, rng.random())
        return rng.random()

    exactly(shown, rng, 5)


def test_draws_that_nobody_reads(rng) -> None:
    def drawn(rng, n):
        for _ in range(n):
            rng.random()

    exactly(drawn, rng, 5)
    exactly(lambda rng, n: None if rng.random() is None else n, rng, 5)


def test_a_generator_that_branches_return_is_the_same_one(rng) -> None:
    def drawn(rng, x):
        if rng.random() > x:
            return x, rng
        return -x, rng

    for x in (0.0, 1.0):
        exactly(drawn, rng, x)
    assert jit(drawn)(rng, 0.5)[1] is rng


def test_an_exception_that_is_known_while_tracing(rng) -> None:
    def raised(rng, x):
        x += rng.random()
        raise ValueError("always")

    def wrong(rng, a):
        rng.random()
        return a[rng.random() > 2, 7]

    exactly(raised, rng, 1.0)
    exactly(wrong, rng, np.zeros((3, 3)))
