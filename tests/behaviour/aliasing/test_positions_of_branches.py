"""Views at run-time positions that branches make: after the branches it is known where they are."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()
ARRAYS = tuple((np.arange(4.0), np.arange(4.0) * 10, np.array([n])) for n in range(6))


@case(*ARRAYS)
def a_view_or_another_one(a, b, c):
    n, v = int(c[0]), b[:2]
    if n > 1:
        v = a[n % 2 : n % 2 + 2]
        v -= 1
    a[1] = 7
    v[0] = 3
    b[1] += 4
    return a, b, v * 1


@case(*ARRAYS)
def of_an_array_that_a_condition_chose(a, b, c):
    n = int(c[0])
    z = b if n > 2 else a
    v = z[n % 3 : n % 3 + 2]
    try:
        if n == 2:
            raise ValueError
    except ValueError:
        v = b[n % 2 : n % 2 + 2]
        v -= 1
    z[1:] = z[:-1]
    v[1] = 100
    a[2] = 4
    return a, b, z, v * 1


@case(*ARRAYS)
def in_the_steps_of_a_loop(a, b, c):
    w = a[:2]
    for k in range(int(c[0]) + 1):
        if k % 2:
            v = a[k % 3 : k % 3 + 2]
            w = v
        else:
            v = b[k % 2 + 1 : k % 2 + 3]
        v[0] += k
        a[1] += v[1]
        w[1] -= 1
    w[0] = 9
    b[0] = 3
    return a, b, w * 1, v * 1


@case(*ARRAYS)
def one_view_by_two_names(a, b, c):
    n, v, w = int(c[0]), a[1:3], a[1:3]
    if n > 1:
        i = n % 3
        v = a[i : i + 2]
        w = v
        if n > 2:
            w = v[::-1]
    v[0] = 50
    w[0] -= 7
    a[2] = -2
    return a, v * 1, w * 1


@case(*ARRAYS)
def a_row_or_a_column(a, b, c):
    n, m = int(c[0]), a.reshape(2, 2)
    v = m[0]
    if n > 0:
        j = n % 2
        v = m[j]
    if n > 1:
        k = (n + 1) % 2
        v = v if n > 3 else m[:, k]
    v[0] += 10
    a[1] = 6
    v[1] *= 2
    return a, v * 1


@pytest.mark.parametrize("program", case.programs)
def test_positions_of_branches(program: Program) -> None:
    program.check()


def test_a_view_that_a_branch_made_at_a_run_time_position_is_a_view_of_the_argument():
    def f(a, c):
        v = a[:2]
        n = int(c[0])
        if n > 1:
            v = a[n % 3 : n % 3 + 2]
        return v

    compiled = jit(f)
    for n in range(5):
        a, own = np.arange(4.0), np.arange(4.0)
        view, plain = compiled(a, np.array([n])), f(own, np.array([n]))
        view[0], plain[0] = -1, -1
        np.testing.assert_array_equal(a, own)
