"""Slices with bounds known only at run time, in branches, loops and helpers, and kernels made of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import NOTHING, M, N, S, V, W, Worded, ints
from tests.program_table import Program, Table

case = Table(Worded)


# ---- control flow ----------------------------------------------------------------------------------------------------


@case(*ints(V, at=(0, 3, 5, 8)))
def slices_in_a_branch(a, k):
    if k > 4:
        b = a[:k]
    else:
        b = a[k:]
    return b, b.sum()


@case(*ints(V, at=(0, 3, 5, 8)))
def a_slice_or_the_whole(a, k):
    b = a
    if a[0] < k:
        b = a[:k]
    return b.sum(), len(b), b


@case(*ints(V, at=(0, 3, 5, 8)))
def written_through_a_slice_of_a_branch(a, k):
    if k > 4:
        b = a[:k]
    else:
        b = a[k:]
    b += 10
    return a


@case(*ints(V, at=(0, 3, 5, 8)))
def slices_in_a_choice(a, k):
    return (a[:k] if a[2] > k else a[k:]).sum()


@case((V,), (W,), (NOTHING,), copies=True)
def a_slice_carried_through_a_loop(a):
    b = a
    while len(b) > 1 and b[0] < 4:
        b = b[1:]
    return b, len(b)


@case((V,), (W,))
def halved_in_a_loop(a):
    total = 0.0
    while len(a) > 1:
        half = len(a) // 2
        total += a[:half].sum() - a[half:].sum()
        a = a[:half] if a[0] > 2 else a[half:]
    return total, a


@case((np.sort(V), 4.0), (np.sort(V), 5.0), (np.sort(V), 100.0))
def bisection_on_slices(a, x):
    while a.size > 1:
        m = a.size // 2
        if x < a[m]:
            a = a[:m]
        else:
            a = a[m:]
    return a[0] == x, a


@case((V,), (W,))
def written_through_a_slice_of_a_loop(a):
    b = a[1:]
    for i in range(3):
        b[i:] += i
        b[: i + 1] *= 2
    return a, b


@case(*ints(V, at=(0, 3, 8)))
def a_slice_from_before_a_loop(a, k):
    b = a[:k]
    total = 0.0
    for i in range(4):
        total += b.sum()
        a[i] = 0
    return total, b


@case(*ints(V, at=(0, 3, 8, 20)))
def a_break_with_a_slice(a, limit):
    for i in range(len(a)):
        part = a[: i + 1]
        if part.sum() > limit:
            break
    return part


@case(*ints(V, at=(0, 3, 8, 20)))
def a_return_of_a_slice_out_of_a_loop(a, limit):
    for i in range(len(a)):
        if a[i:].sum() < limit:
            return a[i:]
    return a[:0]


@case(*ints(V, at=(0, 3, 8, 9)), copies=True)
def early_returns_of_slices(a, k):
    if a[0] > k:
        return a[:k]
    if k > 8:
        return a
    return a[k:]


@case(*ints(V, at=(0, 3, 8, 20)))
def continue_over_slices(a, limit):
    out = np.zeros(8)
    for i in range(8):
        if a[i] > limit:
            continue
        out[i:] += a[i]
    return out


def half(a):
    return a[: len(a) // 2]


def scale(a, c):
    a *= c


def norm(v):
    return np.sqrt((v * v).sum())


def normalised(v):
    n = norm(v)
    if n == 0:
        return v
    return v / n


@case(*ints(V, at=(0, 1, 5, 8)))
def slices_given_to_helpers(a, k):
    scale(a[:k], 2)
    return half(a[:k]), half(half(a[k:])), norm(a[:k])


@case(*ints(V, at=(0, 1, 5, 8)))
def helpers_with_early_returns(a, k):
    return normalised(a[:k]), normalised(a[k:])


@case(*ints(V, at=(0, 1, 5, 8)))
def a_local_helper_and_a_lambda(a, k):
    def tail(n):
        return a[n:]

    head = lambda n: a[:n]  # noqa: E731
    return tail(k).sum() - head(k).sum(), tail(k)


@case(*ints(V, at=(0, 1, 5, 8)))
def slices_under_try(a, k):
    try:
        b = a[:k]
        x = b[2]
    except IndexError:
        x = -1.0
        b = a[:1]
    return x, b


@case(*ints(V, at=(0, 1, 5, 8)))
def mismatch_under_try(a, k):
    try:
        a[:k] = a[3:]
    except ValueError:
        a[0] = 99
    return a


@case(*ints(V, at=(0, 1, 5, 8)), copies=True)
def a_slice_object(a, k):
    s = slice(k, None)
    return a[s], a[slice(0, k, 2)]


@case(*ints(V, at=(0, 1, 5, 8)))
def a_bound_that_may_be_none(a, k):
    stop = None
    if k > 3:
        stop = k
    return a[:stop].sum()


# ---- kernels ---------------------------------------------------------------------------------------------------------


@case((S,))
def cholesky(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[j, :j]) / a[j, j]
        a[i, i] = np.sqrt(a[i, i] - a[i, :i] @ a[i, :i])
    return np.tril(a)


@case((S,))
def lu(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


@case((S, np.array([1.0, 2.0, 3.0, 4.0])))
def triangular_solve(lower, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


@case((S, np.array([1.0, 2.0, 3.0, 4.0])))
def back_substitution(upper, b):
    n = len(b)
    x = b.copy()
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - np.dot(upper[i, i + 1 :], x[i + 1 :])) / upper[i, i]
    return x


@case((S,), (S[::-1].copy(),))
def elimination_with_pivots(a):
    n = len(a)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


@case((S[:, :3].copy(),))
def gram_schmidt(a):
    m, n = a.shape
    q = np.zeros((m, n))
    r = np.zeros((n, n))
    for k in range(n):
        r[:k, k] = q[:, :k].T @ a[:, k]
        v = a[:, k] - q[:, :k] @ r[:k, k]
        r[k, k] = np.sqrt(v @ v)
        q[:, k] = v / r[k, k]
    return q, r


@case((S,))
def householder(a):
    a = a.copy()
    n = a.shape[1]
    for k in range(n - 1):
        x = a[k:, k].copy()
        x[0] += np.copysign(np.linalg.norm(x), x[0])
        v = x / np.linalg.norm(x)
        a[k:, k:] -= 2 * np.outer(v, v @ a[k:, k:])
    return np.round(a, 9) + 0.0


@case((np.array([0.5, 0.25, 0.1, 0.05]),))
def durbin(r):
    n = len(r)
    y = np.zeros(n)
    y[0] = -r[0]
    beta, alpha = 1.0, -r[0]
    for k in range(1, n):
        beta *= 1 - alpha * alpha
        alpha = -(r[k] + r[:k][::-1] @ y[:k]) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k] = alpha
    return y


@case((S, M[:4, :3].copy(), 1.5, 0.5))
def symmetric_rank_k_update(c, a, alpha, beta):
    n, m = a.shape
    for i in range(n):
        c[i, : i + 1] *= beta
        for k in range(m):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]
    return c


@case((S, M[:4, :3].copy()))
def triangular_product(a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    return b


@case((np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([0, 2, 1, 3, 0]), np.array([0, 2, 2, 4, 5]), V[:4].copy()))
def sparse_product_by_rows(data, columns, starts, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(y)):
        row = slice(starts[i], starts[i + 1])
        y[i] = data[row] @ x[columns[row]]
    return y


@case((V, np.array([1.0, -2.0, 0.5])), (W, np.array([0.0, 1.0, 2.0])))
def convolution_of_windows(a, h):
    out = np.zeros(len(a) + len(h) - 1)
    for i in range(len(out)):
        lo, hi = max(0, i - len(h) + 1), min(len(a), i + 1)
        out[i] = (a[lo:hi] * h[i - hi + 1 : i - lo + 1][::-1]).sum()
    return out


@case((V,), (W,))
def autocorrelation(a):
    r = np.zeros(len(a))
    for lag in range(len(a)):
        r[lag] = (a[: len(a) - lag] * a[lag:]).sum()
    return r


@case((N,), (N[::-1].copy(),))
def insertion_sort_by_slices(a):
    for i in range(1, len(a)):
        x = a[i]
        j = np.searchsorted(a[:i], x)
        a[j + 1 : i + 1] = a[j:i]
        a[j] = x
    return a


@case((N,), (N[::-1].copy(),))
def selection_sort_by_slices(a):
    for i in range(len(a) - 1):
        j = i + a[i:].argmin()
        a[i], a[j] = a[j], a[i]
    return a


@case((np.array([1, 2, 5]), 8), (np.array([3, 4, 7]), 8))
def coin_changes(coins, most):
    ways = np.zeros(12, dtype=np.int64)
    ways[0] = 1
    for c in coins:
        for v in range(c, 12):
            ways[v] += ways[v - c]
    return ways[: most + 1]


@case((np.array([2, 3, 4]), np.array([3.0, 4.0, 6.0])), (np.array([5, 1, 2]), np.array([9.0, 2.0, 2.5])))
def knapsack_by_slices(weights, values):
    best = np.zeros(9)
    for w, v in zip(weights, values, strict=True):
        best[w:] = np.maximum(best[w:], best[: len(best) - w] + v)
    return best


@case((5,), (1,), (2,), (7,))
def rows_of_pascals_triangle(n):
    row = np.zeros(8, dtype=np.int64)
    row[0] = 1
    for i in range(1, n):
        row[1 : i + 1] += row[:i].copy()
    return row[:n]


@case((np.array([1, 9, 9, 9]),), (np.array([9, 9, 9, 9]),), (np.array([1, 2, 3, 4]),))
def digits_with_a_carry(digits):
    i = len(digits) - 1
    while i >= 0 and digits[i] == 9:
        i -= 1
    digits[i + 1 :] = 0
    if i >= 0:
        digits[i] += 1
    return digits


@case((V, 3), (V, 1), (W, 8))
def blocks_of_a_run_time_size(a, size):
    total = np.zeros(8)
    n = 0
    for start in range(0, len(a), size):
        total[n] = a[start : start + size].max()
        n += 1
    return total[:n]


@case((np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]]), 1), (np.ones((3, 4), dtype=int), 2))
def sums_around_each_pixel(image, r):
    out = np.zeros_like(image)
    h, w = image.shape
    for y in range(h):
        for x in range(w):
            out[y, x] = image[max(0, y - r) : y + r + 1, max(0, x - r) : x + r + 1].sum()
    return out


@case((V, 3, 2), (V, 8, 0), (W, 0, 5))
def prefix_and_suffix_products(a, i, j):
    return np.prod(a[:i]) * np.prod(a[j:]), a[:i] @ a[:i], a[j:] @ a[j:]


@pytest.mark.parametrize("program", case.programs)
def test_slices(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs)
def test_slices_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()
