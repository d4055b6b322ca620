"""Sorts in machine code, and those of more elements, which NumPy does."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check

RNG = np.random.default_rng(3)


def sorted_by_steps(x):
    total = np.zeros(5, np.int64)
    for k in range(3):
        total += np.argsort(x, kind="stable").reshape(-1)[k : k + 5]
    return total, np.sort(x)


@pytest.mark.parametrize("size", [1535, 1536])
@pytest.mark.parametrize("dtype", [np.float64, np.int16])
def test_results(size, dtype):
    ties = RNG.integers(-30, 30, size).astype(dtype)
    if dtype is np.float64:
        ties[3::50] = np.nan
        ties[5::60] = -0.0
    check(sorted_by_steps, ties)
    check(sorted_by_steps, np.arange(size)[::-1].astype(dtype))
    check(sorted_by_steps, ties[:1530].reshape(153, 10))


@pytest.mark.parametrize(("shape", "calls"), [((1535,), False), ((1536,), True), ((200, 8), False), ((40, 8), False)])
def test_machine_code_calls_numpy_for_sorts_that_it_takes_longer_for(shape, calls):
    program = jit(sorted_by_steps).lower(np.arange(np.prod(shape)).reshape(shape)).native_program()
    assert bool(program.callbacks) == calls


def ranked(x):
    return np.argsort(x, axis=0), np.argsort(x, axis=1, kind="stable")


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint64, np.int8, np.complex128])
@pytest.mark.parametrize("size", [30, 300])
def test_ties_stay_in_order(dtype, size):
    x = RNG.integers(0, 9, (size, size)).astype(dtype)
    if np.dtype(dtype).kind in "fc":
        x[::7, ::5], x[1::7, ::5], x[2::7, ::3] = np.nan, -0.0, np.inf
    else:
        # Their distance is no number of the dtype.
        x[0, ::7], x[1, ::9] = np.iinfo(dtype).min, np.iinfo(dtype).max
    found = jit(ranked)(x)
    expected = np.argsort(x, axis=0, kind="stable"), np.argsort(x, axis=1, kind="stable")
    assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("values", [1, 2, 40, 900])
def test_many_ties_stay_in_order(dtype, values):
    for shape in [(65,), (128,), (4001,), (3, 2000)]:
        # Integers so far apart are not sorted as words.
        x = (RNG.integers(0, values, shape) * 2.0**50).astype(dtype)
        if dtype is not np.int64:
            x[..., ::7], x[..., 1::13] = np.nan, -0.0
        check(lambda x: np.argsort(x, axis=-1, kind="stable"), x)
        check(lambda x: np.lexsort((x, -x)), x)


def positions_of_parts(x, k, last):
    chosen = x[x < 9]
    filled = np.where(np.arange(x.shape[0]) < k, x, last)
    beyond = np.where(np.arange(x.shape[0]) >= k, x, last)
    return [np.argsort(p, kind="stable") for p in (x[:k], x[k:], chosen, filled, beyond)], np.sort(x[x > 90])


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint8])
@pytest.mark.parametrize("size", [100, 1600])
def test_positions_of_a_part(dtype, size):
    x = RNG.integers(0, 12, size).astype(dtype)
    last = np.array(np.nan if dtype is np.float64 else np.iinfo(dtype).max, dtype)[()]
    x[3::40] = last
    compiled = jit(positions_of_parts, auto_static=False)
    for k in (0, 1, 2, 50, size - 1, size):
        (found, some), (expected, others) = compiled(x, k, last), positions_of_parts(x, k, last)
        for one, other in zip([*found, some], [*expected, others], strict=True):
            np.testing.assert_array_equal(one, other, strict=True)


@pytest.mark.parametrize("size", [600, 9000])
def test_positions_of_many_chosen_integers(size):
    def order(x):
        return np.argsort(x[x > 3], kind="stable")

    check(order, RNG.integers(0, 40, size))
    check(order, np.append(RNG.integers(0, 2**62, size), np.iinfo(np.int64).max))


def members(x, y):
    chosen = y[y > 5]
    return np.isin(x, y), np.isin(x, chosen, invert=True), np.setdiff1d(x, y), np.isin(x * 1.0, y * 1.0)


@pytest.mark.parametrize("spread", [20, 2**40])
def test_members_of_many_integers(spread):
    x, y = RNG.integers(-spread, spread, 2500), RNG.integers(0, spread, 2200)
    x[::50] = y[:50]
    check(members, x, y)


def partitioned(x):
    return np.partition(x, 20)[20], x[np.argpartition(x, 20, axis=0)[20]], np.sort(x[::-1])[::-1]


@pytest.mark.parametrize("far", [2**40, 2**63 - 1])
def test_integers_far_apart(far):
    x = np.concatenate([RNG.integers(-far, far, 500), [far, -far, far, 0, 0]])
    check(sorted_by_steps, x)
    check(partitioned, x)
    check(partitioned, x.astype(np.float32))


def order_statistics(x, m):
    return (
        np.median(x),
        np.percentile(x, [0, 3, 50, 99.9]),
        np.quantile(x, 0.37, method=m),
        np.median(x.reshape(2, -1), 1),
    )


@pytest.mark.parametrize("method", ["linear", "lower", "hazen", "closest_observation", "averaged_inverted_cdf"])
@pytest.mark.parametrize("missing", [False, True])
def test_order_statistics_of_many_are_as_of_few(method, missing):
    x = RNG.standard_normal(1200)
    x[77] = np.nan if missing else -0.0
    check(order_statistics, x, method)


def order_statistics_at(x, q, m, k):
    chosen = x[x > 0]
    return (
        np.quantile(x, q, method=m),
        np.nanquantile(x, q, method=m),
        np.nanmedian(x),
        np.median(chosen),
        np.quantile(chosen, q, method=m),
        np.partition(x, k)[k],
    )


@pytest.mark.parametrize(("method", "native"), [("linear", True), ("inverted_cdf", True)])
def test_places_that_only_a_run_knows(method, native):
    compiled = jit(order_statistics_at, native_loops=native)
    for missing, q, k in ((0, [0.0, 0.333, 1.0], 2499), (1, [0.5, 0.9999, 0.0001], -1), (900, [0.2, 0.2, 0.8], 1600)):
        x, q = RNG.standard_normal(2500), np.array(q)
        x[:missing] = np.nan
        for found, expected in zip(compiled(x, q, method, k), order_statistics_at(x, q, method, k), strict=True):
            np.testing.assert_array_equal(found, expected, strict=True)
    with pytest.raises(ValueError, match="out of bounds"):
        compiled(x, q, method, 2500)


def parts_in_order(x, k, limit):
    chosen = x[x < limit]
    return np.sort(x[-k:]), np.sort(x[k:])[::-1], np.sort(chosen), np.unique(chosen), np.median(x[: k + 1])


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint8, np.complex128, np.bool_])
def test_of_a_part_of_many_elements_as_many_are_sorted(dtype):
    x = RNG.integers(0, 50, 2000).astype(dtype)
    if np.dtype(dtype).kind in "fc":
        x[3::90] = np.nan
    compiled = jit(parts_in_order, auto_static=False)
    for k, limit in ((10, 20), (1999, 0), (1, 90), (700, 30)):
        limit = np.array(limit).astype(dtype)[()]
        for found, expected in zip(compiled(x, k, limit), parts_in_order(x, k, limit), strict=True):
            np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
@pytest.mark.parametrize("shape", [(20,), (2000,), (4, 50), (3, 4, 60)])
def test_complex_numbers(rng, dtype, shape):
    x = (np.round(rng.standard_normal(shape), 1) + 1j * rng.standard_normal(shape)).astype(dtype)
    x.reshape(-1)[3:7] = complex(np.nan, 1), complex(1, np.nan), np.inf, complex(0, -np.inf)
    for axis in range(x.ndim):
        check(lambda x, axis=axis: (np.sort(x, axis=axis), np.sort(x.T + 1, axis=axis), np.sort_complex(x)), x)
    assert "npy_sort_" in jit(np.sort).lower(x).native_program().llvm
