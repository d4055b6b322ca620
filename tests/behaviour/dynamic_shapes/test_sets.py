"""Set operations on arrays of run-time size."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()

SIGNED = np.array([1.0, -2.0, 0.0, np.nan, 3.0, 0.0, np.nan])
ALL = np.array([1.0, 2.0, 3.0, 1.0, 2.0, 2.0])
EMPTY = np.zeros(0)
INTS = np.array([1, 0, 2, 0, 3])
HUGE = np.array([2**63 - 1, 3, 2**63 - 1, -4])
TRUTHS = np.array([True, False, True])
COMPLEX = np.array([1j, 0, 2, complex(np.nan, 1), 1 - 1j, 1j])
GRID = np.array([[3.0, -1, 2], [0, 5, -2], [1, np.nan, 2]])
ONE = ((SIGNED,), (ALL,), (EMPTY,), (INTS,), (HUGE,), (TRUTHS,), (COMPLEX,), (GRID,))
TWO = ((SIGNED, ALL), (ALL, SIGNED), (INTS, SIGNED), (EMPTY, ALL), (ALL, EMPTY), (HUGE, HUGE), (GRID, ALL))


# ---- one set ---------------------------------------------------------------------------------------------------------


@case(*ONE)
def each_once(a):
    values, counts = np.unique(a, return_counts=True)
    return values, counts, len(np.unique(a)), np.unique(a, equal_nan=False), counts.sum()


@case(*ONE)
def each_once_and_where(a):
    return np.unique(a, return_index=True, return_inverse=True, return_counts=True)


@case(*ONE)
def each_once_of_some(a):
    some = a[a != 0]
    return np.unique(some), np.unique(some, return_index=True, return_inverse=True, return_counts=True)


@case((ALL,), (INTS,), (HUGE,))
def named_results(a):
    counted, placed, every = np.unique_counts(a), np.unique_inverse(a), np.unique_all(a)
    return (
        np.sort(np.unique_values(a)),
        counted.values,
        counted.counts,
        placed.inverse_indices,
        every.indices,
        every.counts,
    )


@case((ALL, 2), (ALL, 0), (INTS, 5))
def each_once_of_a_slice(a, k):
    values, inverse = np.unique(a[k:], return_inverse=True)
    return values, inverse, values[inverse]


@case((np.array([3, 1, 3, 2, 1]),), (np.zeros(5, int),))
def the_most_frequent(a):
    values, counts = np.unique(a, return_counts=True)
    return values[np.argmax(counts)], values[counts == counts.max()]


@case((np.array([3, 1, 3, 2, 1]),), (np.zeros(5, int),))
def sets_in_a_loop(a):
    seen = a[0] * 0
    for i in range(5):
        part = np.unique(a[: i + 1])
        if len(part) > 1:
            seen += part[-1] - part[0]
    return seen


@case((ALL, True), (ALL, False), (EMPTY, True))
def sets_in_branches(a, up):
    b = np.unique(a[a > 1]) if up else np.unique(a)
    b += 1
    return b, a


# ---- two sets --------------------------------------------------------------------------------------------------------


@case(*TWO)
def both(a, b):
    return np.union1d(a, b), np.setdiff1d(a, b), np.setxor1d(a, b), np.intersect1d(a, b)


@case(*TWO)
def parts_of_both(a, b):
    some, others = a[a > 0], b[b > 1]
    united = np.union1d(some, b), np.setdiff1d(some, others)
    return *united, np.setxor1d(a, b[b != 1]), np.intersect1d(a[a != 0], others)


@case(*TWO)
def where_both_are(a, b):
    return np.intersect1d(a, b, return_indices=True)


@case((np.array([3, 1, 2]), np.array([2, 5, 3])))
def without_doubles(a, b):
    met, left = np.intersect1d(a, b, assume_unique=True), np.setdiff1d(a, b, assume_unique=True)
    return met, left, np.setxor1d(a[a > 1], b, assume_unique=True)


@case(*TWO)
def membership(a, b):
    return np.isin(a, b[b > 0]), np.isin(a[a > 0], b), np.isin(a[a > 0], b[b > 1], invert=True)


@case((ALL, SIGNED), (EMPTY, ALL))
def chosen_by_membership(a, b):
    a[np.isin(a, b[b > 0])] = -1
    return a, a[~np.isin(a, b[b > 5])]


# ---- together with the rest ------------------------------------------------------------------------------------------


@case((ALL,), (EMPTY,), (INTS,))
def until_one_is_left(a):
    n = 0
    while len(np.unique(a[a > 0])) > 1:
        a = np.where(a == a.max(), 0, a)
        n += 1
        if n > 3:
            break
    return n, a


@case((ALL,), (SIGNED,))
def pairs(a):
    best = np.float64(0)
    for i in np.where(a > 0)[0]:
        for j in np.flatnonzero(a[:i] > 0):
            if a[j] > a[i]:
                best = best + a[j] * a[i]
    return best


@case((ALL, 1), (ALL, -1), (ALL, 0))
def three_ways(a, k):
    if k > 0:
        x = np.flatnonzero(a > 1)
    elif k < 0:
        x = np.unique(a[a > 1]).astype(int)
    else:
        x = np.zeros(0, int)
    x.sort()
    x += 1
    return x, x.sum(), np.add.reduce(x[x > 2])


@case((ALL, ALL[:2].copy()), (ALL, ALL[3:].copy()))
def written_where_they_are(a, b):
    a[np.isin(a, b)] = np.unique(b)[0]
    places = np.nonzero(a > 1)[0]
    a[places[::-1]] = a[places]
    np.put(a, places[:1], 99)
    return a


@case((ALL,), (EMPTY,))
def by_a_helper(a):
    def top(v, k):
        return np.sort(v)[::-1][:k]

    return top(a[a > 0], 2), top(a, np.count_nonzero(a > 1)), np.median(top(a[a > 0], 3))


@case((ALL,), (ALL * 9,))
def nothing_is_caught(a):
    try:
        return np.max(a[np.flatnonzero(a > 4)])
    except ValueError:
        return np.float64(-1)


@case(
    (GRID,),
)
def rows_and_columns(m):
    some = m[m[:, 0] > 0]
    return np.sort(some, axis=0), np.unique(some), np.argsort(m[:, m[0] > 0], axis=0), m[:, np.flatnonzero(m[0] > 0)]


@pytest.mark.parametrize("program", case.programs)
def test_programs(program: Program) -> None:
    program.check()
