"""Systems, inverses and determinants of matrices whose sizes are known only at run time."""

from __future__ import annotations

import numpy as np
import pytest

from tests.equivalence import check_calls

DRAWN = np.random.default_rng(0).random((6, 6))
MATRIX = DRAWN + DRAWN.T + 6 * np.eye(6)
RIGHT, COLUMNS = np.sin(np.arange(6) * 2) + 2, np.random.default_rng(1).random((6, 2))
# As many rows and columns begin with a number below it: two, one, four, none, all.
LIMITS = (0.88, 0.6, 1.5, 0.0, 100.0)


def chosen(p, limit):
    k = np.flatnonzero(p[:, 0] < limit)
    return p[np.ix_(k, k)]


def inverse(p, limit):
    return np.linalg.inv(chosen(p, limit))


def of_bools(p, limit):
    places = np.array([i for i in range(6) if p[i, 0] < limit], dtype=int)
    return np.linalg.inv(p[np.ix_(p[:, 0] < limit, p[0] < limit)]), np.ix_(places, [1])


def determinants(p, limit):
    return np.linalg.det(chosen(p, limit)), np.linalg.slogdet(chosen(p, limit))


def factors(p, limit):
    return np.linalg.cholesky(chosen(p, limit)), np.linalg.cholesky(chosen(p, limit), upper=True)


def solutions(p, limit):
    matrix = chosen(p, limit)
    n = len(matrix)
    return np.linalg.solve(matrix, np.arange(n) - 0.5), np.linalg.solve(matrix, p[:n, 1:3]), matrix @ p[:n]


def some_columns(p, limit):
    return np.linalg.solve(p, p[:, p[0] < limit] + 1)


def a_known_side(p, limit):
    return np.linalg.solve(chosen(p, limit), np.array([1.0, 2.0]))


def not_square(p, limit):
    return np.linalg.inv(p[p[:, 0] < limit])


def square_by_chance(p, limit):
    return np.linalg.inv(p[:, :2][p[:, 0] < limit])


def singular(p, limit):
    return np.linalg.inv(chosen(p, limit) * 0)


def a_stack(p, limit):
    stack = np.stack([p, p * 2, p * 3])
    return np.linalg.inv(stack[stack[:, 0, 0] < limit * 10])


def least_squares(p, limit):
    rows = p[:, 0] < limit
    return np.linalg.lstsq(p[rows, :3], RIGHT[rows], rcond=None)


def of_some_columns(p, limit):
    k = int(limit * 2) % 5
    found, *rest = np.linalg.lstsq(p[: k + 1, :k], COLUMNS[: k + 1], rcond=None)
    return found, rest[1:], np.linalg.lstsq(p, COLUMNS[:, COLUMNS[0] < limit], rcond=1e-9)[0]


def of_other_rows(p, limit):
    return np.linalg.lstsq(p[: int(limit * 2)], RIGHT, rcond=None)


def triangles(p, limit):
    rows = p[p[:, 0] < limit]
    return np.tril(rows), np.triu(rows.T, 1), np.tril(rows[::2], -1), np.triu(chosen(p, limit)), np.tril(rows[:, 0])


def triangles_of_stacks(p, limit):
    stack = np.stack([p, p * 2, p * 3])
    return np.tril(stack[stack[:, 0, 0] < limit * 10]), np.triu(stack[:, p[:, 0] < limit, 1:4], -1)


def triangles_from_a_run_time_diagonal(p, limit):
    rows = p[2:][p[2:, 0] < limit]
    return np.tril(rows, int(limit * 3)), np.triu(rows, 1 - int(limit)), np.tril(rows).sum(axis=1)


PROGRAMS = [
    triangles, triangles_of_stacks, triangles_from_a_run_time_diagonal,
    least_squares, of_some_columns, of_other_rows,
    inverse, of_bools, determinants, factors, solutions, some_columns, a_known_side, not_square, square_by_chance,
    singular, a_stack,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_numpy(program):
    check_calls(program, *((MATRIX, limit) for limit in LIMITS), ulps=1e4)
