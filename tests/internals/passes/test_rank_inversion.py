"""Ranks: what sorts the positions that sort numbers is found without a second sort."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.passes.rank_inversion import invert_rankings
from tests.equations import every_equation
from tests.equivalence import check

RNG = np.random.default_rng(11)


def ranks(x):
    return np.argsort(np.argsort(x, kind="stable"))


def thrice(x):
    order = np.argsort(x, kind="stable")
    return order, np.argsort(np.argsort(order))


def last_first(x):
    """No permutation as it is sorted again."""
    return np.argsort(-np.argsort(x, kind="stable"))


def rows(x):
    pairs = x[: x.size // 2 * 2].reshape(2, -1)
    return np.argsort(np.argsort(pairs, axis=0, kind="stable"), axis=1, kind="stable")


def in_steps(x):
    total = np.zeros(x.size)
    for k in range(3):
        total += np.argsort(np.argsort(x * (k - 1), kind="stable"))
    return total


def sorts(function, *args):
    """How many sorts the optimised Program has."""
    return sum(e.op.name == "argsort" for e in every_equation(jit(function).lower(*args).program))


@pytest.mark.parametrize("size", [0, 1, 2, 40, 700])
@pytest.mark.parametrize("function", [ranks, thrice, last_first, rows, in_steps])
def test_results(function, size):
    ties = RNG.integers(0, 9, size).astype(float)
    ties[1::7] = np.nan
    check(function, ties)


@pytest.mark.parametrize("function", [ranks, in_steps])
def test_without_machine_code(function):
    x = RNG.integers(0, 30, 700)
    compiled = jit(function, native_loops=False)
    for _ in range(3):
        assert np.array_equal(compiled(x), function(x))


@pytest.mark.needs_pass("rank_inversion")
def test_one_sort_is_left():
    x = RNG.random(40)
    assert [sorts(f, x) for f in (ranks, thrice, in_steps)] == [1, 1, 1]
    assert [sorts(f, x) for f in (last_first, rows)] == [2, 2]


def test_nothing_is_left_to_invert():
    program = invert_rankings(jit(ranks).trace(RNG.random(40)).program)
    assert invert_rankings(program) is program
