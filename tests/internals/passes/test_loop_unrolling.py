"""Elementwise loops over large arrays, of which several steps are one."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.passes.loop_unrolling import unroll_loops
from tests.equations import every_equation
from tests.equivalence import check

X = np.random.default_rng(4).random(9000)
SMALL = X[:50].copy()
C = np.linspace(-1.0, 1.0, 37)


def polynomial(c, x):
    total = np.zeros_like(x)
    for k in range(c.shape[0]):
        total = total * x + c[k]
    return total


def two_carries(c, x):
    u, v = x, x * 2.0
    for k in range(c.shape[0]):
        u, v = v - u * c[k], u + k
    return u, v


def windows(c, x):
    total = np.zeros(x.shape[0] - c.shape[0])
    for k in range(c.shape[0]):
        total += c[k] * x[k : x.shape[0] - c.shape[0] + k]
    return total


def neighbours(c, x):
    """An element meets others, which XLA would compute again and again."""
    for k in range(c.shape[0]):
        x = x - c[k] * np.roll(x, 1)
    return x


def extremes(c, x):
    for k in range(c.shape[0]):
        x = x - x.max() * c[k]
    return x


def powers(c, x):
    for k in range(c.shape[0]):
        x = np.exp(x) * c[k]
    return x


def steps(function, *args):
    """The number of steps of each loop."""
    program = jit(function).lower(*args).program
    return [e.params["length"] for e in every_equation(program) if e.op.name == "for"]


@pytest.mark.parametrize("count", [1, 2, 3, 9, 12, 21, 37])
@pytest.mark.parametrize("function", [polynomial, two_carries, windows])
def test_results(function, count):
    check(function, C[:count], X)
    check(function, C[:count].astype(np.float32), X.astype(np.float32))


@pytest.mark.needs_pass("loop_unrolling")
@pytest.mark.parametrize("function", [polynomial, two_carries, windows])
def test_several_steps_are_one(function):
    assert max(steps(function, C, X)) < 8
    assert steps(function, C[:12], X) == []
    assert steps(function, C, SMALL) == [37]


@pytest.mark.parametrize("function", [neighbours, extremes, powers])
def test_other_loops_stay(function):
    check(function, C, X * 1e-3)
    assert steps(function, C, X) == [37]


@pytest.mark.parametrize("function", [polynomial, two_carries, windows])
def test_nothing_is_left_to_unroll(function):
    program = unroll_loops(jit(function).trace(C, X).program)
    assert unroll_loops(program) is program
