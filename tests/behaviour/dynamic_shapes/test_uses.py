"""What arrays of a run-time size are used for: elementwise, reduced, multiplied, sorted, joined, returned."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import B, C, Hoped, M, N, S, T, V, W, Worded, each, ints
from tests.program_table import Program, Table

case = Table(Worded)
# Those that may be refused.
hoped = Table(Hoped)
PAIRS = ((3, 3), (0, 0), (8, 8), (3, 4), (1, 4), (4, 1), (0, 1), (1, 0), (0, 2), (8, 1))


# ---- elementwise -----------------------------------------------------------------------------------------------------


@case(*ints(V, W, at=(0, 3, 8)))
def windows_at_the_same_place(a, b, k):
    return a[:k] + b[:k], a[k:] * b[k:], a[:k] < b[:k], np.maximum(a[k:], b[k:])


@case(*each(V, W, last=((0, 2, 3), (2, 0, 3), (1, 5, 3), (4, 4, 4), (5, 2, 0))))
def windows_at_different_places(a, b, i, j, k):
    return a[i : i + k] - b[j : j + k], (a[i : i + k] * b[j : j + k]).sum()


@case(*each(V, W, last=PAIRS))
def lengths_broadcast_or_raise(a, b, i, j):
    return a[:i] + b[:j]


@case(*each(V, W, last=PAIRS))
def comparisons_of_lengths_that_may_differ(a, b, i, j):
    return a[:i] > b[:j]


@case(*each(V, W, last=PAIRS))
def augmented_by_a_length_that_may_differ(a, b, i, j):
    a[:i] += b[:j]
    return a


@case(*ints(B, N, at=(8, 4)))
def augmented_by_what_its_dtype_cannot_take(a, b, k):
    try:
        a[:k] += b
    except TypeError:
        a += b[:k]
    return a


@case(*ints(V, np.array([1.0, 2.0, 3.0]), at=(3, 1, 4, 0)))
def a_run_time_size_and_a_static_one(a, b, k):
    return a[:k] + b


@case(*ints(V, np.array([2.0]), at=(3, 1, 8, 0)))
def a_run_time_size_and_one_element(a, b, k):
    return a[:k] * b, b - a[k:], a[:k] * [3.0]


@case(*ints(V, at=(0, 1, 3, 8)))
def unary_functions(a, k):
    v = a[:k]
    return (
        np.abs(v),
        -v,
        np.sign(v),
        np.floor(v / 2),
        np.square(v),
        v**2,
        np.isnan(v),
        np.exp(v * 0),
        np.sqrt(np.abs(v)),
    )


@case(*each(V, last=((0, 2.5), (3, -1.0), (8, 0.0))))
def numbers_and_windows(a, k, x):
    v = a[k:]
    return v + x, 2 * v, v / (x + 10), v // 2, v % 3, v > x, x - v, divmod(v, 2), 1 / (v + 0.5), v == x


@case(*ints(N, at=(0, 3, 8)))
def ints_of_a_window(a, k):
    v = a[:k]
    return v + 1, v / 2, v // 2, v & 3, v << 1, ~v, v**2, v * 0.5, v == 2, v.astype(np.int8) + np.int8(1)


@case(*ints(N, V, B, at=(0, 3, 8)))
def windows_of_different_dtypes(i, f, b, k):
    return i[:k] + f[:k], i[:k] * b[:k], f[:k] - b[:k], b[:k] | (f[:k] > 0), i[:k].astype(np.float32) + i[:k]


@case(*ints(N, V, at=(0, 3, 8)))
def division_by_zero_in_a_window(i, f, k):
    return i[:k] // (i[:k] * 0), f[:k] / (f[:k] * 0), i[:k] % np.maximum(i[:k], 0)


@case(*ints(V, W, at=(0, 3, 8)))
def where_on_windows(a, b, k):
    return np.where(a[:k] > b[:k], a[:k], b[:k]), np.where(a[k:] > 2, 1, 0), np.where(a[:k] > 0, a[:k], 0.0)


@case(*each(V, W, last=((3, 3), (3, 1), (3, 4), (0, 1))))
def where_of_lengths_that_may_differ(a, b, i, j):
    return np.where(a[:i] > 0, b[:j], -1.0)


@case(*ints(V, at=(0, 3, 8)))
def functions_of_more_arguments(a, k):
    v = a[:k]
    return np.clip(v, 0, 4), np.round(v / 3, 2), np.power(v, 2), np.hypot(v, v), np.arctan2(v, 1.0), np.isclose(v, 4)


@case(*ints(C, at=(0, 3, 8)))
def complex_windows(a, k):
    v = a[:k]
    return v * v, v.conj() * v, np.abs(v) ** 2, v.real + v.imag, np.angle(v), v == 4


@case(*each(M, last=((2, 3), (0, 6), (5, 0), (1, 1))))
def blocks_with_rows_and_columns(a, i, j):
    b = a[:i, :j]
    return b + a[0, :j], b - a[:i, :1], b * a[:i, j - 1 : j] if j else b, b + 1


@case(*each(M, last=((2, 3), (2, 2), (3, 3), (5, 1), (1, 5))))
def a_block_and_a_row_that_may_not_fit(a, i, j):
    return a[:2, :i] * a[3, :j]


@case(*each(M, last=((2, 2), (3, 3), (2, 3), (1, 3))))
def a_block_and_its_transpose(a, i, j):
    return a[:i, :j] + a[:i, :j].T


@case(*ints(V, at=(0, 1, 3, 8)))
def outer_sums_by_new_axes(a, k):
    v = a[:k]
    return v[:, None] + v[None, :], v[None] * 2, (v[:, np.newaxis] > v).sum(), np.abs(v[:, None] - a).min(axis=1)


@case(*each(V, W, last=((2, 3), (0, 3), (3, 0), (1, 8))))
def outer_products_by_new_axes(a, b, i, j):
    return a[:i, None] * b[:j], (a[:i, None] - b[None, :j]).shape


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


# ---- products --------------------------------------------------------------------------------------------------------


@case(*ints(V, W, at=(0, 1, 3, 8)))
def dot_products(a, b, k):
    return a[:k] @ b[:k], np.dot(a[k:], b[k:]), a[:k].dot(b[:k]), np.vdot(a[:k], b[:k]), np.inner(a[:k], b[:k])


@case(*each(V, W, last=((3, 3), (3, 4), (0, 0), (1, 4), (8, 8))))
def dot_products_of_lengths_that_may_differ(a, b, i, j):
    return a[:i] @ b[:j]


@case(*each(V, W, last=((3, 3), (3, 4), (0, 1), (8, 8))))
def dot_of_lengths_that_may_differ(a, b, i, j):
    return np.dot(a[:i], b[-j:] if j else b[:0])


@case(*ints(N, at=(0, 1, 3, 8)))
def dot_products_of_ints(a, k):
    return a[:k] @ a[:k], np.dot(a[:k], a[:k][::-1]), a[:k].astype(np.int8) @ a[:k].astype(np.int8)


@case(*ints(C, at=(0, 1, 3, 8)))
def dot_products_of_complex_numbers(a, k):
    return a[:k] @ a[:k], np.vdot(a[:k], a[:k]), np.inner(a[k:], a[k:])


@case(*each(M, V[:6].copy(), last=((2, 3), (0, 6), (5, 0), (5, 6))))
def a_block_times_a_vector(a, x, i, j):
    return a[:i, :j] @ x[:j], np.dot(a[:i, :j], x[:j]), a[:i] @ x, x[:i] @ a[:i, :j] if i else x[:0]


@case(*each(M, V[:6].copy(), last=((2, 3), (3, 2), (6, 1), (1, 6))))
def a_block_times_a_vector_that_may_not_fit(a, x, i, j):
    return a[:, :i] @ x[:j]


@case(*each(M, last=((2, 3, 4), (0, 3, 3), (3, 0, 3), (5, 6, 5))))
def blocks_multiplied(a, i, j, k):
    return a[:i, :j] @ a[:k, :j].T, np.matmul(a.T[:j, :i], a[:i, :j]), np.dot(a[:i, :j], a[:k, :j].T).shape


@case(*each(V, W, last=((2, 3), (0, 3), (8, 0), (8, 8))))
def outer_products(a, b, i, j):
    return np.outer(a[:i], b[:j]), np.multiply.outer(a[:i], b[:j]).sum(), np.outer(a[:i], b).shape


@case(*each(M, last=((2, 3), (0, 3), (5, 6))))
def sums_of_products_by_einsum(a, i, j):
    b = a[:i, :j]
    return np.einsum("ij,ij->i", b, b), np.einsum("ij->j", b), np.einsum("ij,kj->ik", b, b), np.einsum("ij->", b)


@case(*ints(V, W, at=(0, 3, 8)))
def einsum_of_vectors(a, b, k):
    return np.einsum("i,i", a[:k], b[:k]), np.einsum("i,j->ij", a[:k], b[:k]), np.einsum("i,i->i", a[k:], b[k:])


@case(*ints(S, at=(1, 2, 4)))
def quadratic_forms(a, k):
    x = a[0, :k]
    return x @ a[:k, :k] @ x, np.trace(a[:k, :k]), np.diag(a[:k, :k]), np.tril(a[:k, :k]), np.triu(a[:k, :k], 1)


@case(*ints(S, np.array([1.0, 2.0, 3.0, 4.0]), at=(1, 2, 4)))
def systems_of_a_run_time_size(a, b, k):
    return np.linalg.solve(a[:k, :k], b[:k])


@case(*ints(S, at=(1, 2, 4)))
def determinants_of_leading_blocks(a, k):
    return np.linalg.det(a[:k, :k]), np.linalg.inv(a[:k, :k])


@case(*ints(V, at=(1, 2, 4, 8)))
def transforms_of_a_run_time_size(a, k):
    return np.fft.fft(a[:k])


@case(*each(V, np.array([1.0, 2.0, -1.0]), last=((3,), (8,), (1,))))
def convolved_and_correlated(a, h, k):
    return np.convolve(a[:k], h)


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


# ---- sizes and shapes ------------------------------------------------------------------------------------------------


@case(*ints(V, at=(0, 3, 8, -3)))
def lengths(a, k):
    v = a[k:]
    return len(v), v.size, v.shape, v.shape[0], v.ndim, np.size(v), np.shape(v), np.ndim(v)


@case(*each(M, last=((2, 3), (0, 6), (5, 0))))
def shapes(a, i, j):
    b = a[:i, :j]
    m, n = b.shape
    return b.shape, b.size, len(b), m * n + 1, b.T.shape, b.ndim, n / (m + 1)


@case(*ints(V, at=(0, 3, 8)))
def lengths_in_arithmetic(a, k):
    v = a[:k]
    n = len(v)
    total = v.sum() / max(n, 1)
    if n % 2 == 0:
        total += n // 2
    return total, n > 3, -n, float(n), a[n // 2], v.size**2


@case(*ints(V, at=(0, 3, 8)))
def truth_of_lengths(a, k):
    v = a[:k]
    if not len(v):
        return -1.0
    if v.size == 8:
        return v.max()
    return v[0] + v[-1]


@case((V, 1), (-V, 1))
def the_truth_of_one_element(a, k):
    if a[:k] > 0:
        return 1
    return 2


@case((V, 0), (V, 2))
def the_truth_of_many_elements(a, k):
    if a[:k]:
        return 1
    return 2


@case(*ints(V, at=(0, 3, 8)))
def iterated(a, k):
    total = 0.0
    for x in a[:k]:
        total = total * 0.5 + x
    return total


@case(*ints(V, at=(0, 3, 8)))
def iterated_by_positions(a, k):
    v = a[k:]
    out = np.zeros(8)
    for i in range(len(v)):
        out[i] = v[i] * i
    return out


@case(*ints(V, W, at=(0, 3, 8)))
def enumerated_zipped_reversed(a, b, k):
    total = 0.0
    for i, x in enumerate(a[:k]):
        total += i * x
    for x, y in zip(a[:k], b[k:], strict=False):
        total += x * y
    for x in reversed(a[:k]):
        total = x - total
    return total


@case(*each(M, last=((0,), (2,), (5,))))
def rows_iterated(a, k):
    total = np.zeros(6)
    for row in a[:k]:
        total += row
        total[:k] *= 2
    return total


@case(*ints(N, at=(0, 3, 8)))
def membership(a, k):
    return 2 in a[:k], -3 in a[k:], 100 in a


@case(*each(V, last=((0,), (1,), (8,))))
def one_element_as_a_number(a, k):
    if k == 1:
        return float(a[:k].sum()), a[:1].item()
    return 0.0, 0.0


@case(*ints(V, at=(0, 3, 8)))
def casts_and_copies(a, k):
    v = a[:k]
    return (
        v.astype(np.int64),
        v.astype(np.float32),
        v.copy(),
        np.array(v),
        np.asarray(v),
        v.astype(bool),
        v.astype(complex),
    )


@case(*ints(V, at=(0, 3, 8)))
def flat_forms(a, k):
    v = a[:k]
    return v.ravel(), v.reshape(-1), v.flatten(), v.T, v.reshape(-1, 1), v.reshape(1, -1), np.atleast_2d(v), v[None].T


@case(*each(M, last=((2, 3), (0, 6), (5, 0), (5, 6))), copies=True)
def blocks_flattened(a, i, j):
    b = a[:i, :j]
    return b.ravel(), b.reshape(-1), b.T.flatten(), b.T.copy()


@case(*ints(V, at=(0, 2, 6, 8)))
def reshaped_to_pairs(a, k):
    return a[:k].reshape(-1, 2)


@case(*ints(V, at=(3, 8)))
def reshaped_to_pairs_that_may_not_fit(a, k):
    return a[:k].reshape(-1, 2).sum(axis=1)


@case(*ints(V, at=(0, 3, 8)))
def like_a_window(a, k):
    v = a[:k]
    out = np.zeros_like(v)
    out[:] = v * 2
    return out, np.ones_like(v), np.full_like(v, 2.5), np.empty_like(v).shape, np.zeros_like(v, dtype=int)


@case(*ints(V, at=(0, 3, 8)))
def made_with_the_length_of_a_window(a, k):
    v = a[:k]
    return np.zeros(len(v)), np.arange(v.size), np.ones(v.shape), np.full(len(v), 2)


@case(*ints(V, at=(0, 1, 3, 8)))
def flipped_and_rolled(a, k):
    v = a[:k]
    return np.flip(v), v[::-1], np.roll(v, 1), np.roll(v, -2)


@case(*ints(V, at=(0, 1, 3, 8)))
def repeated_and_tiled(a, k):
    return np.repeat(a[:k], 2), np.tile(a[:k], 2)


@case(*ints(V, W, at=(0, 1, 3, 8)))
def equality_of_arrays(a, b, k):
    return (
        np.array_equal(a[:k], a[:k]),
        np.array_equal(a[:k], b[:k]),
        np.allclose(a[k:], a[k:]),
        np.array_equal(a[:k], a),
    )


# ---- joined ----------------------------------------------------------------------------------------------------------


@case(*each(V, W, last=((0, 0), (3, 2), (8, 8), (0, 8))))
def concatenated(a, b, i, j):
    return np.concatenate([a[:i], b[j:]]), np.concatenate((a[i:], b)), np.concatenate([a[:i], [1.0, 2.0]]).sum()


@case(*each(V, last=((0,), (3,), (8,))))
def appended(a, k):
    return np.append(a[:k], 5.0), np.append(a[:k], a[k:]), np.append(a, a[k:]).size


@case(*each(V, W, last=((0,), (3,), (8,))))
def stacked(a, b, k):
    v, w = a[:k], b[:k]
    return np.stack([v, w]), np.stack([v, w], axis=1), np.vstack([v, w]), np.hstack([v, w]), np.column_stack([v, w])


@case(*each(V, W, last=((3, 3), (3, 2), (0, 1))))
def stacked_lengths_that_may_differ(a, b, i, j):
    return np.stack([a[:i], b[:j]])


@case(*each(V, W, last=((3, 3), (0, 8))))
def rotated_by_concatenation(a, b, i, j):
    return np.concatenate([a[i:], a[:i]]), np.r_[a[:i], b[:j]], np.concatenate([a[:i], a[i + 1 :]])


@case(*each(M, last=((2, 3), (0, 0), (5, 6))))
def blocks_joined(a, i, j):
    return np.vstack([a[:i], a[i:]]), np.concatenate([a[:, j:], a[:, :j]], axis=1), np.hstack([a[:i, :j], a[:i, j:]])


@case(*ints(V, at=(0, 3, 7)))
def deleted_and_inserted(a, k):
    return np.delete(a, k), np.insert(a, k, 100.0)


@case(*ints(V, at=(0, 3, 8)))
def split_at_a_run_time_place(a, k):
    left, right = np.split(a, [k])
    return left, right, left.sum() - right.sum()


@case(*ints(V, at=(0, 3, 8)))
def padded_by_a_static_amount(a, k):
    return np.pad(a[:k], 1), np.concatenate([[0.0], np.cumsum(a[:k])])


# ---- results ---------------------------------------------------------------------------------------------------------


@case(*ints(V, at=(0, 3, 8)))
def in_tuples_lists_and_dicts(a, k):
    return {"head": a[:k], "tail": (a[k:], [a[:k] * 2, k])}, [a[:k]]


@case(*ints(V, at=(0, 3, 8)))
def read_out_of_tuples_and_dicts(a, k):
    d = {"head": a[:k], "tail": a[k:]}
    parts = (d["head"], d["tail"])
    return parts[0].sum() + d["tail"].size, len(parts), [len(p) for p in parts]


@case(*ints(V, at=(0, 3, 8)))
def a_dict_changed_in_a_branch(a, k):
    d = {"v": a[:k]}
    if k > 2:
        d["v"] = a[k:]
        d["v"] += 1
    return d, a


@case(*ints(V, at=(0, 3, 8)))
def into_a_list_of_the_caller(a, k):
    out = []
    out.append(a[:k])
    out.append(a[k:] * 2)
    return out


@case(([], V, 3), ([], V, 0))
def appended_to_a_list_of_the_caller(out, a, k):
    out.append(a[:k] + 1)
    return len(out)


@case(*ints(V, at=(0, 3, 8)))
def unpacked(a, k):
    first, *rest = a[:4]
    v = a[:k]
    return first, rest[0], [*v[:0]], v


@case((V, 3), (V, 2))
def unpacked_from_a_run_time_size(a, k):
    x, y, z = a[:k]
    return x + y * z


@case(*ints(V, at=(0, 3, 8)))
def printed(a, k):
    print("n =", len(a[:k]), a[:k].sum())
    return k


@case(*ints(V, at=(0, 3, 8)))
def shown_as_text(a, k):
    print(a[:k])
    return f"{len(a[k:])}"


@case(*ints(V, at=(0, 3, 8)))
def raised_with_a_length(a, k):
    v = a[:k]
    if len(v) < 3:
        raise ValueError(f"{len(v)} is too short")
    return v.mean()


@case(*ints(V, at=(0, 3, 8)))
def asserted_lengths(a, k):
    assert a[:k].size > 0, "empty"
    return a[:k].max()


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_uses(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_uses_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()
