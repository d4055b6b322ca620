"""Results of different sizes: in branches and early returns, and sizes made of run-time numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import NOTHING, Hoped, M, N, S, V, W, Worded, each, ints
from tests.program_table import Program, Table

case = Table(Worded)
# Those that may be refused.
hoped = Table(Hoped)


# ---- branches --------------------------------------------------------------------------------------------------------


@case((V, 1.0), (V, 5.0))
def different_lengths(a, x):
    if a[0] > x:
        b = np.zeros(3)
    else:
        b = np.ones(5)
    return b, len(b), b.sum()


@case((V, 1.0), (V, 5.0))
def different_lengths_of_new_arrays(a, x):
    b = a[:3] * 2 if a[0] > x else a[2:] + 1
    c = b + 1
    c[0] = 9
    return b, c


@case((V, 1.0), (V, 5.0))
def views_of_different_lengths(a, x):
    b = a[:3] if a[0] > x else a[2:]
    b += 100
    return a, b


@case((V, 1), (V, 2), (V, 3), (V, -1))
def more_than_two_lengths(a, k):
    if k == 1:
        b = a[:1]
    elif k == 2:
        b = a[::2]
    elif k == 3:
        b = np.concatenate([a, a])
    else:
        b = np.array([7.0])
    return b, b.size


@case((V, 1.0), (V, 5.0))
def different_dtypes_and_lengths(a, x):
    if a[0] > x:
        b = np.arange(3)
    else:
        b = np.arange(4)
    return b * 2, b.max()


@case((M, 1.0), (M, -50.0))
def different_shapes_of_matrices(a, x):
    if a[0, 0] > x:
        b = a[:2]
    else:
        b = a[1:, :3]
    return b, b.shape, b.sum(axis=0)


@case((M, 1.0), (M, -50.0))
def an_array_or_its_transpose(a, x):
    if a[0, 0] < x:
        a = a.T
    return a.shape, a.sum(axis=1), a


@case((V, 1), (V, 2), (V, 5))
def one_branch_only(a, k):
    if k > 1:
        a = a[1:]
    if k > 3:
        a = np.append(a, [1.0, 2.0])
    return a


@case((V, 0), (V, 1), (V, 5), (V, 8), (V, 9))
def the_argument_or_a_slice_and_a_slice_of_that(a, k):
    b = a
    if a[0] < k:
        b = a[:k]
    return b, b[:], b[1:], [b]


@case((V, 0), (V, 1), (V, 5), (V, 8), (V, 9))
def the_argument_or_a_slice_written_through_a_slice_of_all(a, k):
    b = a
    if a[0] < k:
        b = a[:k]
    if a[2] < k:
        b = b[:]
    b += 1
    return a, b.sum(), len(b)


@case((V, 0), (V, 1), (V, 5), (V, 8))
def a_slice_of_what_a_branch_chose_goes_through_a_loop(a, k):
    b = a if a[0] > k else a[:k]
    for i in range(3):
        if i < k:
            b = b[:]
        b[0] += i
    return a, b.sum(), len(b)


@case((V, 0), (V, 1), (V, 5), (V, 8))
def a_slice_of_all_of_what_a_branch_chose(a, k):
    b = np.append(a, 1.0) if a[0] < k else a
    b = b[:]
    b -= 1
    return b, a


@case((V, 1.0), (V, 5.0))
def early_returns_of_different_lengths(a, x):
    if a[0] > x:
        return a[:3]
    b = a * 2
    return b[b > 0]


@case((V, 1.0), (V, 5.0), (V, 50.0))
def early_returns_in_a_loop(a, x):
    for i in range(8):
        if a[i] > x:
            return a[i:]
    return np.zeros(2)


def trimmed(v):
    if len(v) > 4:
        return v[1:-1]
    return v


@case((V,), (W,))
def a_helper_with_different_lengths(a):
    b = trimmed(a)
    c = trimmed(b[: 4 if a[0] > 2 else 5])
    return trimmed(trimmed(b)), c


@case((V, 1), (V, 2), (V, 3))
def matched_lengths(a, k):
    match k:
        case 1:
            b = a[:2]
        case 2:
            b = a[:5]
        case _:
            b = a
    return b, b.mean()


@case((V, 1.0), (V, 5.0))
def in_containers_of_branches(a, x):
    if a[0] > x:
        d = {"v": a[:2], "n": 2}
    else:
        d = {"v": a[:6], "n": 6}
    return d, d["v"].sum() / d["n"]


@case((V, 1.0), (V, 5.0))
def a_try_with_different_lengths(a, x):
    try:
        if a[0] < x:
            raise ValueError("short")
        b = a[:6]
    except ValueError:
        b = a[:2]
    return b


@case((V, 3), (V, 0), (V, 8))
def a_window_or_a_static_length(a, k):
    b = a[:k]
    if b.sum() > 5:
        b = np.zeros(2)
    return b, len(b)


@case((V, 3), (V, 0), (V, 8))
def none_or_an_array(a, k):
    b = None
    if k > 2:
        b = a[:k]
    if b is None:
        return -1.0
    return b.sum()


# ---- memory that is one of a few ------------------------------------------------------------------------------------


@case((V, 1.0), (V, 5.0))
def an_array_or_a_part_of_it_written(a, x):
    b = a if a[0] > x else a[1:]
    b[0] = 9
    a[1] += 1
    return b


@hoped((V, 1.0), (V, 5.0))
def a_shorter_array_of_the_caller_written(a, x):
    if a[0] > x:
        a = a[:-2]
    a[1] = 5
    a[a > 4] += 1
    return a


@case((V, 1.0), (V, 5.0))
def an_array_or_a_new_one_written(a, x):
    b = a if a[0] > x else np.zeros(2)
    b += 1
    return b


@hoped((V, 3), (V, 0))
def a_part_found_by_a_loop_written(a, n):
    while n > 0:
        a = a[1:]
        n -= 1
    a[0] = 7
    return a


@case((V, 3.0), (V, 20.0))
def a_grown_array_written(a, x):
    out = a[:1].copy()
    while out.sum() < x:
        out = np.append(out, 2.0)
        out[0] += 1
        a[0] += 1
    out *= 2
    return out


@case((V, W, S[0], 1, 0), (V, W, S[0], 1, 1))
def one_of_three_written(a, b, c, p, q):
    if p > 0:
        if q > 0:
            d = a
        else:
            d = b
    else:
        d = c
    d[0] = 9
    return d


# ---- sizes made of numbers -------------------------------------------------------------------------------------------


@case(*ints(V, at=(0, 1, 5)))
def made_by_run_time_sizes(a, k):
    n = (a[:k] > 0).sum()
    return np.zeros(n), np.ones((n, 2)), np.full(n, 2.5), np.arange(n), np.arange(1, n + 1) * 0.5, np.eye(n)


@case((V,), (NOTHING,))
def linspace_of_a_run_time_size(a):
    n = int((a > 0).sum())
    return np.linspace(0, 1, n + 1), np.linspace(0.0, 1.0, n + 2)[1:-1]


@case((V,), (NOTHING,))
def ranges_of_a_run_time_size(a):
    n = int((a > 0).sum())
    return np.arange(n, 2 * n), np.arange(0, n, 2), np.arange(n)[::-1], np.arange(n).sum(), np.arange(n * 1.0)


@case((N, V), (N * 0, V))
def repeated_by_counts(counts, values):
    return np.repeat(values, np.maximum(counts, 0))


@case((V,), (NOTHING,))
def tiled_by_a_run_time_number(a):
    n = int((a > 6).sum())
    return np.tile(a[:2], n), np.repeat(a[:3], n), np.tile(a[:2], n + 1).shape


@case((V,), (NOTHING,))
def filled_in_a_loop(a):
    n = int((a > 0).sum())
    out = np.empty(n)
    for i in range(n):
        out[i] = i * a[i]
    return out


@case((V,), (NOTHING,))
def a_matrix_of_a_run_time_size(a):
    n = int((a > 0).sum())
    m = np.zeros((n, n))
    for i in range(n):
        m[i, i] = a[i]
        m[i, :i] = 1
    return m, m.sum(axis=1)


@case((V, -1), (-V, -2))
def a_negative_size(a, k):
    n = int((a > 0).sum()) * 0 + k
    return np.zeros(n)


@hoped((S, 3.0), (S, 100.0))
def a_submatrix_of_found_rows(a, x):
    keep = np.flatnonzero(np.diag(a) > x)
    return a[np.ix_(keep, keep)], a[keep][:, keep].sum()


@case(*each(V, last=((2,), (3,), (8,))))
def chunks_in_a_list(a, size):
    total = []
    for start in range(0, len(a), size):
        total.append(a[start : start + size].sum())
    return np.array(total)


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_branches(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_branches_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()
