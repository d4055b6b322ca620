"""Lines and windows in loops: written while they are read, failing, in helpers, beside what is not a number."""

from __future__ import annotations

import numpy as np
import pytest

from tests.equivalence import check


def views(a, b):
    v = a[1:, ::2]
    w = a.T
    for i in range(v.shape[0] // 2):
        v[i, i:] -= v[i, i] * v[i + 1, i:]
        w[:i, i] += w[i, :i]
        if v[i, 0] > 1e6:
            break
    return v, w


def rows_and_columns(a, b):
    for i in range(1, a.shape[0]):
        a[i, :i] = a[i, :i] + a[:i, i]
        a[:, i] = a[i, :] * 0.5 + a[:, i]
    return a


def a_block_of_one_row(a, b):
    for i in range(2):
        none = np.zeros(a.shape[1])
        a[:1, (none != none).sum() :] += 3
        a[i : i + 1, i:] *= 2.0
    return a


def in_a_try(a, b):
    n = 0
    for i in range(a.shape[0]):
        try:
            a[i, :i] += b[i, :i]
            if a[i, 0] > 0.9:
                raise ValueError("big")
            a[i, i:] *= 2.0
        except ValueError:
            n += 1
            a[i, :] -= 1.0
    return a, n


def beside_nan(a, b):
    s = np.zeros(a.shape[0])
    a[:, -1] = np.nan
    b[0, :] = np.inf
    for i in range(a.shape[0] - 1):
        s[i] = a[i, :i] @ a[i, :i] + np.sum(a[i, i:-1] * 2) + a[i, : i + 1].max() + (b[1:, i][:i]).min(initial=9.0)
    return s


def from_the_end(a, b):
    s = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        s[i] = a[i, -i:].sum() + a[i, :-i].sum() + a[i, i:-i].sum() + a[i, 5:i].prod()
    return s


def of_other_lengths(a, b):
    for i in range(a.shape[0]):
        a[i, :i] += b[i, : i + 1]
    return a


def exchanged(a, b):
    for i in range(1, a.shape[0]):
        a[i, :i], a[i - 1, :i] = a[i - 1, :i], a[i, :i].copy()
        a[i, :i] = a[i - 1, :i] + a[i, :i] ** 2 - a[0, :i]
    return a


def halved(r, k):
    r[:k] *= 0.5
    return r[:k].sum()


def by_a_helper(a, b):
    s = 0.0
    for i in range(a.shape[0]):
        s += halved(a[i], i) + halved(a[:, i], i)
    return a, s


def truths_and_places(a, b):
    c = np.zeros(a.shape[0], np.int64)
    for i in range(a.shape[0]):
        c[i] = np.any(a[i, :i] > 0.99) + 2 * np.all(a[i, i:] > 0.001) + 4 * np.count_nonzero(a[i, :i] > b[i, :i])
        if i > 0:
            c[i] += np.argmax(a[i, :i] > 0.5) * 100 + np.argmax(b[i, :i])
    return c


def in_a_while_loop(a, b):
    i = 0
    t = 0.0
    while t < 1e3 and i < a.shape[0]:
        j = i
        while j > 0 and a[j, 0] < a[j - 1, 0]:
            a[j, :j], a[j - 1, :j] = a[j - 1, :j].copy(), a[j, :j].copy()
            t += a[j, :j] @ b[:j, j]
            j -= 1
        i += 1
    return a, t, i


FUNCTIONS = (
    views, rows_and_columns, a_block_of_one_row, in_a_try, beside_nan, from_the_end, of_other_lengths, exchanged,
    by_a_helper, truths_and_places, in_a_while_loop,
)  # fmt: skip


@pytest.mark.parametrize("n", [9, 150])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_numpy(rng, function, n):
    a, b = rng.random((2, n, n))
    check(function, a, b, ulps=2**26)
