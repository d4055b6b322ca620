"""Matrices of which loops read and write columns: transposed before the loops, and back after them."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import configure, jit
from anabranch.runtime.ops.control import FOR, FOR_UNTIL, WHILE
from anabranch.runtime.ops.shape import transpose
from anabranch.runtime.passes import optimise
from tests.equivalence import check

A = np.random.default_rng(5).random((40, 30))
B = np.random.default_rng(6).random((40, 24))


def triangular_product(a, b):
    for i in range(a.shape[1]):
        for j in range(b.shape[1]):
            b[i, j] += a[i + 1 :, i] @ b[i + 1 :, j]


def columns_added(a, b):
    out = np.zeros((a.shape[1], b.shape[1]))
    for i in range(a.shape[1]):
        for j in range(b.shape[1]):
            a[:, i] += 0.5 * b[:, j]
            out[i, j] = a[3, i]
    return out


def columns_of_a_condition(a, b):
    total = 0.0
    for i in range(a.shape[1]):
        for j in range(b.shape[1]):
            if b[i, j] > 0.5:
                a[:, i] = a[:, i] - b[:, j]
            else:
                total += (a[:, i] * b[:, j]).max()
    return total


def columns_until(a, b):
    steps = 0
    for i in range(a.shape[1]):
        for j in range(b.shape[1]):
            while a[:, i].max() > 0.4:
                a[:, i] *= 0.9
                b[:, j] -= a[:, i]
                steps += 1
    return steps


def columns_and_an_error(a, b):
    for i in range(a.shape[1]):
        for j in range(b.shape[1]):
            a[:, i] += b[:, j]
            if a[0, i] > 1.5:
                raise ValueError(f"column {i}")


def columns_returned_early(a, b):
    for i in range(a.shape[1]):
        for j in range(b.shape[1]):
            b[:, j] += a[:, i]
            if b[0, j] > 9.5:
                return i, j
    return None


def arrays_swapped(a, b):
    c = b.copy()
    for i in range(a.shape[1]):
        for j in range(b.shape[1]):
            b[:, j] += a[:, i]
        b, c = c, b
    return b, c


def both_are_one(a, b):
    for i in range(a.shape[1]):
        for j in range(a.shape[1]):
            b[:, j] += a[:, i] * a[i, j]
    return b.T


def rows(a, b):
    for i in range(24):
        for j in range(24):
            b[i] += a[j, :24]


def one_column(a, b):
    for i in range(b.shape[0]):
        b[i] += a[:24, 3] * i


def the_whole(a, b):
    total = 0.0
    for i in range(a.shape[1]):
        for j in range(b.shape[1]):
            total += (a[:, i] * b[:, j]).sum()
        total += (a * total).max() + (b - total).max()
    return total


TRANSPOSED = [
    triangular_product, columns_added, columns_of_a_condition, columns_until, columns_and_an_error, both_are_one,
    arrays_swapped,
]  # fmt: skip
AS_THEY_ARE = [rows, one_column, the_whole, columns_returned_early]


def operands_transposed(function):
    """How many operands of loops are transposed matrices."""
    program = optimise(jit(function).trace(A, B).program, native_loops=True)
    made = {e.outputs[0] for e in program.equations if e.op is transpose}
    return sum(a in made for e in program.equations if e.op in (FOR, FOR_UNTIL, WHILE) for a in e.inputs)


@pytest.mark.parametrize("function", [*TRANSPOSED, *AS_THEY_ARE])
def test_results_and_what_is_written(function):
    check(function, A.copy(), B.copy())


@pytest.mark.parametrize("function", TRANSPOSED)
def test_the_same_without_machine_code(function):
    with configure(native_loops=False):
        check(function, A.copy(), B.copy())


@pytest.mark.parametrize("function", [*TRANSPOSED, *AS_THEY_ARE])
def test_what_lies_in_another_order(function):
    check(function, np.asfortranarray(A), B[::-1])


@pytest.mark.parametrize("function", TRANSPOSED)
def test_loops_over_columns_have_the_transposed_matrices(function):
    assert operands_transposed(function)


@pytest.mark.parametrize("function", AS_THEY_ARE)
def test_loops_over_something_else_have_the_matrices(function):
    assert not operands_transposed(function)


def test_one_array_as_both_arguments():
    square = np.random.default_rng(7).random((40, 40))
    expected, found = square.copy(), square.copy()
    both_are_one(expected, expected)
    jit(both_are_one)(found, found)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
