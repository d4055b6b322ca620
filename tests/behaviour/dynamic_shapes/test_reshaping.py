"""Arrays of run-time size in other shapes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
v = np.arange(6.0) + 1
A = np.arange(24.0).reshape(4, 6)
B = np.arange(12.0).reshape(3, 4)


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


def windows(*firsts):
    """Argument sets with one line, another one, and all there are."""
    return tuple((*firsts, i, j) for i, j in ((0, 1), (1, 2), (0, 3), (2, 2)))


# ---- writes to what NumPy may have copied or not ---------------------------------------------------------------------


@case((v, 0, 4), (v, 1, 3), (v, 4, 8))
def written_in_another_known_shape(a, i, j):
    b = a[i:j].reshape(2, -1)
    c = a[i : i + 2].reshape(2, 1)
    b[0] = 9
    c[1] = 7
    return a, b.sum(), c.sum(), a.sum()


@case((v, 1, 5), (v, 0, 4), (v, 1, 4))
def seen_in_two_by_two(a, i, j):
    b = a[i:j].reshape(2, 2)
    a[1] = 9
    b[0] = 7
    return a, b, b.sum()


@case((v, 1, 5), (v, 2, 6), (v, 0, 0))
def seen_in_rows_of_two(a, i, j):
    b = a[i:j].reshape(-1, 2)
    a[2] = 9
    b[:1] += 1
    return a, b.sum()


@case((v, 0, 6), (v, 1, 5), (v, 3, 3))
def seen_in_two_rows(a, i, j):
    b = a[i:j].reshape(2, -1)
    a[3] = 9
    b[1] *= 2
    b.T[:1] -= 1
    return a, b.sum()


@case(*windows(B), copies=True)
def columns_in_a_line(m, i, j):
    b = m[:, i:j].ravel()
    b[:1] = 9
    return m, b


@case(*windows(B), copies=True)
def turned_rows_in_a_line(m, i, j):
    b, c = m.T[i:j].ravel(), m[i:j].T.ravel()
    b[:1] = 9
    c[:1] = 7
    return m, b, c


@case(*windows(B), copies=True)
def some_rows_in_a_line(m, i, j):
    b, c = m[::2][i:j].ravel(), m[:, 1:3][i:j].reshape(-1)
    b[:1] = 9
    c[:1] = 7
    return m, b, c


@case(*windows(B), copies=True)
def one_column_by_another_shape(m, i, j):
    b = m.T[i:j].reshape(-1, 1)
    b[:1] = 9
    return m, b


@case(*windows(B))
def computed_columns_in_a_line(m, i, j):
    b, c, d = m[:, i:j] * 2, m[:, i:j].copy(), np.cumsum(m[i:j, i:j], axis=1)
    for x in (b, c, d):
        x.ravel()[:1] = 9
        x.reshape(-1, 1)[1:2] = 7
    return b, c, d


@case(*windows(B))
def chosen_rows_in_a_line(m, i, j):
    b = m[m[:, 0] < 5 * j]
    c = b.ravel()
    c[:1] = 9
    b[-1:] = 7
    return m, b, c.copy()


@case(*windows(B))
def rows_split_in_two(m, i, j):
    b = m[i:j].reshape(-1, 2, 2)
    b[:1] = 9
    return m, b


@case((B, 1), (B, 3), (B, 0))
def as_many_columns_as_are_left(m, k):
    return m[:, -k:].reshape(-1, 1), m[:k, -k:].reshape(k, -1).sum(), m[:k].reshape(-1, 4)


@case((B, 0), (B, 2))
def nothing_in_other_shapes(m, k):
    return m[k:0].T.ravel(), m[k:k].reshape(-1, 2), m[k:0].reshape(2, -1).sum(), np.roll(m[k:0, 0], k)


@case((v, 4), (v, 1))
def axes_of_size_one(a, k):
    return a[:k].reshape(k, 1) @ a[:k].reshape(1, k), a[:k].reshape((k,)), np.reshape(a[:k], (-1, 1))


@case((v, True), (v, False))
def bounds_that_are_bools(a, b):
    return a[:b], a[b:]


@pytest.mark.parametrize("program", case.programs)
def test_reshaping(program: Program) -> None:
    program.check()
