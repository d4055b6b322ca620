"""Slices with bounds known only at run time, written: assigned, augmented, named, overlapping."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import M, N, V, W, Worded, each, ints
from tests.program_table import Program, Table

case = Table(Worded)
ENDS = (0, 1, 5, 8, 11, -1, -3, -8, -12)
BOTH = ((2, 5), (0, 8), (5, 2), (3, 3), (-4, -1), (-20, 20), (6, 100), (-2, 1), (8, 9))


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


@case(*each(V, last=((1, 1), (0, 2), (3, 1))))
def strided_and_windowed(a, i, s):
    b = a * 2.0
    a[i::s] += b[i:8:2] if s == 2 else b[i:]
    return a[i::s] + b[i : i + len(a[i::s])]


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


@pytest.mark.parametrize("program", case.programs)
def test_slices(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs)
def test_slices_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()
