"""Large blocks that are complete before they are written: what XLA does not compute well in the place itself."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equations import every_equation
from tests.equivalence import check

GRID = np.random.default_rng(1).random((40, 50))


def smoothed(u):
    """Each part that is read lies elsewhere than the one that is written."""
    for _ in range(3):
        u[1:-1] = 0.5 * (u[2:] + u[:-2])
    return u


def smoothed_core(u):
    for i in range(3):
        core = u[1:-1, 1:-1]
        u[1:-1, 1:-1] = core + 0.1 * (u[2:, 1:-1] - 2.0 * core + u[:-2, 1:-1]) + i
    return u


def smoothed_beside(u):
    for _ in range(3):
        new = np.zeros_like(u)
        new[1:-1, 1:-1] = 0.5 * (u[2:, 1:-1] + u[:-2, 1:-1])
        u = new
    return u


def padded(u):
    for _ in range(3):
        u = np.pad(u[1:-1] * 2.0, [(1, 1), (0, 0)])
    return u


def scaled_in_place(u):
    """XLA reads and writes the same elements."""
    for _ in range(3):
        u[1:-1] *= 2.0
    return u


def from_another(u):
    v = u * 2.0
    for _ in range(3):
        v[1:-1] = 0.5 * (u[2:] + u[:-2]) + v[1:-1]
    return v


def once(u):
    """A buffer that no other step shares costs more than it gains."""
    v = u * 2.0
    v[1:-1] = 0.5 * (v[2:] + v[:-2])
    return v


def moved(u):
    """A block that nothing is computed for."""
    for _ in range(3):
        new = np.zeros_like(u)
        new[1:] = u[:-1]
        u = new
    return u


def completed(function, u):
    """How many blocks are complete before they are written."""
    program = jit(function).lower(u).program
    return sum(e.op.name == "materialize" for e in every_equation(program))


@pytest.mark.needs_pass("block_materialization")
@pytest.mark.parametrize("function", [smoothed, smoothed_core, smoothed_beside, padded])
def test_large_blocks_are_complete_before_they_are_written(function):
    check(function, GRID)
    check(function, GRID[:6, :7].copy())
    assert completed(function, GRID) == 1
    assert completed(function, GRID[:6, :7].copy()) == 0


@pytest.mark.parametrize("function", [scaled_in_place, from_another, once, moved])
def test_blocks_that_xla_computes_in_place(function):
    check(function, GRID)
    assert completed(function, GRID) == 0


@pytest.mark.needs_pass("block_materialization")
def test_no_part_is_copied_on_its_own():
    text = jit(smoothed_core).lower(GRID).compile().as_text()
    assert "wrapped_slice" not in text
