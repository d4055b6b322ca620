"""Names that each step of a loop makes a view of what they were, while arrays that share the memory are written."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()
ARRAYS = tuple((n, np.arange(4.0), np.arange(4.0) * 10) for n in range(5))


@case(*ARRAYS)
def reversed_and_written(n, a, b):
    z = b
    for k in range(n):
        z = z[::-1]
        z[:3] *= 2
    z[0] += 1
    return a, b, z * 1


@case(*ARRAYS)
def reversed_beside_its_memory(n, a, b):
    y = a
    for k in range(n):
        a[k % 4] += y[0]
        y = y[::-1]
        y[1:] -= a[:-1]
    y[3] = 7
    return a, y * 1


@case(*ARRAYS)
def another_shape_and_back(n, a, b):
    y = a if n > 1 else b
    for k in range(n):
        a = a.reshape(2, 2).ravel()
        y[b > 2] = k
        a[k % 4] += 5
    a[0] = -1
    return a * 1, b, y


@case(*ARRAYS)
def turned_about(n, a, b):
    y = x = a.reshape(2, 2)
    for k in range(n):
        y = np.rot90(y)
        y[0] += k
        x[1, 0] -= y[1, 1]
    y[0, 1] = 70
    return a, x, y * 1


@case(*ARRAYS)
def axes_in_turn(n, a, b):
    cube = np.arange(27.0).reshape(3, 3, 3)
    t = cube
    for k in range(n):
        t = t.transpose(1, 2, 0)
        t[k % 3, 1] += k
    t[0, 0, 1] = 99
    return cube


@case(*ARRAYS)
def swapped_with_a_view(n, a, b):
    y = a if n > 1 else b
    for k in range(n):
        a, y = y[::-1], a
        y[k % 4] += 7
        b[0] += a[1]
        if k % 3 == 1:
            y = y[::-1]
    y[2] = -9
    return a * 1, b, y * 1


@case(*ARRAYS)
def view_of_a_new_array(n, a, b):
    y = a * 2
    z = y
    for k in range(n):
        z = z[::-1] if k % 3 else y
        y[k % 4] += z[2]
        if k == 2:
            y = b + 1
    z[1] = 8
    return a, b, y, z


@case(*ARRAYS)
def view_of_what_a_condition_chose(n, a, b):
    y = z = a
    for k in range(n):
        z = (y if k % 2 else b)[::-1]
        y = z
        z[k % 4] += 1
        a[1] += y[0]
    y[0] = 3
    return a, b, y * 1, z * 1


@case(*ARRAYS)
def written_by_the_condition(n, a, b):
    y, t = b, 0

    def more():
        a[1] += b[0]
        return t < n

    while more():
        y[2] += 1
        a = a[::-1]
        b[t % 4] -= a[3]
        t += 1
    return a * 1, b, y


@case(*ARRAYS)
def in_an_inner_loop(n, a, b):
    y = a
    for k in range(n):
        for j in range(k + 1):
            y = y[::-1]
            y[j % 4] += k
        a[1] *= 2
    y[0] = 4
    return a, y * 1


@pytest.mark.parametrize("program", case.programs)
def test_views_in_loops(program: Program) -> None:
    program.check()


def test_a_view_that_cannot_be_written_stays_so_after_its_loop():
    def f(a, n):
        for _ in range(n):
            a *= 2
            edge = np.diagonal(a, 1)
        return edge

    for wrapped in (jit(f), jit(f, native_loops=False)):
        for _ in range(3):
            a = np.arange(9.0).reshape(3, 3)
            edge = wrapped(a, 2)
            assert not edge.flags.writeable
            assert np.shares_memory(edge, a)
            np.testing.assert_array_equal(edge, [4.0, 20.0])


def _added(x, w):
    x[1] += w[0]
    return w


def loops_with_another_shape_between(n, a):
    y = a
    t = 0
    while t < n and _added(a, y)[0] < 99:
        t += 2
        a = a.copy()
        y += 1
    a = a.reshape(2, 2).ravel()
    t = 0
    while t < n and _added(a, y)[0] < 99:
        t += 2
        a = a.copy()
        y += 1
    return a, y


@pytest.mark.parametrize("n", range(4))
def test_an_array_and_another_shape_of_it_are_both_written_by_machine_code_that_xla_calls(n: int) -> None:
    """XLA put both results into the memory of one operand, of which the other one was a bitcast."""
    wrapped = jit(
        loops_with_another_shape_between,
        auto_static=False,
        compiler_options={"xla_cpu_parallel_codegen_split_count": 1},  # so that not all of it is machine code
    )
    for expected, found in zip(
        loops_with_another_shape_between(n, np.arange(4.0)), wrapped(n, np.arange(4.0)), strict=True
    ):
        np.testing.assert_array_equal(found, expected)
