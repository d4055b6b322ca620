"""Positions that are found and sets of values: sizes that the data decides."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import NOTHING, B, Hoped, M, N, V, W, Worded, each
from tests.program_table import Program, Table

case = Table(Worded)
# Those that may be refused.
hoped = Table(Hoped)
LIMITS = ((2.0,), (-100.0,), (100.0,), (9.0,))
SAME = ((V,), (-V,), (NOTHING,), (np.ones(8),))
SAME_INTS = ((N,), (np.zeros(8, dtype=int),), (np.arange(8),), (np.arange(8)[::-1] // 2,))


# ---- positions -------------------------------------------------------------------------------------------------------


@case(*each(V, last=LIMITS))
def positions_found(a, x):
    (p,) = np.nonzero(a > x)
    return p, p.size, a[p], p + 1


@case(*each(V, last=LIMITS))
def positions_found_by_where(a, x):
    p = np.where(a > x)[0]
    return p, len(p), np.where(a > x), a[p[:2]]


@case(*each(V, last=LIMITS))
def flat_positions(a, x):
    p = np.flatnonzero(a > x)
    return p, np.diff(p), a[p].sum()


@case(*each(V, last=((2.0,), (100.0,), (5.0,))))
def the_first_position(a, x):
    p = np.flatnonzero(a > x)
    if len(p) == 0:
        return -1
    return p[0]


@case(*each(V, last=((2.0,), (100.0,), (5.0,))))
def the_first_position_or_an_error(a, x):
    return np.where(a > x)[0][0], np.nonzero(a > x)[0][-1]


@case(*each(M, last=((2.0,), (-100.0,), (100.0,))))
def positions_in_a_matrix(a, x):
    i, j = np.nonzero(a > x)
    return i, j, a[i, j], i * 6 + j, np.argwhere(a > x), np.flatnonzero(a > x)


@case(*each(M, last=((2.0,), (-100.0,), (100.0,))))
def written_at_found_positions(a, x):
    i, j = np.where(a > x)
    a[i, j] = i + 10.0 * j
    a[np.nonzero(a < 0)] += 1
    return a


@case((M,), (-M,), (M * 0,))
def a_bounding_box(a):
    i, j = np.nonzero(a > 10)
    if i.size == 0:
        return 0, 0, 0, 0
    return i.min(), i.max(), j.min(), j.max()


@case((np.array([[0.0, 2.0, 0.0], [4.0, 0.0, 1.0]]),), (np.zeros((2, 3)),))
def a_centre_of_mass(a):
    points = np.argwhere(a > 0)
    if len(points) == 0:
        return np.zeros(2)
    return points.mean(axis=0)


@case(*each(V, last=LIMITS))
def methods_that_find(a, x):
    return (a > x).nonzero(), a.compress(a > x), np.compress(a > x, a), np.extract(a > x, a)


@case(*each(M, last=((2.0,), (-100.0,), (100.0,))))
def compressed_on_an_axis(a, x):
    return np.compress(a[:, 0] > x, a, axis=0), a.compress(a[0] > x, axis=1), np.extract(a > x, a), a.compress([0, 1])


@case(*each(V, last=((2.0,), (100.0,), (0.0,))))
def loops_over_found_positions(a, x):
    total = 0.0
    for p in np.flatnonzero(a > x):
        total += p * a[p]
        a[p] = 0
    return total, a


@case(*each(V, last=((2.0,), (100.0,), (0.0,))))
def loops_over_selected_values(a, x):
    best = -1.0
    for v in a[a > x]:
        if v > best:
            best = v * 0.75
    return best


@case((N,), (np.zeros(8, dtype=int),), (np.ones(8, dtype=int),))
def nonzero_of_numbers(a):
    return np.nonzero(a), a[a != 0], np.count_nonzero(a), a.nonzero()[0].size


@case((V,), (W,), (NOTHING,))
def peaks(a):
    p = np.where((a[1:-1] > a[:-2]) & (a[1:-1] > a[2:]))[0] + 1
    return p, a[p]


@case((V,), (W,), (-W,), (NOTHING,))
def sign_changes(a):
    return np.where(np.diff(np.sign(a)) != 0)[0], np.flatnonzero(a[:-1] * a[1:] < 0)


@case((B,), (~B,), (B | True,), (B & False,))
def runs_of_true(mask):
    steps = np.diff(np.concatenate([[0], mask.astype(int), [0]]))
    starts = np.flatnonzero(steps == 1)
    stops = np.flatnonzero(steps == -1)
    return starts, stops, stops - starts, (stops - starts).max(initial=0)


# ---- sets of values --------------------------------------------------------------------------------------------------


@case(*SAME)
def unique_values(a):
    u = np.unique(a)
    return u, u.size, u[0], u[-1], u.sum()


@case(*SAME_INTS)
def unique_ints_with_all_returns(a):
    values, first, inverse, counts = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
    return values, first, inverse, counts, values[inverse], values[counts.argmax()]


@case(*SAME_INTS)
def unique_ints_counted(a):
    values, counts = np.unique(a, return_counts=True)
    return values[counts > 1], counts.max(), dict(total=counts.sum()), values[np.argsort(-counts, kind="stable")]


@case((M % 4,), (M * 0,))
def unique_values_of_a_matrix(a):
    return np.unique(a), np.unique(a[0]), np.unique(a, return_counts=True)


@case((np.array([1.0, np.nan, 2.0, np.nan, 1.0]),), (np.full(5, np.nan),), (np.arange(5.0),))
def unique_with_nan(a):
    return np.unique(a), np.unique(a, return_counts=True)


@case((M % 3,), (np.array([[1.0, np.nan], [0.0, 1.0], [1.0, np.nan], [-0.0, 1.0]]),), (M[:1],))
def unique_rows(a):
    rows, first, inverse, counts = np.unique(a, True, True, True, axis=0)
    return rows, first, inverse, counts, np.unique(a, axis=1), np.unique(np.stack([a, a]), axis=0).sum()


@case((B,), (B | True,))
def unique_bools(a):
    return np.unique(a), len(np.unique(a))


@case((N, np.array([5, 0, 11])), (N, np.array([1, 1, 1])), (N * 0, np.array([0, 0, 0])))
def sets_of_ints(a, b):
    return np.setdiff1d(a, b), np.intersect1d(a, b), np.union1d(a, b), np.setxor1d(a, b), np.isin(a, b)


@case((V, W), (V, V), (V, NOTHING))
def sets_of_floats(a, b):
    return np.setdiff1d(a, b), np.intersect1d(a, b), np.union1d(a, b), np.isin(a, b).sum()


@case((N, np.array([5, 0, 11])), (N, np.array([1, 1, 1])))
def common_values_with_positions(a, b):
    return np.intersect1d(a, b, return_indices=True)


@case((N, 3), (N, 0), (N, 8))
def unique_values_of_a_window(a, k):
    return np.unique(a[:k]), np.unique(a[k:], return_counts=True), np.union1d(a[:k], a[k:])


@case((N,), (np.arange(8),), (N * 0,))
def groups_by_unique_keys(keys):
    values = np.arange(8.0)
    names, inverse = np.unique(keys, return_inverse=True)
    return names, np.bincount(inverse, weights=values), names.size


@case((N, V), (N * 0, W))
def means_of_groups_in_a_loop(keys, values):
    names = np.unique(keys)
    out = np.zeros(len(names))
    for i in range(len(names)):
        out[i] = values[keys == names[i]].mean()
    return names, out


@case((N,), (N * 0,), (np.arange(8),))
def the_most_frequent(a):
    values, counts = np.unique(a, return_counts=True)
    return values[np.argmax(counts)]


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_masks(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_masks_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()
