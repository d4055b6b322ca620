"""Arrays selected by masks, positions that are found, sets of values: sizes that the data decides."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import NOTHING, B, C, Hoped, M, N, S, T, V, W, Worded, each, ints
from tests.program_table import Program, Table

case = Table(Worded)
# Those that may be refused.
hoped = Table(Hoped)
LIMITS = ((2.0,), (-100.0,), (100.0,), (9.0,))
SAME = ((V,), (-V,), (NOTHING,), (np.ones(8),))
SAME_INTS = ((N,), (np.zeros(8, dtype=int),), (np.arange(8),), (np.arange(8)[::-1] // 2,))


# ---- read ------------------------------------------------------------------------------------------------------------


@case(*ints(V, B, at=(0, 1, 8)))
def an_empty_mask_of_another_size(a, b, k):
    a[b[:0]] = 9
    if k in (0, 8):
        a[b[:k]] -= 1
        return a, a[b[:k]], a[:4][b[k:][:4]].sum()
    return a, a[b[:0]], a


@case(*each(V, last=LIMITS))
def selected(a, x):
    return a[a > x]


@case(*each(V, last=LIMITS))
def selected_and_reduced(a, x):
    return a[a > x].sum(), a[a > x].size, len(a[a <= x]), a[a > x].prod(), (a[a > x] > 3).any()


@case(*each(V, last=LIMITS))
def the_mean_of_the_selected(a, x):
    return a[a > x].mean()


@case(*each(V, last=LIMITS))
def the_least_of_the_selected(a, x):
    return a[a > x].min(), a[a > x].argmax()


@case(*each(V, W, last=LIMITS))
def selected_by_another(a, b, x):
    keep = b > x
    return a[keep], b[keep], a[keep] @ b[keep], a[~keep].sum()


@case(*each(V, W, last=LIMITS))
def selected_by_two_conditions(a, b, x):
    return a[(a > x) & (b > x)], a[(a > x) | (b < 2)], a[np.logical_not(a > x)]


@case(*each(V, W, last=((2.0, 2.0), (2.0, 7.5), (100.0, 100.0), (100.0, 2.0), (8.5, 2.0))))
def selected_lengths_broadcast_or_raise(a, b, x, y):
    return a[a > x] + b[b > y]


@case((V, B), (V, ~B), (V, B & False), (V, B | True))
def selected_by_an_argument(a, mask):
    return a[mask], a[mask] * 2, a[mask].shape, -a[~mask]


@case(
    (V, B[:7].copy()),
)
def a_mask_of_another_length(a, mask):
    return a[mask]


@case(
    (V, B.tolist()),
)
def a_mask_that_is_a_list(a, mask):
    return a[mask]


@case(*each(N, last=((0,), (2,), (100,))))
def ints_selected(a, x):
    return a[a > x], a[a % 2 == 0], a[(a & 1).astype(bool)], a[a == x].size


@case((C,), (C * 0,))
def complex_numbers_selected(a):
    return a[a.real > 0], a[np.abs(a) > 2].sum(), a[a != 0].conj()


@case(*each(M, last=((2.0,), (-100.0,), (100.0,))))
def a_matrix_selected(a, x):
    return a[a > x], a[a > x].sum(), a[(a > x) & (a < x + 5)]


@case(*each(M, last=((2.0,), (-100.0,), (100.0,))))
def rows_selected(a, x):
    keep = a[:, 0] > x
    return a[keep], a[keep].sum(axis=0), a[keep, 1], a[keep, 1:3], a[keep].shape


@case(*each(M, last=((2.0,), (-100.0,), (100.0,))))
def columns_selected(a, x):
    keep = a[2] > x
    return a[:, keep], a[1, keep], a[1:3, keep], a[:, keep].mean(axis=1), a[..., keep].shape


@hoped(*each(M, last=((2.0,), (-100.0,), (100.0,))))
def rows_and_columns_selected(a, x):
    return a[a.max(axis=1) > x][:, a.min(axis=0) < x], a[np.ix_(a[:, 0] > x, a[0] < x)]


@case(*ints(T, at=(3, 0, 100)))
def cubes_selected(a, x):
    return a[a > x], a[:, a[0] > x], a[0][a[0] > x], a[a[:, :, 0] > x]


@case(*each(V, last=LIMITS))
def selected_twice(a, x):
    b = a[a > x]
    c = b[b < 6]
    return c, c.size, b[b > b.mean()] if x < 50 else c


@case(*each(V, last=LIMITS))
def a_window_of_the_selected(a, x):
    b = a[a > x]
    return b[:2], b[-2:], b[1:], b[::-1], b[::2]


@case(*each(V, last=((2.0, 3), (-100.0, 8), (100.0, 2), (2.0, 0))))
def selected_of_a_window(a, x, k):
    v = a[:k]
    return v[v > x], v[v > x].sum(), a[k:][a[k:] > x]


@case(*each(V, last=((2.0, 0), (2.0, 3), (2.0, 5), (2.0, -5), (2.0, -6), (100.0, 0))))
def an_item_of_the_selected(a, x, i):
    return a[a > x][i]


@case(*each(V, last=LIMITS))
def selected_is_a_copy(a, x):
    b = a[a > x]
    b *= 100
    a[0] = -1
    return b, a


@case(*each(V, last=LIMITS))
def selected_sorted_and_accumulated(a, x):
    b = a[a > x]
    return np.sort(b), np.cumsum(b), np.argsort(b), np.diff(b), np.sort(b)[::-1][:2]


@case(*each(V, last=LIMITS))
def selected_with_whole_arrays(a, x):
    b = a[a > x]
    return (a[:, None] - b[None, :]).shape, np.abs(a[:, None] - b).sum(axis=1), np.outer(b, b)


@case(*each(V, W, last=LIMITS))
def a_comprehension_of_masks(a, b, x):
    return [v[v > x].sum() for v in (a, b)]


@case(*each(V, last=LIMITS))
def medians_of_the_selected(a, x):
    b = a[np.abs(a) <= x]
    return np.median(b) if b.size else 0.0


@case(*each(np.where(V < 0, np.nan, V), last=LIMITS))
def without_nan(a, x):
    b = a[~np.isnan(a)]
    return b, b.mean(), b[b > x].size, a[np.isfinite(a)].std()


# ---- written ---------------------------------------------------------------------------------------------------------


@case(*each(V, last=LIMITS))
def a_number_to_the_selected(a, x):
    a[a > x] = 0
    return a


@case(*each(V, W, last=((2.0, 2.0), (7.0, 1.5), (100.0, 100.0), (9.0, 1.5), (100.0, 7.0))))
def values_to_the_selected(a, b, x, y):
    a[a > x] = b[b > y]
    return a


@case(*each(V, W, last=LIMITS))
def values_of_the_same_mask(a, b, x):
    mask = a > x
    a[mask] = b[mask]
    a[~mask] -= b[~mask] * 2
    return a


@case(*each(V, np.array([1.0, 2.0, 3.0, 4.0, 5.0]), last=((1.0,), (-100.0,), (100.0,), (5.5,))))
def a_fixed_number_of_values(a, b, x):
    a[a > x] = b
    return a


@case(*each(V, last=LIMITS))
def the_selected_augmented(a, x):
    a[a > x] += 1
    a[a < 0] *= -1
    a[a > 5] //= 2


@case(*each(V, W, last=LIMITS))
def the_selected_augmented_by_arrays(a, b, x):
    a[a > x] += b[a > x]
    a[b > 5] *= a[b > 5]
    return a


@case(*each(V, last=LIMITS))
def the_selected_normalised(a, x):
    keep = a > x
    a[keep] = (a[keep] - a[keep].sum()) / max(keep.sum(), 1)
    return a


@case(*each(V, last=LIMITS))
def divided_by_a_number_of_either_kind(a, x):
    keep = a > x
    n = max(keep.sum(), 1)
    return a[keep] / n, n - a[keep], a[keep].astype(int) * n, a[keep] > n


@case(*each(V, last=LIMITS))
def of_one_dtype_or_another(a, x):
    n = max((a > x).sum(), 1)
    return a[a > x].astype(np.float32) * n


@case(*each(V, last=LIMITS))
def the_selected_sorted_in_place(a, x):
    keep = a > x
    a[keep] = np.sort(a[keep])
    a[~keep] = a[~keep][::-1]
    return a


@case(*each(M, last=((2.0,), (-100.0,), (100.0,))))
def a_matrix_written_by_masks(a, x):
    a[a > x] = 0
    a[a[:, 0] < 0] += 100
    a[:, a[0] > 90] *= 2
    return a


@case(*each(M, last=((2.0,), (-100.0,), (100.0,))))
def selected_rows_written(a, x):
    keep = a[:, 1] > x
    a[keep] = a[0]
    a[~keep, 2] = np.arange(5.0)[~keep]
    return a


@case(*each(N, last=((0,), (100,))))
def floats_to_selected_ints(a, x):
    a[a > x] = 2.7
    return a


@case(*each(V, last=((2.0, 3), (-100.0, 0), (-100.0, 8))))
def a_mask_of_a_window_written(a, x, k):
    v = a[:k]
    v[v > x] = -9
    v[v < x] += 1
    return a


@case(*each(V, last=LIMITS))
def places_and_masks(a, x):
    np.place(a, a > x, [1.0, 2.0])
    np.putmask(a, a < 0, 5.0)
    np.copyto(a, 7.0, where=a == 5)
    return a


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


# ---- in control flow -------------------------------------------------------------------------------------------------


@case(*each(V, last=LIMITS))
def masks_in_a_branch(a, x):
    if a[0] > x:
        b = a[a > x]
    else:
        b = a[:3]
    return b, b.sum()


@case((V,), (-V,), (NOTHING,))
def masks_in_a_loop(a):
    total = np.zeros(4)
    for i in range(4):
        chosen = a[a > i]
        total[i] = chosen.sum() / max(chosen.size, 1)
    return total


@case((V,), (-V,), (W,))
def outliers_removed_in_a_loop(a):
    for _ in range(3):
        a = a[np.abs(a - a.mean()) <= 1.25 * a.std()]
    return a, a.size


@case((V,), (-V,), (W,))
def outliers_removed_until_none_is_left(a):
    n = -1
    while len(a) != n:
        n = len(a)
        a = a[np.abs(a - np.median(a)) < 5]
    return a, n


@case(*each(V, last=((2.0,), (100.0,))))
def an_early_return_of_the_selected(a, x):
    b = a[a > x]
    if b.size == 0:
        return b
    b = b / b.max()
    return b[b < 0.75]


def positive(v):
    return v[v > 0]


@case((V,), (-V,), (NOTHING,))
def masks_in_helpers(a):
    return positive(a), positive(positive(a) - 2), positive(-a).sum()


@case((V, W, 3.0), (V, W, 100.0), (W, V, 0.0))
def kept_greedily(boxes, scores, gap):
    order = np.argsort(-scores, kind="stable")
    keep = np.zeros(8, dtype=bool)
    while order.size > 0:
        best = order[0]
        keep[best] = True
        rest = order[1:]
        order = rest[np.abs(boxes[rest] - boxes[best]) > gap]
    return keep, np.flatnonzero(keep)


@case((np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 9.0], [10.0, 9.0]]), np.array([[0.0, 1.0], [8.0, 8.0]])))
def clusters_by_masks(points, centres):
    for _ in range(3):
        d = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = d.argmin(axis=1)
        for c in range(2):
            if (nearest == c).any():
                centres[c] = points[nearest == c].mean(axis=0)
    return centres, nearest


@case((np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]), 0), (np.ones((4, 4), dtype=int), 2))
def breadth_first_by_masks(graph, start):
    n = len(graph)
    distance = np.full(n, -1)
    distance[start] = 0
    for step in range(n):
        frontier = np.flatnonzero(distance == step)
        if frontier.size == 0:
            break
        reached = graph[frontier].any(axis=0) & (distance < 0)
        distance[reached] = step + 1
    return distance


@case((S, 3), (-S, 3), (S * 0, 2))
def azimuthal_means(image, bins):
    y, x = np.indices(image.shape)
    r = np.sqrt((x - 1.5) ** 2 + (y - 1.5) ** 2).astype(int)
    out = np.zeros(3)
    for k in range(bins):
        ring = image[r == k]
        out[k] = ring.mean() if ring.size else -1.0
    return out


@case((V,), (W,), (NOTHING,))
def quicksort_partition(a):
    p = a[0]
    return np.concatenate([a[a < p], a[a == p], a[a > p]])


@case((N,), (N * 0,))
def moved_zeros(a):
    n = np.count_nonzero(a)
    a[:n] = a[a != 0]
    a[n:] = 0
    return a


@case((30,), (2,), (40,))
def primes_by_nonzero(n):
    sieve = np.ones(41, dtype=bool)
    sieve[:2] = False
    for i in range(2, 7):
        if sieve[i]:
            sieve[i * i :: i] = False
    p = np.flatnonzero(sieve)
    return p[p <= n], p[p <= n].sum()


# ---- a single condition ----------------------------------------------------------------------------------------------

WITH_CONDITIONS = tuple((a, x) for a in (V, np.array(2.0), np.ones((2, 2)), NOTHING) for x in (1.0, -1.0))


@case(*WITH_CONDITIONS)
def what_a_condition_selects(a, x):
    return a[x > 0], a[..., x > 0], a[None, x > 0], a[a.sum() > x].sum(), len(a[x > 0]), a[True], a[False]


@case(*WITH_CONDITIONS)
def writes_where_a_condition_holds(a, x):
    b = np.zeros((3, *a.shape))
    b[x > 0] = a
    b[x < 0] += 1
    b[x > 5, ...] = b[x > 5] + 1
    b[:, x > 0] += a[None]
    a[x > 0] = 7.0
    a[True] += 1
    return a, b


@case((np.array(2.0), 1.0), (np.array(0.5), 1.0))
def an_array_without_axes_masked_by_itself(a, x):
    a[a > x] += 7.0
    return a, a[a > x]


@case((V, 1.0), (V, -1.0), (-V, 1.0))
def conditions_are_no_integers(a, x):
    a[x > 0, True] += 1
    return a[x > 0, a[0] > 0], a[x > 0, True, 1:], a[..., True, x > 0], a[True, False]


NARROW = np.array([1, -2, 3, 0.5, -np.inf, np.inf, 2, 3])


@case(
    (NARROW.astype(ml_dtypes.bfloat16),),
    (-NARROW.astype(ml_dtypes.bfloat16),),
    (NARROW[:4].astype(ml_dtypes.float8_e4m3fn),),
    (NARROW.astype(np.float16),),
)
def reductions_and_sorts_of_narrow_floats(a):
    m = a[a > -3]
    return (
        m.max(),
        m.min(),
        m.argmax(),
        m.argmin(),
        np.sort(m),
        np.unique(m),
        m.max(initial=-4),
        np.argsort(-m, stable=True),
    )


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_masks(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_masks_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()
