"""Reductions in small loops as folds: which become some, over which windows, and that results are NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.passes.reduction_fusion import fuse_reductions
from tests.equations import F, I, equation, literal, one, ops


def rows(a, b):
    total = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        total[i] = a[i] @ b[i]
    return total


def masked(a, b):
    k = np.arange(a.shape[1])
    total = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        here = (k >= i) & (k < 3 * i)
        total[i] = np.where(here, a[i], 0.0) @ np.where(here, b[i], 0.0)
    return total


def half_masked(a, b):
    k = np.arange(a.shape[1])
    total = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        total[i] = np.where(k < 100 - i, a[i], 0.0) @ b[i]
    return total


def columns(a, b):
    total = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        total[i] = np.sum(a[:, i] * b[i] - 1.0)
    return total


def written_between(a, b):
    for i in range(a.shape[0]):
        row = a[i] * 2.0
        a[i] = b[i]
        b[i, 0] = np.sum(row - a[i])
    return b


def extremes(a, b):
    low, high = np.zeros(a.shape[0]), np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        low[i], high[i] = (a[i] - b[i]).min(), np.abs(a[i]).max()
    return low, high


def truths(a, b):
    counts = np.zeros(a.shape[0], np.int64)
    for i in range(a.shape[0]):
        if np.any(a[i] > 0.99) or np.all(b[i] > 0.01):
            counts[i] = np.count_nonzero(a[i] > b[i])
    return counts


def first(a, b):
    found = np.zeros(a.shape[0], np.int64)
    for i in range(a.shape[0]):
        found[i] = np.argmax(a[i] > b[i] + 0.5)
    return found


def gathered(a, b):
    order = np.argsort(b[0])
    total = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        total[i] = np.sum(a[i][order] * b[i])
    return total


def grows(a, b):
    # Each step needs what the steps before it wrote.
    for i in range(1, a.shape[0]):
        a[i, 0] = np.sum(a[i - 1] * b[i])
    return a


FUNCTIONS = (rows, masked, half_masked, columns, written_between, extremes, truths, first, gathered, grows)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_equals_numpy(rng, function, dtype):
    a, b = rng.random((2, 150, 150)).astype(dtype)
    expected, actual = function(a.copy(), b.copy()), jit(function)(a.copy(), b.copy())
    for want, got in zip(np.atleast_2d(expected), np.atleast_2d(actual), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4 if dtype is np.float32 else 1e-11)


def folds(function, *args) -> list:
    """The folds in the Program that is lowered."""
    found = []

    def look(program: Program) -> None:
        for each in program.equations:
            if each.op.name == "windowed_reduce":
                found.append(each)
            else:
                for inner in each.programs():
                    look(inner)

    look(jit(function).trace(*args).lower().program)
    return found


ARGS = (np.ones((150, 150)), np.ones((150, 150)))


@pytest.mark.parametrize("function", [rows, masked, half_masked, columns, extremes, truths, first, grows])
def test_reductions_become_folds(function):
    assert folds(function, *ARGS)
    names = ops(jit(function).trace(*ARGS).lower().program)
    assert not [name for name in names if name.startswith("reduce") or name in ("dot_general", "argmax")]


def test_a_mask_on_one_factor_alone_leaves_out_nothing():
    def product(a, b):
        b[:, 120] = np.inf
        return half_masked(a, b)

    a, b = np.random.default_rng(0).random((2, 150, 150))
    np.testing.assert_array_equal(jit(product)(a, b.copy()), product(a, b.copy()))


def test_short_lines_stay():
    assert not folds(rows, np.ones((4, 20)), np.ones((4, 20)))


def test_reductions_outside_of_loops_stay():
    assert not folds(lambda a: np.sum(a * a), np.ones(500))


def test_a_line_that_is_written_over_is_not_read_later():
    (fold,) = folds(written_between, *ARGS)
    arrays = [fold.inputs[2], *fold.inputs[3:]]
    assert any(atom.type.shape == (150,) for atom in arrays)


def test_squares_are_products():
    def lengths(a, b):
        total = np.zeros(a.shape[0])
        for i in range(a.shape[0]):
            total[i] = np.sum(a[i] ** 2) + np.sum(b[i] ** 2.0)
        return total

    assert "power" not in ops(jit(lengths).trace(*ARGS).program)
    a, b = np.random.default_rng(1).standard_normal((2, 9, 150))
    np.testing.assert_allclose(jit(lengths)(a, b), lengths(a, b), rtol=1e-12)


def test_a_bound_may_be_the_greatest_of_all_integers():
    line, upper, zero = Var(ArrayType((150,), np.dtype(float))), Var(I), literal(0.0)
    mask, mask_made = one("window", literal(np.int64(0)), upper, shape=(150,), axis=0)
    none, none_made = one("broadcast_in_dim", zero, shape=(150,), dims=())
    kept, selected = one("select", mask, line, none)
    total, summed = one("reduce_sum", kept, axes=(0,))
    index, carry = Var(I), Var(F)
    equations = (mask_made, none_made, selected, summed)
    body = Program((line, upper, index, carry), equations, (total,))
    values, bound, out = Var(line.type), Var(I), Var(F)
    settings = {"body": body, "consts": 2, "carries": 1, "length": 1}
    loop = equation("for", (literal(np.int64(1)), values, bound, zero), (out,), **settings)
    program = Program((values, bound), (loop,), (out,))
    changed = fuse_reductions(program)
    assert "windowed_reduce" in ops(changed)
    for upper_bound, size in ((2**63 - 1, 150), (150, 150), (4, 4), (0, 0), (-(2**63), 0)):
        for each in (program, changed):
            assert evaluate(each, np.ones(150), np.int64(upper_bound))[0] == size
