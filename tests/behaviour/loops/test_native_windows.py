"""Loops that work on windows of arrays as machine code: what a step costs is what the window has."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check

LINE = np.arange(40.0) % 7 + 0.25
GRID = (np.arange(180.0) % 11).reshape(9, 20)


def crossed_out(prime, limits):
    n = limits[0]
    i = 2
    while i * i < n:
        if prime[i]:
            prime[i * i :: i] = False
        i += 1


def crossed_out_backwards(a, k):
    for i in range(1, k):
        a[-i : i : -i - 1] = i


def strided_by_data(a, b, k):
    for i in range(1, k):
        a[i :: i + 1] = b[i :: i + 1] * 2.0 + a[i]


def loaded(best, weights):
    for w in weights:
        best[w:] = np.maximum(best[w:], best[: len(best) - w] + w)


def rolled(board, steps):
    for _ in range(steps):
        around = np.zeros_like(board)
        for dy, dx in ((0, 1), (1, 0), (-1, 1)):
            around += np.roll(np.roll(board, dy, axis=0), dx, axis=1)
        board = np.where(around == 3, 1.0, around % 2)
    return board


def halved(x, limits):
    n = limits[0]
    while n > 1:
        half = n // 2
        low = x[0 : 2 * half : 2] + x[1 : 2 * half : 2]
        high = x[0 : 2 * half : 2] - x[1 : 2 * half : 2]
        x[:half] = low
        x[half : 2 * half] = high
        n = half


def moved_up(a, k):
    for i in range(1, k):
        a[i:] = a[: len(a) - i] + 1.0


def moved_down(a, k):
    for i in range(1, k):
        a[: len(a) - i] = a[i:] * 0.5


def stretched(a, k):
    for i in range(1, k):
        a[i:] = a[k - i : k - i + 1]


def turned_round(a, k):
    for i in range(k):
        a[i : i + k] = a[i : i + k][::-1]


def exchanged(a, b, k):
    for i in range(k):
        a[i:] += b[i:]
        a, b = b, a
    return a, b


def rows(a, k):
    for i in range(1, k):
        a[i, i:] -= a[i - 1, i:] * 0.5
        a[:, i] = a[i, :9] + a[:, 0]


def corners(a, k):
    for i in range(k):
        a[i:, : k - i] = a[: 9 - i, i:k] + 1.0


def under_conditions(a, k):
    for i in range(k):
        if a[i] > 2.0:
            a[i : 2 * i] = 0.0
        else:
            a[i:] = a[i:] + a[i]
    return a[k]


def needed_before(a, k):
    total = 0.0
    for i in range(1, k):
        before = a[:i] + 0.0
        a[i] = -1.0
        a[:i] = before * 2.0
        total += a[i - 1]
    return total


def grown(n):
    found = []
    for i in range(n):
        stack = [i]
        while len(stack) > 0:
            top = stack.pop()
            found.append(top)
            if top > 1:
                stack.append(top // 2)
                if top % 3 == 0:
                    stack.append(top - 1)
    return np.array(found)


PROGRAMS = [
    (crossed_out, (np.ones(100, np.bool_), np.array([100]))),
    (crossed_out_backwards, (LINE, 9)),
    (strided_by_data, (LINE, LINE[::-1].copy(), 9)),
    (loaded, (np.zeros(40), np.array([3, 7, 1, 39, 40]))),
    (halved, (LINE, np.array([40]))),
    (moved_up, (LINE, 5)),
    (moved_down, (LINE, 5)),
    (moved_up, (np.arange(900.0), 3)),
    (moved_down, (np.arange(900.0), 3)),
    (stretched, (LINE, 6)),
    (turned_round, (LINE, 7)),
    (exchanged, (LINE, LINE[::-1].copy(), 5)),
    (rows, (GRID, 8)),
    (corners, (GRID, 4)),
    (under_conditions, (LINE, 6)),
    (needed_before, (LINE, 9)),
    (rolled, (GRID % 2, 3)),
]


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_programs(function, args):
    assert jit(function).lower(*args).as_text().count('"anabranch_native_') == 1
    check(function, *args)


def test_lists_that_grow_in_steps():
    check(grown, 40)


def test_a_failure_leaves_the_loop():
    def written(a, b, k):
        for i in range(k):
            a[i:] = b[i : i + 5]

    assert isinstance(check(written, LINE, LINE, 3), ValueError)


def test_the_cost_is_that_of_the_window():
    """No step goes through all of an array of which it writes a few elements."""
    text = jit(loaded).lower(np.zeros(100_000), np.array([99_990, 99_995])).as_text()
    assert "stablehlo.while" not in text


def growing_lists(indptr, indices):
    labels = np.full(len(indptr) - 1, -1)
    found = 0
    for start in range(len(labels)):
        if labels[start] < 0:
            labels[start] = found
            stack = [start]
            while len(stack) > 0:
                node = stack.pop()
                for other in indices[indptr[node] : indptr[node + 1]]:
                    if labels[other] < 0:
                        labels[other] = found
                        stack.append(other)
            found += 1
    return labels, found


def test_a_list_that_begins_anew_in_each_step():
    indptr = np.arange(0, 62, 2)
    indices = np.arange(60) * 7 % 30
    assert "stablehlo.concatenate" not in jit(growing_lists).lower(indptr, indices).as_text()
    check(growing_lists, indptr, indices)


def products(a, k):
    n = len(a)
    for i in range(1, k):
        a[i] = a[:i] @ a[n - i :] * 0.001 + a[i:].max() - np.sum(a[: i // 2] > 2.0)
    return a[:k].argmax()


def test_products_and_reductions_of_windows():
    assert jit(products).lower(LINE, 9).as_text().count("stablehlo.while") == 0
    check(products, LINE, 9, ulps=64)
