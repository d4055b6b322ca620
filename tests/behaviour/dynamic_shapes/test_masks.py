"""Arrays selected by masks: read, written, of a single condition."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import NOTHING, B, C, Hoped, M, N, T, V, W, Worded, each, ints
from tests.program_table import Program, Table

case = Table(Worded)
# Those that may be refused.
hoped = Table(Hoped)
LIMITS = ((2.0,), (-100.0,), (100.0,), (9.0,))


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
