"""Arguments that are written to in a few places: these alone are computed and copied back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()
V, M = np.arange(12.0), np.arange(30.0).reshape(5, 6)


@case((V,), (V[::-1],), (np.repeat(V, 2)[::2],))
def one_after_the_other(a):
    a[0] = a[1]
    a[3:7] += a[:4]
    a[-1] = a[0] + a[5]


@case((M,), (M.T,), (np.asfortranarray(M),), (M[:, ::-1],), (M[1:, 2:],))
def rows_and_columns_that_cross(a):
    a[0] = 1
    a[:, 1] = a[0, 0] + a[:, 2]
    a[1:-1, 1:-1] *= 2
    return a.sum()


@case((V,), (M,))
def strides_and_negative_ones(a):
    a[::2] = 5
    a[::-3] -= 1


@case((V, V.copy()))
def two_arguments(a, b):
    a[1] = b[0]
    b[2:5] = a[1]
    return a, b + a


@case((V,))
def contents_of_another_array(a):
    b = a * 2
    b[3] = 0
    a[:] = b
    a[5] = 1


@case((V, V + 1))
def swapped(a, b):
    a[:], b[:] = b.copy(), a.copy()
    a[0], b[0] = b[0], a[0]


@case((M,))
def more_parts_than_are_told_apart(a):
    for k in range(5):
        a[k, 0] = k
        a[k, 1] = k + a[k, 0]


@case((V, 3), (V, -2), (V[::-1], 0), (V, -20), (V, 12))
def where_only_the_run_knows(a, i):
    a[0] = a[i] + 1
    a[i] = 2
    a[1] += a[i]


@case((M, 3, 1), (M, -2, 5), (M.T, 0, 0), (M[1:, 2:], 3, -3), (M, 1, 6))
def rows_that_only_the_run_knows(a, i, j):
    a[i] = 2 * a[i - 1]
    a[:, j] = 3
    a[i, j] += 1
    return a[i]


@case((V, 3, 7), (V, 7, 3), (V, -3, 20))
def slices_of_run_time_size(a, i, j):
    a[i:j] = 5
    a[0] = 1


@pytest.mark.parametrize("program", case.programs)
def test_written_parts(program: Program) -> None:
    program.check()


def output_bytes(function: Any, *args: Any) -> int:
    return jit(function).lower(*args).compile().memory_analysis()["output"]


def test_only_the_parts_are_computed() -> None:
    def write(a):
        a[0] = 1.0
        a[5:9] *= 2.0

    def interior(a):
        a[1:-1, 1:-1] = a[:-2, 1:-1] + a[2:, 1:-1]

    def place(a, i):
        a[i] = 1.0

    assert output_bytes(write, np.zeros(1000)) < 100
    assert output_bytes(place, np.zeros((1000, 2)), 3) < 100
    assert output_bytes(interior, np.zeros((100, 100))) < 98 * 98 * 8 + 100


def test_arguments_are_as_before_after_an_exception() -> None:
    def write(a, i):
        a[0] = 7
        return a[i]

    a, f = np.zeros(4), jit(write)
    for _ in range(3):
        with pytest.raises(IndexError):
            f(a, 9)
        assert a[0] == 0
    assert f(a, 0) == a[0] == 7


def test_large_arguments_are_not_copied() -> None:
    def write(a):
        a[0] = 1.0
        a[7:-7] = 2.0

    check(write, np.zeros(100_000))
    check(write, np.zeros(100_001)[1:])
