"""Arrays of run-time size in other shapes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.control.table import Program, Table

case = Table()
v = np.arange(6.0) + 1
A = np.arange(24.0).reshape(4, 6)


@case((v, 6), (v, 3), (v, 0), (v, 4))
def rows_of_three(a, k):
    return a[:k].reshape(-1, 3)


@case((v, 6), (v, 4), (v, 0), (v, 3), copies=True)
def two_rows(a, k):
    return a[:k].reshape(2, -1), a[k:].reshape(2, -1)


@case((v, 4), (v, 5))
def a_known_shape(a, k):
    return a[:k].reshape(2, 2)


@case((v, 4), (v, 5))
def a_view(a, k):
    b = a[:k].reshape(-1, 2)
    b[0] = 9
    return a, b, b.sum(axis=1)


@case((v, 4), (v, 5), copies=True)
def a_size_by_name(a, k):
    return a[:k].reshape(k // 2, 2), a[:k].reshape(2, k // 2)


@case((A, 2), (A, 4), copies=True)
def rows_of_a_matrix(A, n):
    return A[:n].reshape(-1, 3), A[:n].reshape(n, 2, 3), A[:n].reshape(-1), A[:n].reshape(2, -1, 3)


@case((v,), copies=True)
def what_a_mask_selects(a):
    return a[a > 2].reshape(-1, 2), a[a > 2].reshape(2, -1).sum(axis=0)


@case((v, 4), (v, 1))
def axes_of_size_one(a, k):
    return a[:k].reshape(k, 1) @ a[:k].reshape(1, k), a[:k].reshape((k,)), np.reshape(a[:k], (-1, 1))


@case((v, True), (v, False))
def bounds_that_are_bools(a, b):
    return a[:b], a[b:]


@pytest.mark.parametrize("program", case.programs)
def test_reshaping(program: Program) -> None:
    program.check()
