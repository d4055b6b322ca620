"""Slices with bounds known only at run time: read, written, augmented, named, carried, given to helpers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import NOTHING, B, C, M, N, S, T, V, W, Worded, each, ints
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


# ---- written ---------------------------------------------------------------------------------------------------------


@case(*ints(V, at=ENDS))
def a_number_into_a_prefix(a, k):
    a[:k] = 7
    return a


@case(*each(V, last=BOTH))
def a_number_into_a_window(a, i, j):
    a[i:j] = -0.5


@case(*each(V, last=BOTH))
def windows_augmented(a, i, j):
    a[i:j] *= 2
    a[i:j] += 1
    a[i:j] -= a[i:j] / 4
    return a.sum()


@case(*each(V, W, last=BOTH))
def a_window_of_another_array(a, b, i, j):
    a[i:j] = b[i:j]
    return a


@case(*each(V, W, last=((2, 5, 3), (0, 8, 1), (2, 5, 4), (2, 5, 0), (5, 2, 0), (5, 2, 1))))
def a_window_of_another_size(a, b, i, j, k):
    a[i:j] = b[:k]
    return a


@case(*ints(V, np.array([1.0, 2.0, 3.0]), at=(3, 1, 4, 8, 0)))
def a_fixed_size_into_a_run_time_size(a, b, k):
    a[:k] = b
    return a


@case(*ints(V, np.array([5.0]), at=(3, 0, 8)))
def one_element_into_any_window(a, b, k):
    a[k:] = b
    a[:k] += b
    return a


@case(*each(V, W, last=BOTH))
def a_reversed_window(a, b, lo, hi):
    a[lo:hi] = b[lo:hi][::-1]
    return a


@case(*each(V, last=BOTH))
def a_window_reversed_in_place(a, lo, hi):
    a[lo:hi] = a[lo:hi][::-1]
    return a


@case(*ints(V, at=(0, 1, 3, 5, 8)))
def the_end_into_the_start(a, k):
    n = len(a)
    a[:k] = a[n - k :]
    return a


@case(*ints(V, at=(0, 1, 3, 7)))
def shifted_right_in_place(a, k):
    a[k:] = a[: len(a) - k]
    a[:k] = 0
    return a


@case(*ints(V, at=(1, 3, 7)))
def shifted_left_in_place(a, k):
    a[:-k] = a[k:]
    a[-k:] = 0


@case(*ints(V, at=(0, 1, 3, 7)))
def added_to_what_overlaps(a, k):
    a[k:] += a[: len(a) - k]
    return a


@case(*ints(V, at=(0, 2, 8, 3)))
def rotated(a, k):
    b = np.empty_like(a)
    b[: len(a) - k] = a[k:]
    b[len(a) - k :] = a[:k]
    return b


@case(*ints(N, at=(0, 3, 8)))
def floats_into_ints(a, k):
    a[:k] = 2.9
    a[k:] = np.array([1.5])
    return a


@case(*ints(N, at=(0, 3, 8)))
def ints_augmented_by_a_fraction(a, k):
    a[:k] += 0.5
    return a


@case(*ints(N, at=(0, 3, 8)))
def ints_divided_in_place(a, k):
    a[:k] //= 2
    a[k:] %= 3
    a[:k] <<= 1
    return a


@case(*each(M, last=((2, 3), (0, 0), (5, 6), (-1, -2), (1, 9))))
def blocks_of_a_matrix_written(a, i, j):
    a[:i, :j] = 0
    a[i:, j:] += 100
    a[:i, j:] *= -1
    return a


@case(*each(M, last=((2, 3), (0, 0), (4, 6), (-1, -2))))
def a_row_written_into_rows(a, i, j):
    a[:i, :j] = a[-1, :j]
    a[i, j:] = a[0, j:] + 1
    return a


@case(*each(M, last=((2, 3), (0, 0), (5, 5))))
def a_column_written_into_columns(a, i, j):
    a[:i, :j] = a[:i, -1:]
    a[i:, j] = a[i:, 0]
    return a


@case(*each(M, last=((2, 3), (1, 3), (2, 1), (3, 2))))
def a_block_of_another_shape(a, i, j):
    a[:2, :j] = a[2 : 2 + i, 1:4]
    return a


@case(*ints(M, at=(0, 2, 5)))
def written_through_a_transposed_view(a, k):
    a.T[:k] = 5
    a.T[k:, :2] += 1
    return a


@case(*ints(V, at=(0, 1, 3, 4)))
def written_through_a_strided_view(a, k):
    a[::2][:k] = 5
    a[::-1][:k] += 10
    return a


@case(*each(V, last=((1, 6, 2), (0, 8, 3), (6, 1, -2), (3, 3, 1))))
def written_at_a_run_time_step(a, i, j, s):
    a[i:j:s] = -1
    a[::s] += 1
    return a


@case(*ints(V, at=(1, 2, 3, 8)))
def a_sieve_like_stride(a, s):
    a[s * s :: s] = 0
    return a


@case((30,), (2,), (31,), (7,))
def sieve_of_primes(n):
    prime = np.ones(40, dtype=bool)
    prime[:2] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            prime[i * i :: i] = False
        i += 1
    return prime[: n + 1], prime[: n + 1].sum()


@case(*each(V, last=((2, 5), (0, 8), (4, 4))))
def written_through_a_slice_with_a_name(a, i, j):
    b = a[i:j]
    b[:] = 1
    b += 2
    c = b[1:]
    c *= 10
    return a, b, c


@case(*each(V, last=((2, 5), (0, 8), (3, 4))))
def a_slice_sees_later_writes(a, i, j):
    b = a[i:j]
    a[i] = 100
    a[:] += 1
    s = b.sum()
    b[0] = -1
    return s, a, b


@case(*ints(V, at=(1, 4, 8)))
def items_of_a_named_slice_written(a, k):
    b = a[:k]
    b[0] = 50
    b[-1] += 1
    b[k // 2] *= 2
    return a


@case(*each(V, last=((3, 2), (3, 3), (3, -3), (3, -4), (0, 0))))
def an_item_outside_of_a_named_slice(a, k, i):
    b = a[:k]
    b[i] = 9
    return a


@case(*ints(V, at=(0, 3, 8)))
def methods_that_write_into_a_slice(a, k):
    a[:k].fill(3)
    return a


@case(*ints(V, at=(0, 3, 8)))
def functions_that_write_into_a_slice(a, k):
    np.copyto(a[:k], 1.5)
    np.add(a[k:], 1, out=a[k:])
    np.negative(a[:k], out=a[:k])
    return a


@case(*ints(V, at=(0, 3, 8)))
def out_of_a_slice_into_a_slice(a, k):
    out = np.zeros(8)
    np.multiply(a[:k], 2, out=out[:k])
    np.cumsum(a[:k], out=out[:k])
    return out


@case(*each(V, last=((1, 3), (2, 6), (0, 0))))
def two_slices_swapped(a, i, j):
    a[i : i + 2], a[j : j + 2] = a[j : j + 2].copy(), a[i : i + 2].copy()
    return a


@case(*ints(V, at=(0, 3, 8)))
def a_copy_is_not_the_array(a, k):
    b = a[:k].copy()
    b += 1
    c = a[:k] + 0
    c[:] = 9
    return a, b


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
