"""Slices with bounds known only at run time, read: of vectors, matrices, views and slices."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import NOTHING, B, C, M, N, T, V, W, Worded, each, ints
from tests.program_table import Program, Table

case = Table(Worded)
ENDS = (0, 1, 5, 8, 11, -1, -3, -8, -12)
BOTH = ((2, 5), (0, 8), (5, 2), (3, 3), (-4, -1), (-20, 20), (6, 100), (-2, 1), (8, 9))


# ---- read ------------------------------------------------------------------------------------------------------------


@case(*ints(V, at=ENDS))
def prefixes(a, k):
    return a[:k]


@case(*ints(V, at=ENDS))
def suffixes(a, k):
    return a[k:]


@case(*each(V, last=BOTH))
def windows(a, i, j):
    return a[i:j]


@case(*each(N, last=BOTH))
def windows_of_ints_are_copied(a, i, j):
    b = a[i:j].copy()
    a[:] = 0
    return b, len(b)


@case(*ints(B, at=(0, 3, 8)))
def windows_of_bools(a, k):
    return a[:k], ~a[:k], a[:k].sum(), a[k:].any(), a[k:].all()


@case(*ints(C, at=(0, 3, 8)))
def windows_of_complex_numbers(a, k):
    return a[:k], a[:k].conj(), a[k:].real, a[k:].imag.sum(), abs(a[:k])


@case((V.astype(np.float32), 3), (V.astype(np.float32), 0))
def windows_keep_a_narrow_dtype(a, k):
    return a[:k], a[:k] * 2, a[:k].sum(), a[:k].mean(), a[:k] + np.float64(1)


@case((N.astype(np.int8), 3), (N.astype(np.int8), 8), (N.astype(np.int8), 0))
def windows_of_small_ints_sum_to_wide_ones(a, k):
    return a[:k] + a[:k], a[:k].sum(), a[:k].cumsum(), a[:k].prod()


@case((V,), (-V,), (NOTHING,))
def the_bound_is_counted(a):
    k = (a > 0).sum()
    return a[:k], a[k:]


@case((V,), (-V,), (NOTHING,))
def the_bound_is_found(a):
    k = int(np.argmax(a))
    return a[:k], a[k + 1 :], a[k]


@case((V, 2.5), (V, 0.0), (V, 7.9))
def the_bound_is_a_rounded_float(a, x):
    k = int(x)
    return a[:k].sum(), a[k:].sum()


@case((np.sort(V), 0.0), (np.sort(V), -100.0), (np.sort(V), 100.0))
def the_bound_is_searched(a, x):
    k = np.searchsorted(a, x)
    return a[:k], a[k:], k


@case((V, 2.5), (V, 1.0))
def a_float_is_no_bound(a, x):
    return a[:x]


@case(*ints(M, at=(0, 2, 5, -1, 9)))
def rows_of_a_matrix(a, k):
    return a[:k], a[k:], a[:k].shape, a[k:, 1]


@case(*ints(M, at=(0, 2, 6, -1, 9)))
def columns_of_a_matrix(a, k):
    return a[:, :k], a[1, k:], a[-1, :k], a[..., k:]


@case(*each(M, last=((2, 3), (0, 0), (5, 6), (-1, -2), (1, 9), (0, 4))))
def two_windows_of_a_matrix(a, i, j):
    return a[:i, :j], a[i:, j:], a[:i, j:].sum(), a[i:, :j].shape


@case(*each(M, last=((2, 3), (0, 0), (4, 5), (-1, -2), (5, 1))))
def a_row_and_a_window(a, i, j):
    return a[i, :j], a[i, j:]


@case(*each(T, last=((1, 2), (0, 0), (2, 4))))
def windows_of_three_axes(a, i, j):
    return a[:i, :, :j], a[i:, 0], a[:, -1, j:], a[..., :j].sum(axis=(0, 2))


@case(*ints(M, at=(0, 2, 5)))
def windows_of_a_transposed_view(a, k):
    b = a.T[:k]
    return b, b.sum(axis=0), a.T[k:, 1:3]


@case(*ints(V, at=(0, 1, 3, 4, 5, -1)))
def windows_of_a_strided_view(a, k):
    return a[::2][:k], a[::-1][:k], a[1::3][k:], a[::-2][k:]


@case(*ints(M, at=(0, 3, 7, 30)))
def windows_of_a_flat_view(a, k):
    return a.reshape(-1)[:k], a.ravel()[k:], a.flatten()[:k].sum()


@case(*ints(M, at=(0, 2, 5)))
def windows_of_a_diagonal(a, k):
    return np.diag(a)[:k], a.diagonal()[k:].sum()


@case(*each(V, last=BOTH), copies=True)
def every_second_of_a_window(a, i, j):
    return a[i:j:2], a[i:j][::2], a[i:j:3].sum()


@case(*each(V, last=BOTH), copies=True)
def a_window_backwards(a, i, j):
    return a[i:j][::-1], a[i:j:-1], a[j:i:-2]


@case(*each(V, last=((1,), (2,), (3,), (8,), (20,))), copies=True)
def a_step_known_at_run_time(a, s):
    return a[::s], a[1::s].sum(), a[:6:s]


@case(*each(V, last=((-1,), (-2,), (-9,))), copies=True)
def a_step_backwards_known_at_run_time(a, s):
    return a[::s], a[5::s], a[5:1:s]


@case((V, 0), (V, 0))
def a_step_of_zero(a, s):
    return a[::s]


@case(*each(V, last=((np.int64(2),), (np.int64(-2),), (np.int64(0),), (np.uint8(3),), (True,), (0,))), copies=True)
def a_step_of_one_kind_or_another(a, s):
    return a[:: s or 1], a[5 :: s or 2].sum(), a[s or None :: s or 1]


@case(*each(V, last=((np.uint8(2),), (np.uint64(1),), (np.int32(-3),))), copies=True)
def a_step_of_a_dtype(a, s):
    return a[::s], a[5:1:s]


@case(*each(V, last=((1, 6, 2), (6, 1, -2), (-100, 100, 3), (100, -100, -3), (2, 2, 1))), copies=True)
def all_three_known_at_run_time(a, i, j, s):
    return a[i:j:s]


@case(*each(V, last=((1, 2), (0, 8), (3, 3), (5, -1), (-3, -1), (8, 0))))
def slices_of_slices(a, i, j):
    return a[i:][:j], a[:i][:j], a[i:][j:], a[:i][j:]


@case(*each(V, last=((1, 7, 2), (0, 8, 8), (3, 3, 1), (2, 6, 0))))
def slices_of_slices_of_slices(a, i, j, k):
    b = a[i:j]
    c = b[k:]
    return c[:2], c[1:-1], b[:-k], b[-1:], c[::-1][:k]


@case(*ints(V, at=(0, 3, 5, 6, 7, 8, 9, -1, -2, -3, -9)))
def a_fixed_length_at_a_run_time_start(a, i):
    return a[i : i + 3]


@case(*ints(M, at=(0, 1, 3, 4, 5)))
def fixed_blocks_of_a_matrix(a, i):
    return a[i : i + 2, 2:4], a[:, i : i + 2], a[i - 1 : i + 2]


@case((np.arange(10.0), 3), (np.arange(10.0), 2))
def moving_averages_of_fixed_windows(a, w):
    out = np.zeros(8)
    for i in range(8):
        out[i] = a[i : i + 3].mean() + w
    return out


@case(*ints(V, at=(2, 3, 8, 1)))
def moving_averages_of_a_run_time_width(a, w):
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = a[max(0, i - w + 1) : i + 1].mean()
    return out


@case((V,), (W,))
def prefix_sums_in_a_loop(a):
    out = np.zeros_like(a)
    for i in range(len(a)):
        out[i] = a[: i + 1].sum()
    return out


@case(*ints(V, at=(0, 1, 4, 8)))
def items_of_a_window(a, k):
    b = a[:k]
    return b[0], b[-1]


@case(*each(V, last=((4, 3), (4, 4), (4, -4), (4, -5), (0, 0), (8, 7))))
def items_of_a_window_at_run_time(a, k, i):
    return a[:k][i]


@case(*each(V, last=((2, 0), (2, 5), (2, 6), (5, -3), (5, -4))))
def items_of_a_tail_at_run_time(a, k, i):
    return a[k:][i]


@case(*each(M, last=((2, 1), (2, 2), (0, 0), (3, -3), (3, -4))))
def rows_of_a_window(a, k, i):
    return a[:k][i], a[:k][i, 2]


@case(*each(V, last=((4,), (2,), (8,))))
def a_window_at_a_list_of_positions(a, k):
    return a[:k][[0, -1, 1]], a[:k][np.array([[0, 1], [1, 0]])]


@case(*each(V, last=((4,), (3,), (0,))))
def a_window_at_positions_out_of_bounds(a, k):
    return a[:k][[0, 3]]


@case(*each(V, np.array([0, 5, 2, 2, 7, 1]), last=((4,), (0,), (6,))))
def an_array_at_a_window_of_positions(a, p, k):
    return a[p[:k]], a[p[k:]].sum()


@case((np.array([4, 2, 3, 4]),), (np.array([3, 2, 0, 3, 0]),), (np.array([5, 0, 0]),))
def a_step_that_is_the_number_of_elements(a):
    n = len(np.trim_zeros(a, "b"))
    b = np.zeros(3 * n)
    b[n - 1 :: n] = 1.0
    return b, b[::n], b[:1:-n], a[::n] + 1, a[n::n].shape


@case((np.array([4, 2, 3, 4]),), (np.array([3, -2, 1, -3, 1, 5, 7]),), (np.array([1, -1, 1]),))
def a_step_in_what_a_mask_leaves(a):
    b, n = a[a > 0], len(a[a > 2])
    return b[::n], b[::-n], b[1::n]


@pytest.mark.parametrize("program", case.programs)
def test_slices(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs)
def test_slices_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()
