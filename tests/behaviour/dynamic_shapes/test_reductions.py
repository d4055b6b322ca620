"""Arrays of a run-time size reduced, accumulated, sorted and searched."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import B, C, Hoped, M, N, T, V, W, Worded, each, ints
from tests.program_table import Program, Table

case = Table(Worded)
# Those that may be refused.
hoped = Table(Hoped)


# ---- reductions ------------------------------------------------------------------------------------------------------


@case(*ints(V, at=(0, 1, 3, 8)))
def sums_and_products(a, k):
    v = a[:k]
    return v.sum(), v.prod(), np.sum(v), np.prod(v), v.sum(keepdims=True), sum(v), np.sum(v, initial=10.0)


@case(*ints(V, at=(1, 3, 8)))
def means_and_deviations(a, k):
    v = a[:k]
    return v.mean(), np.mean(v), v.var(), v.std(), np.std(v), v.mean(keepdims=True), np.average(v)


@case(*ints(V, at=(2, 3, 8, 1)))
def deviations_with_a_correction(a, k):
    return a[:k].std(ddof=1), a[:k].var(ddof=1)


@case((V, 0), (V, 8))
def the_mean_of_nothing(a, k):
    return a[:k].mean(), a[k:].mean(), a[:k].std(), a[k:].var()


@case(*ints(V, at=(1, 3, 8, 0)))
def the_least_and_the_greatest(a, k):
    v = a[:k]
    return v.min(), v.max(), np.min(v), np.max(v), np.ptp(v)


@case(*ints(V, at=(1, 3, 8, 0)))
def the_greatest_by_python(a, k):
    return max(a[:k]), min(a[:k])


@case(*ints(V, at=(1, 3, 8, 0)))
def where_the_least_is(a, k):
    return a[:k].argmin()


@case(*ints(V, at=(1, 3, 7, 8)))
def where_the_greatest_is(a, k):
    return np.argmax(a[k:])


@case(*ints(V, at=(0, 3, 8)))
def the_least_of_nothing_has_a_start(a, k):
    return np.min(a[:k], initial=100.0), a[:k].max(initial=-100)


@case(*ints(N, at=(0, 1, 3, 8)))
def ints_reduced(a, k):
    v = a[:k]
    return v.sum(), v.prod(), v.any(), v.all(), np.count_nonzero(v), np.bitwise_or.reduce(v), np.add.reduce(v)


@case(*ints(B, at=(0, 1, 3, 8)))
def bools_reduced(a, k):
    v = a[:k]
    return v.any(), v.all(), v.sum(), np.any(~v), np.all(v | True), np.count_nonzero(v), np.logical_xor.reduce(v)


@case(*ints(C, at=(0, 1, 3, 8)))
def complex_numbers_reduced(a, k):
    return a[:k].sum(), a[:k].prod(), a[k:].sum(), np.any(a[:k])


@case(*each(M, last=((2, 3), (0, 6), (5, 0), (5, 6), (1, 1), (0, 0))))
def blocks_summed_on_axes(a, i, j):
    b = a[:i, :j]
    return b.sum(), b.sum(axis=0), b.sum(axis=1), b.sum(axis=(0, 1)), b.sum(axis=-1, keepdims=True), b.any(axis=0)


@case(*each(M, last=((2, 3), (5, 6), (1, 1), (5, 1))))
def blocks_reduced_on_axes(a, i, j):
    b = a[:i, :j]
    return b.mean(axis=0), b.max(axis=1), b.min(axis=0), b.argmax(axis=1), b.std(axis=1), b.prod(axis=0)


@case(*each(M, last=((2, 3), (0, 3), (3, 0))))
def the_greatest_of_empty_rows(a, i, j):
    return a[:i, :j].max(axis=1)


@case(*each(M, last=((2, 3), (0, 3), (3, 0))))
def the_least_of_empty_columns(a, i, j):
    return a[:i, :j].min(axis=0)


@case(*each(M, last=((2, 3), (5, 6), (1, 1))))
def centred_blocks(a, i, j):
    b = a[:i, :j]
    c = b - b.mean(axis=0)
    return c, c.T @ c, b / np.maximum(np.abs(b).sum(axis=1, keepdims=True), 1)


@case(*ints(T, at=(1, 2, 3)))
def cubes_reduced(a, k):
    b = a[:, :k]
    return b.sum(axis=(0, 2)), b.max(axis=1), b.mean(), b.sum(axis=1, keepdims=True).shape, np.any(b > 5, axis=(1, 2))


@case(*ints(V, at=(0, 3, 8)))
def reductions_of_nan(a, k):
    v = a[:k].copy()
    v[v < 0] = np.nan
    return v.sum(), np.nansum(v), np.isnan(v).any(), np.nan_to_num(v)


@case(*ints(V, at=(3, 8)))
def reductions_that_skip_nan(a, k):
    v = np.where(a[:k] < 0, np.nan, a[:k])
    return np.nanmean(v), np.nanmax(v), np.nanmin(v), np.nanstd(v), v.max()


@case(*ints(V, W, at=(0, 1, 3, 8)))
def norms_and_distances(a, b, k):
    v = a[:k] - b[:k]
    return np.sqrt(v @ v), np.linalg.norm(v), np.abs(v).sum(), np.linalg.norm(v, 1)


@case(*ints(V, at=(0, 3, 8)))
def sums_where(a, k):
    v = a[:k]
    return np.sum(v, where=v > 0), v.sum(where=v < 0), (v > 0).mean() if k else 0.0


# ---- cumulative and sorting ------------------------------------------------------------------------------------------


@case(*ints(V, at=(0, 1, 3, 8)))
def cumulative_functions(a, k):
    v = a[:k]
    return v.cumsum(), np.cumprod(v), np.cumsum(a[k:]), np.maximum.accumulate(v), np.cumsum(v)[-1] if k else 0.0


@case(*ints(V, at=(0, 1, 2, 3, 8)))
def differences(a, k):
    return np.diff(a[:k]), np.diff(a[k:]), np.diff(a[:k]).sum()


@case(*ints(V, at=(2, 3, 8)))
def differences_twice_and_gradients(a, k):
    v = a[:k]
    return np.diff(v, n=2), np.ediff1d(v), (v[1:] + v[:-1]) / 2, v[1:] > v[:-1]


@case(*each(M, last=((2, 3), (0, 6), (5, 0), (5, 6))))
def blocks_accumulated_on_axes(a, i, j):
    b = a[:i, :j]
    return b.cumsum(axis=0), np.cumsum(b, axis=1), np.cumsum(b), np.diff(b, axis=1).shape


@case(*ints(V, at=(0, 1, 3, 8)))
def sorted_windows(a, k):
    return np.sort(a[:k]), np.sort(a[k:])[::-1], np.argsort(a[:k]), np.argsort(a[k:], kind="stable"), sorted(a[:0])


@case(*ints(N, at=(0, 1, 3, 8)))
def sorted_windows_of_ints(a, k):
    v = a[:k].copy()
    v.sort()
    return v, np.argsort(-a[:k], kind="stable"), a[:k][np.argsort(a[:k], kind="stable")], np.sort(a[:k].astype(np.int8))


@case(*ints(V, at=(0, 3, 8)))
def sorted_with_nan_and_infinity(a, k):
    v = np.where(a[:k] < 0, np.nan, a[:k])
    w = np.where(a[:k] > 5, np.inf, a[:k])
    return np.sort(v), np.sort(w), np.argsort(w, kind="stable"), np.argsort(v, kind="stable")


@case(*each(M[::-1].copy(), last=((2, 3), (0, 6), (5, 0), (5, 6))))
def sorted_blocks(a, i, j):
    b = -a[:i, :j]
    return np.sort(b, axis=0), np.sort(b), np.argsort(b, axis=0, kind="stable"), np.sort(b, axis=None)


@case(*each(np.sort(V), last=((0, 2.0), (3, 2.0), (8, 9.0), (8, 10.0), (5, -10.0))))
def searched_windows(a, k, x):
    v = a[:k]
    return np.searchsorted(v, x), v.searchsorted(x, side="right"), np.searchsorted(v, [x, x + 1]), np.searchsorted(a, v)


@case(*ints(V, at=(1, 2, 3, 8)))
def medians(a, k):
    return np.median(a[:k]), np.median(np.abs(a[:k] - np.median(a[:k])))


@case(*ints(V, at=(1, 2, 3, 8)))
def percentiles(a, k):
    return np.percentile(a[:k], 25), np.percentile(a[:k], [10, 90]), np.quantile(a[:k], 0.5)


@case((V, 0), (V, 8))
def the_median_of_nothing(a, k):
    return np.median(a[:k])


@case(*ints(V, at=(1, 3, 8)))
def the_largest_few(a, k):
    order = np.argsort(a)[::-1]
    best = order[:k]
    return a[best], best, a[best].sum()


@case(*ints(N, at=(0, 3, 8)))
def counted_values(a, k):
    return np.bincount(np.abs(a[:k]), minlength=8)


@case(*ints(V, at=(0, 3, 8)))
def histograms(a, k):
    return np.histogram(a[:k], bins=4, range=(-5.0, 10.0))


@case(*ints(V, W, at=(3, 5, 8)))
def correlations(a, b, k):
    x, y = a[:k] - a[:k].mean(), b[:k] - b[:k].mean()
    return (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())


@case(*ints(V, W, at=(3, 5, 8)))
def least_squares_by_sums(a, b, k):
    x, y = a[:k], b[:k]
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    return slope, y.mean() - slope * x.mean()


@case(*ints(V, W, at=(0, 2, 3, 8)))
def integrals(a, b, k):
    return np.trapezoid(a[:k], b[:k]), np.trapezoid(a[:k]), np.trapezoid(a[:k], dx=0.5)


@case(*ints(V, at=(2, 3, 8)))
def polynomials(a, k):
    return np.polyval(a[:k], 2.0), (a[:k] * 0.5 ** np.arange(8)[:k]).sum()


@case(*each(M, last=((2, 3), (5, 6), (1, 1))))
def averages_of_blocks(a, i, j):
    b = a[:i, :j]
    rows, columns = np.arange(1.0, 6.0)[:i], np.arange(1.0, 7.0)[:j]
    return (
        np.average(b, axis=0, weights=rows),
        np.average(b, axis=1, weights=columns, returned=True),
        np.average(b, weights=np.abs(b) + 1, returned=True),
        np.average(b, axis=0, returned=True),
    )


@case(*ints(V, at=(3, 8)))
def averages_of_nan(a, k):
    v = np.where(a[:k] < 0, np.nan, a[:k])
    return np.average(v, returned=True), np.average(v, axis=0, weights=np.abs(a[:k]) + 1, returned=True)


@case(*ints(V, at=(3, 5, 8)))
def averages_with_weights_that_do_not_fit(a, k):
    return np.average(a[:k], weights=np.ones(5))


@case(*ints(V.astype(ml_dtypes.bfloat16), at=(2, 3, 8)))
def extremes_of_bfloat16(a, k):
    v = a[:k]
    w = np.where(v < 0, v, v.dtype.type(np.nan))
    return v.max(), v.min(), np.ptp(v), np.nanmean(v), np.nanmax(w), np.nanmin(w), np.nanmax(a * 1)


@case(*ints(V, W, at=(3, 5, 8)))
def covariances_with_weights(a, b, k):
    weights = np.abs(b[:k]) + 1
    return np.cov(a[:k], b[:k], aweights=weights), np.cov(a[:k], fweights=np.arange(1, 9)[:k])


@hoped(*each(M, last=((2, 3), (5, 6), (1, 3))))
def covariances_of_rows(a, i, j):
    return np.cov(a[:i, :j])


@case(*ints(V, at=(2, 3, 8)))
def complex_numbers_of_singles(a, k):
    return np.sort_complex(a[:k].astype(np.float32))


@case(*ints(V, at=(2, 3, 8)))
def differences_of_bools(a, k):
    return np.ediff1d(a[:k] > 0)


# ---- one rule for arrays of static and of run-time size --------------------------------------------------------------


@case(*each(M, last=((2, 3), (5, 6), (1, 1))))
def positions_that_keep_their_axes(a, i, j):
    b = a[:i, :j]
    return np.argmax(b, keepdims=True), b.argmin(keepdims=True), b.argmax(axis=1, keepdims=True), b.argmin(0)


@case(*each(M, last=((0, 0), (0, 3), (5, 6))))
def positions_on_an_empty_axis(a, i, j):
    return np.argmax(a[:i, :j], axis=0)


@case(*ints(V, W, at=(5, 3)))
def static_arrays_where_a_mask_of_run_time_size_holds(a, b, k):
    where, x = (a > b)[:k], a[:5]
    return x.mean(where=where), np.var(x, where=where), np.std(x, where=where), np.sum(x, where=where, initial=1)


@case(*each(M, last=((2, 3), (5, 6), (0, 1))))
def spreads_of_blocks(a, i, j):
    b, where = a[:i, :j], a[:i, :j] > -4
    return (
        np.var(b, axis=0, ddof=1),
        np.std(b, axis=1, keepdims=True, where=where),
        np.mean(b, axis=1, where=a[0, :j] > -9),
        np.var(b, axis=0, mean=np.mean(b, axis=0, keepdims=True)),
        np.var(b.astype(np.float16)),
        np.std(b + 1j * b, axis=1),
    )


@case(*ints(N.astype(np.int32), at=(0, 3, 8)))
def running_sums_into_an_output(a, k):
    wide, narrow = np.zeros(8), np.zeros(8, np.int8)
    return np.cumsum(a[:k], out=wide[:k]), np.cumsum(a[:k], out=narrow[:k]), wide, narrow


@case(*ints(V, at=(0, 3, 8)))
def running_sums_into_ints(a, k):
    return np.add.accumulate(a[:k], out=np.zeros(8, np.int64)[:k])


@case(*ints(V, at=(0, 3, 8)))
def sums_into_ints(a, k):
    return np.add(a[:k], 1.0, out=np.zeros(8, np.int64)[:k])


@case(*ints(V, W, at=(0, 3, 8)))
def running_extremes(a, b, k):
    v, w = a[:k], a[a > b - k]
    return np.maximum.accumulate(w), np.minimum.accumulate(v), np.fmax.accumulate(w), np.subtract.accumulate(w)


@case(*each(M, last=((2, 3), (5, 6), (3, 1))))
def differences_with_numbers_at_the_ends(a, i, j):
    b = a[:i, :j]
    return np.diff(b, axis=0, prepend=0.0), np.diff(b, prepend=1.0, append=2.0), np.diff(b, 2, axis=0)


@case(*each(M, V, last=((3, 3), (5, 6), (3, 4), (2, 3))))
def slopes_of_blocks(a, v, i, j):
    b, rows = a[:i, :j] ** 2, np.arange(5.0)[:i] ** 2
    return (
        *np.gradient(b, 2.0, 3.0),
        np.gradient(b, axis=1, edge_order=2),
        np.gradient(b, rows, axis=0),
        np.gradient(v[:j], np.cumsum(np.abs(v[:j])), edge_order=2),
    )


@case(*ints(V, W, at=(8, 3, 1, 0)))
def slopes_at_distances_that_do_not_fit(a, b, k):
    return np.gradient(a[:k], b)


@case(*ints(V, W, at=(3, 8, 0)))
def bins_and_their_edges(a, b, k):
    v = a[:k]
    return np.histogram_bin_edges(v, 3), np.histogram(v, 3, weights=b[:k] > 0), np.histogram(v > 1, 2)


@case(*ints(V, at=(0, 3, 8)))
def running_sums_that_include_the_initial(a, k):
    v, w = a[:k], a[a > k]
    return np.cumulative_sum(v, include_initial=True), np.cumulative_prod(w, include_initial=True)


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_uses(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_uses_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()
