"""Joining, splitting and changing arrays whose size is known only at run time."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.errors import RunTimeSizeError, UnsupportedOperationError
from tests.program_table import Program, Table

case = Table()
A = np.arange(8.0)
SIZES = tuple((A.copy(), n) for n in (3, 0, 1, 2, 8, 9))


@case(*SIZES)
def concatenate(a, n):
    return np.concatenate([a[:n], a[n:] * 2, [7.0]])


@case(*SIZES)
def concatenate_columns(a, n):
    m = a.reshape(2, 4)
    return np.concatenate([m[:, :n], m[:, n : n + 1]], axis=1)


@case(*SIZES)
def concatenate_rows(a, n):
    m = a.reshape(2, 4)
    return np.concatenate([m[:n], m[:n] * 2])


@case(*SIZES)
def concatenate_all(a, n):
    m = a.reshape(2, 4)
    return np.concatenate([m[:n], m], axis=None)


@case(*SIZES)
def concatenate_that_must_agree(a, n):
    m = a.reshape(2, 4)
    return np.concatenate([m[:, :n], m[:, 2:]], axis=0)


@case(*SIZES)
def append_one(a, n):
    return np.append(a[:n], 3)


@case(*SIZES)
def append_selections(a, n):
    return np.append(a[a > n], a[a < n])


@case(*SIZES)
def stack(a, n):
    return np.stack([a[:n], a[4 : 4 + n]])


@case(*SIZES)
def stack_of_static_size_beside(a, n):
    return np.stack([a[:n], a[6:]], axis=1)


@case(*SIZES)
def vstack(a, n):
    return np.vstack([a[:n], a[:n] + 1])


@case(*SIZES)
def hstack(a, n):
    return np.hstack([a[:n], 1.0, a])


@case(*SIZES)
def dstack(a, n):
    return np.dstack([a[:n], a[:n]])


@case(*SIZES)
def column_stack(a, n):
    return np.column_stack([a[:n], a[:n] + 1])


@case(*SIZES)
def brackets_of_rows(a, n):
    return np.r_[a[:n], 3, a[n:]]


@case(*SIZES)
def brackets_of_a_selection(a, n):
    return np.r_[0, a[a > n]]


@case(*SIZES)
def brackets_of_a_run_of_numbers(a, n):
    return np.r_[a.min() : a[1] + n : 0.5], np.r_[0:n]


@case(*SIZES)
def brackets_of_counted_numbers(a, n):
    return np.r_[a[1] : a[7] : 5j]


@case(*SIZES)
def brackets_of_a_list(a, n):
    found = [x * 2 for x in a if x > n]
    return np.r_[found], np.r_[0.0, found, 3]


@case(*SIZES)
def brackets_of_columns(a, n):
    return np.c_[a[:n], a[8 - n :]]


@case(*SIZES)
def block_of_matrices(a, n):
    m = a.reshape(2, 4)
    return np.block([[m[:, :n], m], [m[:, :n], m]])


@case(*SIZES)
def block_of_vectors(a, n):
    return np.block([a[:n], a])


@case(*SIZES)
def array_split(a, n):
    return np.array_split(a[:n], 3)


@case(*SIZES)
def split_evenly(a, n):
    return np.split(a[:n], 2)


@case(*SIZES)
def split_at_places(a, n):
    return np.split(a, [n, 6])


@case(*SIZES)
def delete_one(a, n):
    return np.delete(a[:n], 1)


@case(*SIZES)
def delete_at_a_place(a, n):
    return np.delete(a, n)


@case(*SIZES)
def delete_places(a, n):
    return np.delete(a, [n, 1])


@case(*SIZES)
def delete_ends(a, n):
    return np.delete(a[:n], [0, -1])


@case(*SIZES)
def delete_a_slice(a, n):
    return np.delete(a, slice(n, None))


@case(*SIZES)
def delete_by_mask(a, n):
    return np.delete(a, a > n)


@case(*SIZES)
def delete_a_column(a, n):
    return np.delete(a.reshape(2, 4), n, axis=1)


@case(*SIZES)
def insert_at_a_place(a, n):
    return np.insert(a, n, 5)


@case(*SIZES)
def insert_block(a, n):
    return np.insert(a[:n], 1, [5, 6])


@case(*SIZES)
def insert_at_two(a, n):
    return np.insert(a[:n], [0, 1], [5, 6])


@case(*SIZES)
def insert_at_one_of_a_list(a, n):
    return np.insert(a[:n], [0], [5, 6]), np.insert(a, [n], [5, 6]), np.insert(a.reshape(2, 4), [n // 9], 7, axis=1)


@case((np.arange(8.0), -9), (np.arange(8.0), 9))
def insert_where_there_is_no_place(a, n):
    return np.insert(a, np.asarray([n]), 5)


@case(*SIZES)
def insert_a_column(a, n):
    return np.insert(a.reshape(2, 4), n, 7, axis=1)


@case(*SIZES)
def insert_columns(a, n):
    return np.insert(a.reshape(2, 4)[:, :n], 1, [7, 8], axis=1)


@case(*SIZES)
def insert_a_window(a, n):
    return np.insert(a[:n], n, a[:n])


@case(*SIZES)
def pad(a, n):
    return np.pad(a[:n], (2, 1))


@case(*SIZES)
def pad_edge(a, n):
    return np.pad(a[:n], 3, mode="edge")


@case(*SIZES)
def pad_wrap(a, n):
    return np.pad(a[:n], 3, mode="wrap")


@case(*SIZES)
def pad_reflect(a, n):
    return np.pad(a[:n], 3, mode="reflect")


@case(*SIZES)
def pad_symmetric(a, n):
    return np.pad(a[:n], 3, mode="symmetric")


@case(*SIZES)
def pad_matrix(a, n):
    return np.pad(a.reshape(2, 4)[:, :n], ((1, 0), (2, 3)), constant_values=4)


@case(*SIZES)
def into_out(a, n):
    o = np.zeros(6)
    np.concatenate([a[:n], a[:n]], out=o)
    return o


@case(*SIZES)
def promoted(a, n):
    return np.concatenate([a[:n].astype(np.float32), np.arange(2, dtype=np.int16)[:n]])


@case(*SIZES)
def to_a_dtype(a, n):
    return np.concatenate([a[:n], a[:1]], dtype=np.int64)


@case(*SIZES)
def parts_are_views(a, n):
    p = np.split(a, [n])
    p[0][:] = 9
    return a


SHIFTS = tuple((A.copy(), np.array([n])) for n in (3, 0, -3, 8, 13, -13))


@case(*SHIFTS)
def turned(a, shifts):
    k = shifts[0]
    for _ in range(3):
        a = np.concatenate([a[k:], a[:k]])
    return a, a.reshape(2, 4)


@case(*SHIFTS)
def complements_and_what_is_none(a, shifts):
    k, m = shifts[0], a.reshape(4, 2)
    whole = np.vstack([m[k:], m[:k]]), np.concatenate([a[:k], [7.0], a[k:]]), np.append(a[: k + 1], a[k + 1 :])
    return whole, np.concatenate([a[:k], a[k + 1 :]]), np.concatenate([a[: k - 1], a[k:]])


RUNS = tuple((np.array(v), np.arange(float(len(v)))) for v in ([1, 2, 7, 8, 10], [1, 2, 3], [5, 3, 9]))


@case(*RUNS)
def split_into_runs(key, a):
    cut = np.nonzero(np.diff(key) > 1)[0] + 1
    parts = np.split(a, cut)
    return [p * 2 for p in parts], len(parts), [p.mean() for p in np.array_split(a, cut)], max(parts, key=len) + 1


@case(*RUNS)
def split_rows_and_columns_at_places(key, a):
    m = a[:, None] * np.arange(3.0)
    return [p.sum(axis=0) for p in np.split(m, key[key < 3])], np.hsplit(m, key[key < 3]), np.split(m, key[key > 9])


@case(*RUNS)
def split_along_an_axis_that_is_not_there(key, a):
    return np.split(a[:, None] * np.arange(3.0), key[key < 3], axis=2)


@case(*RUNS)
def split_alike_along_an_axis_that_is_not_there(key, a):
    return np.split(a[key < 9], 2, axis=-2)


@case(*RUNS)
def split_into_groups(key, a):
    key = key % 3
    order = np.argsort(key, kind="stable")
    found, first = np.unique(key[order], return_index=True)
    return {int(k): p.sum() for k, p in zip(found, np.split(a[order], first[1:]), strict=True)}


@case(RUNS[0], RUNS[2])
def split_at_a_list_of_places(key, a):
    cut = []
    for i in range(1, len(key)):
        if key[i] - key[i - 1] != 1:
            cut.append(i)
    longest, total = [], 0.0
    for part in np.split(a, cut):
        total += part[0] * len(part)
        if len(part) > len(longest):
            longest = part.copy()
    return longest, total


@case(*((a, key % 4 - 2) for key, a in RUNS))
def split_at_places_in_any_order(a, places):
    return [p + 1 for p in np.split(a, places[places < 5])]


@case(*RUNS)
def split_at_floats(key, a):
    return np.split(a, np.nonzero(np.diff(key) > 1)[0] / 2)


@pytest.mark.parametrize("program", case.programs)
def test_matches_eager(program: Program) -> None:
    program.check()


def test_one_program_serves_all_sizes(compiled: list[object]) -> None:
    @jit
    def join(a, b):
        return np.concatenate([a[a > 2], b[b > 2], a[:1]])

    for low in range(6):
        a, b = np.arange(8.0) - low, np.arange(4.0) + low
        np.testing.assert_array_equal(join(a, b), np.concatenate([a[a > 2], b[b > 2], a[:1]]))
    assert len(compiled) == 1


def test_what_two_parts_of_an_array_make_is_of_static_size():
    @jit
    def turned(a, shifts):
        k = shifts[0]
        sizes = np.concatenate([a[:k], a[k:]]), np.concatenate([a[k:], [7.0], a[:k]])
        return [len(np.fft.fft(array)) for array in sizes]

    assert turned(A.copy(), np.array([3])) == [len(A), len(A) + 1]

    @jit
    def cut(a, shifts):
        k = shifts[0]
        return np.fft.fft(np.concatenate([a[:k], a[k + 1 :]]))

    with pytest.raises(RunTimeSizeError):
        cut(A.copy(), np.array([3]))


def test_a_mask_of_the_places_to_insert_at_is_refused():
    with pytest.raises(UnsupportedOperationError, match="the number of indices must be static"):
        jit(np.insert)(A, A > 3, 5)
