"""Arrays that trade names from one step of a loop to the next, in programs written to come out silently wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
M = np.arange(12.0).reshape(3, 4)


@case((np.zeros((2, 2)), np.ones((2, 2)), 5), (np.zeros((2, 2)), np.ones((2, 2)), 4))
def three_way_rotation(a, b, n):
    c = a + b * 2
    for i in range(n):
        a, b, c = b, c, a
        a[0, 0] += i
        c[1] -= b[0]
    return a.sum(), b.sum(), c.sum()


@case((np.zeros(4), 4), (np.zeros(4), 5))
def fibonacci_of_arrays(a, n):
    b = a + 1
    for _ in range(n):
        a, b = b, a + b
    a[0] = -1
    return a, b


@case((np.zeros(4), 3), (np.zeros(4), 0))
def previous_is_an_alias_not_a_copy(a, n):
    previous = a
    for i in range(n):
        previous = a
        a[i] = i + 1
    return np.abs(a - previous).sum()


@case((np.zeros(4), 3), (np.zeros(4), 0))
def previous_is_a_copy(a, n):
    previous = a.copy()
    for i in range(n):
        previous = a.copy()
        a[i] = i + 1
    return np.abs(a - previous).sum()


@case((np.zeros(4), 3), (np.zeros(4), 0))
def none_then_an_alias(a, n):
    b = None
    for i in range(n):
        if b is None:
            b = a
        b[i] = 5
    return a.sum()


@case((np.arange(4.0), 3), (np.arange(4.0), 0))
def deleted_alias(a, n):
    b = a
    del a
    for i in range(n):
        b[i] = 0
    a = b
    a += 1
    return a.sum()


@case((M, 2), (M, 1), (M, 0))
def row_chosen_by_the_last_step_then_changed(m, n):
    r = m[0]
    for i in range(n):
        r = m[i]
    r += 1
    return r, m


@case((M, 2.0), (M, 0.0), (M, 99.0))
def row_at_which_the_loop_was_left(m, x):
    for r in m:
        if r[0] >= x:
            break
    r[:] = -1
    return m


@case((M, 2), (-M, 2))
def best_row_then_changed(m, n):
    best = m[0]
    for r in m:
        if r.sum() > best.sum():
            best = r
    best[0] = -n
    return m


@case((M,))
def best_row_then_read(m):
    best = m[0]
    for r in m:
        if r.sum() > best.sum():
            best = r
    return best.sum(), best


@case((3,), (1,), (0,))
def new_array_and_its_view_from_a_loop(n):
    b = np.zeros(3)
    a = b[1:]
    for _ in range(n):
        b = b + 1
        a = b[1:]
    a[0] = 9
    b[2] = 8
    return a, b


@case((3,), (1,), (0,))
def two_names_for_one_new_array_from_a_loop(n):
    b, a = np.zeros(3), np.ones(3)
    for _ in range(n):
        b = b + 1
        a = b
    a[0] = 9
    b[1] = 8
    return a, b


@case((3,), (1,), (0,))
def view_of_an_outer_array_from_a_loop(n):
    b, a = np.zeros(3), np.ones(2)
    for _ in range(n):
        a = b[1:]
    a[0] = 9
    b[2] = 8
    return a, b


@case((3,), (2,), (0,))
def one_of_two_arrays_from_a_loop(n):
    b, a = np.zeros(3), np.ones(3)
    for i in range(n):
        a = b if i > 1 else a
    a[0] = 9
    return a, b


@case((3,), (2,), (4,))
def arrays_that_trade_places_sometimes(n):
    b, a = np.zeros(3), np.ones(3)
    c = a
    for i in range(n):
        a, b = (b, a) if i > 1 else (a, b)
    b[0] = 9
    return a, b, c


@pytest.mark.parametrize("program", case.programs)
def test_hostile_storage(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_hostile_storage_with_static_arguments(program: Program) -> None:
    program.check_static()
