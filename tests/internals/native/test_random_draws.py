"""Draws of arrays and seeds in machine code: the numbers and the states that NumPy has, and its errors."""

from __future__ import annotations

import re

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check


def floats(rng, mean, scale):
    return (
        rng.random(7),
        rng.normal(mean, scale, size=(3, 4)),
        rng.exponential(scale, 5),
        rng.uniform(-1, 3, 8),
        rng.standard_gamma(2.0, size=20),
        rng.random(5000)[-3:],
    )


def ints(rng, n, p):
    return (
        rng.integers(10, size=9),
        rng.integers(-5, 7, size=(2, 3)),
        rng.integers(0, 2**40, size=4),
        rng.integers(1, 6, size=30, endpoint=True),
        rng.integers(3, 4, size=2),
        rng.binomial(n, p),
        rng.binomial(n, p, size=6),
        rng.poisson(p, size=6),
    )


def in_a_loop(rng, n):
    total = 0.0
    for _ in range(n):
        step = rng.normal(0, 1, 30)
        if step[0] > 0:
            total += rng.random(3)[1]
    return total


@pytest.mark.parametrize(
    ("function", "args"), [(floats, (1.5, 2.5)), (ints, (20, 0.3)), (ints, (1000, 0.9)), (in_a_loop, (20,))]
)
def test_draws(function, args):
    assert jit(function).lower(np.random.default_rng(3), *args).native_program() is not None
    check(function, np.random.default_rng(3), *args)


def drawn_or_not(rng, n, p):
    try:
        return rng.binomial(n, p, size=3)
    except ValueError:
        return rng.integers(-9, 0, size=3)


@pytest.mark.parametrize(("n", "p"), [(5, 1.5), (-1, 0.5), (5, np.nan)])
def test_arguments_that_are_refused(n, p):
    check(drawn_or_not, np.random.default_rng(3), n, p)
    check(ints, np.random.default_rng(3), n, p)
    check(floats, np.random.default_rng(3), 0.0, -1.0)


def of_a_seed(seed):
    rng = np.random.default_rng(seed)
    return rng.random(3), rng.integers(7)


@pytest.mark.parametrize("seed", [0, 42, 2**32, 2**63 - 1, np.uint64(2**64 - 1), np.uint8(200), np.int32(5), True])
def test_seeds(seed):
    assert jit(of_a_seed).lower(seed).native_program() is not None
    check(of_a_seed, seed)


@pytest.mark.parametrize("seed", [-1, np.int8(-3)])
def test_seeds_that_are_refused(seed):
    check(of_a_seed, seed)


def grown(rng, p, most):
    found = []
    while rng.random() < p:
        found.append(rng.normal())
        if found[-1] > most:
            raise ValueError("too large")
    return found


def test_a_run_that_is_done_again_begins_with_the_states_from_before():
    wrapped = jit(grown)
    assert wrapped.lower(np.random.default_rng(3), 0.5, 9.0).native_program() is not None
    for seed, p, most in [(1, 0.5, 9.0), (2, 0.5, 9.0), (3, 0.5, 9.0), (4, 0.995, 9.0), (5, 0.999, 2.5), (6, 0.9, 9.0)]:
        ours, plain = np.random.default_rng(seed), np.random.default_rng(seed)
        results = []
        for function, rng in ((wrapped, ours), (grown, plain)):
            try:
                results.append(function(rng, p, most))
            except ValueError as error:
                results.append(str(error))
        assert results[0] == results[1]
        assert str(ours.bit_generator.state) == str(plain.bit_generator.state)


def of_the_old_generator(rs, x, low, high):
    return (
        rs.rand(7),
        rs.randn(3, 2),
        rs.uniform(low, high, 6),
        rs.normal(low, 2.0, size=9),
        rs.exponential(2.0, 4),
        rs.randint(int(low), 10, 8),
        rs.randint(2**40, size=3),
        rs.choice(x, 5),
        rs.choice(6, size=(2, 3), replace=True),
        rs.permutation(x),
        rs.rand(700)[-2:],
    )


def shuffled(rng, x, n):
    y = x.copy()
    rng.shuffle(y)
    rng.shuffle(x)
    return y, rng.permutation(x), rng.permutation(9), rng.choice(x, 4), rng.integers(n, size=5), rng.random()


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
@pytest.mark.parametrize("count", [1, 2, 31, 200])
def test_shuffles(make, count):
    x = np.arange(count) * 2.5
    if make is np.random.default_rng:
        check(shuffled, make(count), x, 7)
    else:
        check(of_the_old_generator, make(count), x, -1.5, 3.0)
        assert jit(of_the_old_generator).lower(make(3), x, -1.5, 3.0).native_program() is not None


def test_what_the_old_generator_refuses():
    x = np.arange(3.0)
    check(of_the_old_generator, np.random.RandomState(3), x, 20.0, 3.0)
    check(of_the_old_generator, np.random.RandomState(3), x, 0.0, np.inf)


def hits(rng, n):
    found = 0
    for _ in range(n):
        if rng.random() ** 2 + rng.random() ** 2 < 1.0:
            found += 1
    return found


def test_draws_do_not_wait_for_the_arithmetic_that_may_fail_between_them():
    """The state after the second one hangs on whether the square has overflown, which is foretold."""
    assert jit(hits)(np.random.default_rng(5), 300) == hits(np.random.default_rng(5), 300)
    llvm = jit(hits).lower(np.random.default_rng(5), 300).native_program().llvm
    choices = re.findall(r"select i1 %\w+, i64 %\w+, i64 %\w+(.*)", llvm)
    assert sum("!prof" in choice for choice in choices) >= 2
