"""Accumulations of vectors as machine code, bit for bit NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check

UFUNCS = (np.add, np.multiply, np.minimum, np.maximum)


def accumulated(x):
    return tuple([ufunc.accumulate(x, dtype=x.dtype) for ufunc in UFUNCS])


def greatest_so_far(x):
    return np.maximum.accumulate(x)


def sums_in_a_loop(x):
    total = x
    for _ in range(3):
        total = np.cumsum(total)
    return total


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.uint64, np.uint32])
@pytest.mark.parametrize("count", [1, 2, 7, 1000])
def test_vectors(rng, dtype, count):
    x = (rng.standard_normal(count) * 5).astype(np.int64).astype(dtype)
    vectors = [x, np.full(count, 0).astype(dtype)]
    if np.dtype(dtype).kind == "f":
        vectors += [np.full(count, -0.0, dtype), np.where(x > 6, dtype(np.nan), x + dtype(0.1)), x * dtype(np.inf)]
    compiled = jit(accumulated)
    for vector in vectors:
        with np.errstate(all="ignore"):
            expected = accumulated(vector)
        for ufunc, got, want in zip(UFUNCS, compiled(vector), expected, strict=True):
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got, want, ufunc.__name__)
            if ufunc in (np.add, np.multiply):
                np.testing.assert_array_equal(np.signbit(got[got == 0]), np.signbit(want[want == 0]))


@pytest.mark.parametrize("dtype", [np.float16, np.complex128, np.bool_])
def test_other_types(dtype):
    x = np.array([1, 0, 1, 1, 0] * 20).astype(dtype)
    np.testing.assert_array_equal(jit(greatest_so_far)(x), greatest_so_far(x))


def test_the_argument_stays():
    x = np.arange(1.0, 200.0)
    before = x.copy()
    np.testing.assert_array_equal(jit(sums_in_a_loop)(x), sums_in_a_loop(x))
    np.testing.assert_array_equal(x, before)


def test_no_loop_is_left_to_xla():
    text = jit(np.cumsum).lower(np.arange(100.0)).compile().as_text()
    assert " while(" not in text


@pytest.mark.parametrize("shape", [(3, 9), (9, 3), (2, 4, 5), (40,)])
def test_along_axes_in_whole_programs(rng, shape):
    x = rng.standard_normal(shape)
    x.flat[7] = -0.0

    def f(x):
        y = np.cumsum(np.exp(x), axis=0)
        return y, np.cumsum(y, axis=-1)[..., 1:], np.cumprod(x.T, axis=0), np.maximum.accumulate(x, axis=-1) - x, x * 2

    compiled = jit(f)
    for _ in range(3):
        for got, want in zip(compiled(x), f(x), strict=True):
            np.testing.assert_array_equal(got, want)
            np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


@pytest.mark.parametrize("shape", [(5, 7), (1, 40), (40, 1), (3, 4, 5), (6, 1, 9)])
def test_each_axis(rng, shape):
    x = rng.standard_normal(shape) * 5
    x.reshape(-1)[::7] = -0.0
    for axis in range(-1, len(shape) - 1):

        def along(x, axis=axis):
            return np.cumsum(x, axis=axis), np.maximum.accumulate(x, axis=axis)

        compiled = jit(along)
        assert compiled.lower(x).native_program() is not None
        for _ in range(3):
            for got, want in zip(compiled(x), along(x), strict=True):
                np.testing.assert_array_equal(got, want)
                np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


def moving_average(x, width):
    sums = np.cumsum(x)
    return (sums[width:] - sums[:-width]) / width


def test_large_arrays_with_an_accumulation(rng):
    x = rng.random(300_000)
    compiled = jit(moving_average)
    assert compiled.lower(x, 100).native_program() is not None
    for width in (100, 1, 7, 299_999):
        np.testing.assert_array_equal(compiled(x, width), moving_average(x, width))
    assert jit(lambda x: np.tanh(np.cumsum(x))).lower(x).native_program() is None


def extremes(x):
    rows = x.reshape(5, -1)
    return (
        np.maximum.accumulate(x),
        np.minimum.accumulate(x),
        np.maximum.accumulate(rows),
        np.minimum.accumulate(rows, 1),
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_extremes_of_floats(dtype):
    numbers = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan], dtype)
    for most in (2, 4, 7):
        x = np.random.default_rng(most).choice(numbers[:most], 100)
        check(extremes, x)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
@pytest.mark.parametrize("shape", [(40,), (30, 40), (3, 5, 40)])
def test_sums_of_complex_numbers(rng, dtype, shape):
    x = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    x.reshape(-1)[[0, 17, 19]] = complex(-0.0, -0.0), complex(np.inf, 1), complex(1, np.nan)
    for axis in range(x.ndim):
        wanted, compiled = np.cumsum(x, axis=axis), jit(lambda x, axis=axis: np.cumsum(x, axis=axis))
        got = compiled(x)
        np.testing.assert_array_equal(got, wanted, strict=True)
        np.testing.assert_array_equal(np.signbit(got.real), np.signbit(wanted.real))
        assert compiled.lower(x).native_program() is not None
