"""Lists of lists that run-time values index: tables, and rows that change places."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
RNG = np.random.default_rng(7)


# ---- lists of lists --------------------------------------------------------------------------------------------------


@case((np.array([1, 2, 3, 1, 2]), np.array([2, 2, 3, 1])), (np.array([1]), np.array([2])))
def edit_distance(a, b):
    m, n = len(a), len(b)
    table = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(m + 1):
        table[i][0] = i
    for j in range(n + 1):
        table[0][j] = j
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1]
            else:
                table[i][j] = 1 + min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
    return table[m][n], table


@case((np.abs(RNG.standard_normal((5, 5))),))
def floyd_warshall(weights):
    n = len(weights)
    d = [[float(weights[i, j]) for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return d


@case(([[0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]], 3))
def game_of_life(grid, steps):
    n = len(grid)
    for _ in range(steps):
        new = [[0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                around = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di or dj:
                            around += grid[(i + di) % n][(j + dj) % n]
                if around == 3 or (around == 2 and grid[i][j]):
                    new[i][j] = 1
        grid = new
    return grid


@case((1, 2, 7), (-1, -2, 0), (3, 0, 1), (0, 5, 1), (-5, 0, 1), (0, -6, 1))
def rows_are_lists(i, j, x):
    rows = [[0] * 5 for _ in range(4)]
    first = rows[0]
    row = rows[i]
    row[j] = x
    rows[i][j - 1] += 2
    return rows, row, first is rows[0], rows[i] is row, len(row), sum(row), row[1:3], max(rows[i]), row == rows[i]


@case((1, 2), (0, 4))
def one_row_many_times(i, j):
    rows = [[0] * 5] * 4
    rows[i][j] += 1
    rows[0][0] += 2
    return rows, rows[0] is rows[i]


@case(([[1, 2, 3, 4]] * 4, 1), ([[1, 2, 3, 4] for _ in range(4)], 2))
def argument_of_rows(rows, i):
    row = rows[i]
    row[0] += rows[i - 1][3]
    return row, rows, rows[0] is row


@case(([[1, 2, 3, 4] for _ in range(4)], 2))
def unchanged_argument_of_rows(rows, i):
    return rows[i][i] + rows[0][1], rows


@case((1, 2, True), (2, 2, False))
def rows_of_several_kinds(i, j, c):
    rows = [[None] * 5 for _ in range(4)]
    rows[i][j] = 1.5
    if c:
        rows[j][i] = 3
    rows[3][3] = True
    return rows, rows[i][j] is None, rows[1]


@case((1, 2), (2, 2))
def rows_swapped(i, j):
    rows = [[k, k + 1, k + 2] for k in range(4)]
    rows[i][0] = 9
    rows[i], rows[j] = rows[j], rows[i]
    rows[i][1] = 8
    rows[0], rows[1] = rows[1], rows[0]
    return rows


@case((1, 2), (2, 2))
def rows_permuted(i, j):
    rows = [[k, k + 1, k + 2, 0] for k in range(4)]
    first, alias, copied = rows[0], rows, rows[:]
    rows[i], rows[j] = rows[j], rows[i]
    rows[i][1] = 8
    rows[0] = rows[j]
    rows[0][2] = 7
    first[3] = 1
    copied[i][0] += 100
    return rows, alias is rows, copied, rows[0] is first, rows[0] is rows[j], [sum(r) for r in rows], len(rows)


@case(([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], 1, 2), ([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], 0, 0))
def argument_permuted(rows, i, j):
    first = rows[0]
    rows[i], rows[j] = rows[j], rows[i]
    rows[i][0] = -1
    first[1] = -2
    return rows[1], first


@case((RNG.standard_normal((7, 7)),))
def elimination_with_pivots(a):
    rows = [[float(v) for v in row] for row in a]
    n = len(rows)
    sign = 1.0
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(rows[i][k]) > abs(rows[p][k]):
                p = i
        if p != k:
            rows[k], rows[p] = rows[p], rows[k]
            sign = -sign
        for i in range(k + 1, n):
            f = rows[i][k] / rows[k][k]
            for j in range(k, n):
                rows[i][j] -= f * rows[k][j]
    for k in range(n):
        sign *= rows[k][k]
    return sign, rows


@case((3, 1), (0, 2))
def rows_permuted_in_a_loop(n, i):
    total = 0
    for k in range(n):
        rows = [[k + j, k * j, 1] for j in range(4)]
        rows[i], rows[(i + k) % 4] = rows[(i + k) % 4], rows[i]
        total = total * 3 + rows[(i + 1) % 4][0]
    return total


@case((1, 2), (3, 0))
def rows_kept_elsewhere(i, j):
    rows = [[k, k + 1, k + 2] for k in range(4)]
    found = []
    for k in range(i + 1):
        if k != j:
            found.append(rows[(k + j) % 4])
    found[0][1] = 60
    pair = (rows[i], j)
    pair[0][2] = 70
    held = {"row": rows[j]}
    held["row"][0] = 80
    return rows, found, pair, held


@case((1, 2), (2, 2))
def row_replaced(i, j):
    rows = [[k, k + 1, k + 2] for k in range(4)]
    rows[j][0] = 5
    rows[i] = [7, 7, 7]
    rows[j][2] = 6
    rows[0] = [j] * 3
    rows[j][1] = 4
    return rows


@case((1, 2), (2, 2))
def row_gets_longer(i, j):
    rows = [[k, k + 1, k + 2] for k in range(4)]
    rows[j][0] = 5
    rows[1].append(3)
    rows[i].append(4)
    return rows


@case((1, 2), (2, 2))
def row_operations(i, j):
    rows = [[k, 5 - k, k + 2] for k in range(4)]
    rows[j][0] = 5
    row = rows[i]
    row.reverse()
    rows[j].sort()
    rows[0][:] = [4, 5, 6]
    copied = [r[:] for r in rows]
    copied[i][1] = 100
    total = 0
    for r in rows:
        for v in r:
            total = total * 3 + v
    columns = [list(c) for c in zip(*rows, strict=True)]
    return rows, copied, total, columns, [sum(r) for r in rows], np.array(rows), [v for r in rows for v in r]


@case((1, 2), (3, 0))
def row_chosen(i, j):
    rows = [[k, k + 1, k + 2] for k in range(4)]
    row = rows[i] if i < j else rows[j]
    row[1] = 50
    best = rows[0]
    for k in range(4):
        if rows[k][1] > best[1]:
            best = rows[k]
    best[2] = 70
    return rows, row, best


@case((1, 2), (3, 0))
def rows_made_in_a_loop(i, j):
    total = 0
    last = None
    for k in range(i + 2):
        rows = [[k, k + 1, k + 2] for _ in range(4)]
        rows[(i + k) % 4][(j + k) % 3] += 10
        row = rows[(i + k) % 4]
        total += row[j % 3]
        last = row[0]
    return total, last


@case((1, 2), (3, 0), (3, 9))
def failure_in_a_table(i, j):
    rows = [[k, k + 1, k + 2] for k in range(4)]
    try:
        rows[i][0] = 5
        rows[i][j] = 6
    except IndexError as error:
        rows[0][0] = -1
        return str(error), rows
    return rows


@case((5,), (2,))
def rows_appended(n):
    rows = []
    for k in range(4):
        rows.append([0] * 6)
    for k in range(n):
        rows[k % 4][k] = k
        rows[(k + 1) % 4][0] += 1
    return rows


class Board:
    """Squares in rows."""

    def __init__(self, n):
        self.n = n
        self.squares = [[0] * n for _ in range(n)]

    def mark(self, i, j):
        self.squares[i % self.n][j % self.n] += 1


@case((np.array([1, 2, 3, 2, 5]),))
def board(places):
    b = Board(4)
    for p in places:
        b.mark(p, p + 1)
        b.mark(p, 0)
    return b.squares


@pytest.mark.parametrize("program", case.programs)
def test_programs(program: Program) -> None:
    program.check()
