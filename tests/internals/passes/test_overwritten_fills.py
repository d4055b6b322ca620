"""Fills that a loop overwrites are dropped, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.program import all_equations
from anabranch.runtime.passes import optimise
from tests.equivalence import check


def transposed(x):
    out = np.empty((x.shape[1], x.shape[0]))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[j, i] = x[i, j]
    return out


def rows(x):
    out = np.zeros(x.shape)
    for i in range(x.shape[0]):
        out[i] = x[i] * 2
    return out


def many(x):
    total = np.zeros(x.shape[1])
    for i in range(x.shape[0]):
        line = np.empty(x.shape[1])
        for j in range(x.shape[1]):
            line[j] = x[i, j] + i
        total += line
    return total


def all_but_the_first(x):
    out = np.zeros(x.shape[0])
    for i in range(1, x.shape[0]):
        out[i] = x[i, 0]
    return out


def diagonal(x):
    out = np.zeros((x.shape[0], x.shape[0]))
    for i in range(x.shape[0]):
        out[i, i] = x[i, 0]
    return out


def some(x):
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        if x[i, 0] > 0.5:
            out[i] = x[i, 0]
    return out


def of_others(x):
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = out[i - 1] + x[i, 0]
    return out


def shown_before(x):
    out = np.zeros(x.shape[0])
    before = out.copy()
    for i in range(x.shape[0]):
        out[i] = x[i, 0]
    return before, out


def in_columns(x):
    out = np.zeros(x.shape)
    for i in range(x.shape[0]):
        out[i, 0] = x[i, 1]
    return out


def caught(x):
    out = np.zeros(x.shape[0])
    try:
        for i in range(x.shape[0]):
            out[i] = x[i + 3, 0]
    except IndexError:
        pass
    return out


def wrong_order(x):
    out = np.zeros((x.shape[0], x.shape[0]))
    for _ in range(x.shape[0]):
        for j in range(x.shape[0]):
            out[j, j] = x[j, 0]
    return out


def fills(function, x):
    """The number of large fills, and of undefined arrays in their place."""
    program = optimise(jit(function).trace(x).program, native_loops=True)
    found = [e for e in all_equations(program.equations) if e.outputs and e.outputs[0].type.size > 16]
    return sum(e.op.name == "broadcast_in_dim" for e in found), sum(e.op.name == "undef" for e in found)


@pytest.mark.parametrize("function", [transposed, rows, many])
def test_overwritten_ones_are_dropped(rng, function):
    x = rng.random((40, 30))
    assert fills(function, x)[1] == 1
    check(function, x)
    np.testing.assert_array_equal(jit(function, native_loops=False)(x), function(x))


@pytest.mark.parametrize(
    "function",
    [all_but_the_first, diagonal, some, of_others, shown_before, in_columns, caught, wrong_order],
)
def test_others_stay(rng, function):
    x = rng.random((40, 30))
    assert fills(function, x)[1] == 0
    compiled = jit(function)
    for _ in range(3):  # the memory of earlier results is not zero
        check(function, x)
        np.testing.assert_array_equal(compiled(x), function(x))
