"""Loops that read around an end of an array have loops of their own for the steps that do."""

import re

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check, check_calls


def on_a_ring(u, steps):
    n = u.shape[0]
    new = np.zeros(n)
    for _ in range(steps):
        for i in range(n):
            new[i] = u[i] - 0.5 * (u[(i + 1) % n] - u[i - 1])
        for i in range(n):
            u[i] = new[i]
    return u


def farther(u, shift):
    n = len(u)
    out = np.zeros(n)
    for i in range(n):
        out[i] = u[(i - 3) % n] + u[(i + 2) % n] - u[i - 2] + u[(i + 40) % n]
    return out


def on_a_torus(grid):
    m, n = grid.shape
    out = np.zeros_like(grid)
    for i in range(m):
        for j in range(n):
            up, down = grid[i - 1, j], grid[(i + 1) % m, j]
            out[i, j] = up + down + grid[i, j - 1] + grid[i, (j + 1) % n] - 4 * grid[i, j]
    return out


def with_conditions(u, limit):
    n = len(u)
    total = last = 0.0
    for i in range(n):
        if i > 0 and u[i - 1] > limit:
            total += u[(i + 1) % n]
        if i < n - 1:
            last = u[i] * i
        elif i == n - 1:
            total -= u[(i - 1) % n]
    return total, last, i


def in_place(u):
    n = len(u)
    for i in range(n):
        u[i] = 0.5 * (u[i - 1] + u[(i + 1) % n])
    return u


def that_fails(u, places):
    n = len(u)
    for i in range(n):
        u[i - 1] += u[places[(i + 1) % n]]
    return u


def backwards(u):
    n = len(u)
    out = np.zeros(n)
    for i in range(n - 1, -1, -1):
        out[i] = u[i - 1] + u[(i + 1) % n]
    return out


def bits(a):
    n = 64
    out = np.zeros(n, np.int64)
    for i in range(n):
        out[i] = a[(i + 1) & 63] ^ a[(i - 1) & 63] ^ a[i]
    return out


def until(u, limit):
    n = len(u)
    total = 0.0
    for i in range(n):
        total += u[(i + 1) % n] * u[i - 1]
        if total > limit:
            return i
    return -1


U = np.random.default_rng(0).random(50)


@pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 50])
def test_sizes(size) -> None:
    u = np.random.default_rng(size).random(size)
    check(on_a_ring, u, 3)
    check(in_place, u)
    check(backwards, u)
    check(with_conditions, u, 0.3)


def test_results() -> None:
    check(farther, U, 3)
    check(on_a_torus, np.random.default_rng(1).random((35, 40)))
    check(on_a_torus, np.random.default_rng(1).integers(0, 9, (33, 5)))
    check(bits, np.random.default_rng(2).integers(0, 2**62, 64))
    check_calls(until, (U, 3.0), (U, 1e9), (U, -1.0))


@pytest.mark.parametrize("at", [0, 1, 2, 25, 48, 49])
def test_failures(at) -> None:
    places = np.arange(50)[::-1].copy()
    places[at] = 50
    check(that_fails, U, places)


@pytest.mark.parametrize(
    ("function", "args", "loops"), [(on_a_ring, (U, 3), 5), (in_place, (U,), 3), (farther, (U, 3), 3)]
)
def test_loops(function, args, loops) -> None:
    llvm = jit(function).lower(*args).native_program().llvm
    assert len(re.findall(r"^head\.", llvm, re.MULTILINE)) == loops


def test_nothing_is_left_to_decide_between_the_ends() -> None:
    program = jit(in_place).lower(U).native_program()
    between = program.llvm.split("\nhead.")[2]
    assert "rem" not in between
    assert "select" not in between
