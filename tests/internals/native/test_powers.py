"""Floats to powers in machine code: small whole ones are rounded once; C's numbers where there is nothing to round."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from anabranch import configure, jit

POWERS = (3, 4, 5, 6, 7, 12, 16)
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e200, -1e200, 5e-324, -1e-160, 1e-100, 2.0**-358, 1.7e19)


def powers(x):
    third, fourth = np.empty_like(x), np.empty_like(x)
    for i in range(x.shape[0]):
        third[i] = x[i] ** 3
        fourth[i] = x[i] ** 4.0
    return third, fourth


def of_power(power):
    def powered(x):
        out = np.empty_like(x)
        for i in range(x.shape[0]):
            out[i] = x[i] ** power
        return out

    return powered


def to_known_at_run_time(x, power):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        out[i] = x[i] ** power
    return out


def of_python(x, y):
    return x**3 + y**5


@pytest.mark.parametrize("power", POWERS)
def test_they_are_rounded_once(rng, power):
    x = (rng.random(200) - 0.5) * 10.0 ** rng.integers(-5, 5, 200)
    exact = np.array([float(Fraction(float(v)) ** power) for v in x])
    np.testing.assert_array_equal(jit(of_power(power))(x), exact)


@pytest.mark.parametrize("power", [*range(-16, 0), *range(1, 17)])
def test_whole_ones_known_at_run_time_are_rounded_once(rng, power):
    x = (rng.random(200) - 0.5) * 10.0 ** rng.integers(-5, 5, 200)
    exact = np.array([float(Fraction(float(v)) ** power) for v in x])
    compiled = jit(to_known_at_run_time)
    np.testing.assert_array_equal(compiled(x, power), exact)
    np.testing.assert_array_equal(compiled(x, float(power)), exact)


@pytest.mark.parametrize("power", [*range(-18, 19), -20.5, -0.5, 0.5, 1.5, -0.0, 1e300, np.inf, -np.inf, np.nan])
def test_special_numbers_to_powers_known_at_run_time(power):
    x = np.array(SPECIAL)
    with np.errstate(all="ignore"):
        wanted = to_known_at_run_time(x, power)
    got = jit(to_known_at_run_time)(x, power)
    np.testing.assert_allclose(got, wanted, rtol=1e-15, atol=2 * np.finfo(float).smallest_subnormal)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(wanted))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(wanted))


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_special_numbers(power, dtype):
    with np.errstate(all="ignore"):
        x = np.array(SPECIAL).astype(dtype)
        wanted = of_power(power)(x)
    got = jit(of_power(power))(x)
    assert got.dtype == wanted.dtype
    # Numbers without full precision are rounded twice.
    np.testing.assert_allclose(
        got, wanted, rtol=1e-15 if dtype is np.float64 else 1e-7, atol=2 * np.finfo(dtype).smallest_subnormal
    )
    np.testing.assert_array_equal(np.signbit(got), np.signbit(wanted))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(wanted))


@pytest.mark.parametrize("power", [-16, -5, -2, -1, *POWERS])
def test_those_of_arrays(rng, power):
    x = (rng.random(200) - 0.5) * 10.0 ** rng.integers(-5, 5, 200)
    exact = np.array([float(Fraction(float(v)) ** power) for v in x])
    np.testing.assert_array_equal(jit(lambda x: x**power)(x), exact)
    np.testing.assert_array_equal(jit(lambda x: np.power(x, power) + np.float_power(x, power))(x), exact * 2)
    np.testing.assert_allclose(jit(lambda x: x**power, native_loops=False)(x), exact, rtol=1e-14)
    large = np.tile(x, 100)  # beside what XLA computes
    np.testing.assert_array_equal(jit(lambda x: (x**power, np.sin(x)))(large)[0], np.tile(exact, 100))


@pytest.mark.parametrize("power", [-16, -3, -2, -1, *POWERS])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_special_numbers_in_arrays(power, dtype):
    with np.errstate(all="ignore"):
        x = np.tile(np.array(SPECIAL).astype(dtype), 3)
        wanted = x**power
    got = jit(lambda x: x**power)(x)
    assert got.dtype == wanted.dtype
    np.testing.assert_allclose(
        got, wanted, rtol=2 * np.finfo(dtype).eps, atol=4 * float(np.finfo(dtype).smallest_subnormal)
    )
    np.testing.assert_array_equal(np.signbit(got), np.signbit(wanted))


def test_roots_are_those_of_the_library(rng):
    near = np.arange(1.0, 100.0) ** 2
    wide = rng.random(2000) * 10.0 ** rng.integers(-320, 308, 2000)
    x = np.concatenate([np.abs(SPECIAL), [-0.0], wide, near, np.nextafter(near, 0), np.nextafter(near, 1e9)])
    wanted = np.array([math.pow(v, 0.5) for v in x])
    np.testing.assert_array_equal(jit(of_power(0.5))(x), wanted)
    np.testing.assert_array_equal(jit(of_power(0.5))(-x[:5]), of_power(0.5)(-x[:5]))


def test_float32(rng):
    x = (rng.random(200) * 4 - 2).astype(np.float32)
    for got, power in zip(jit(powers)(x), (3, 4), strict=True):
        assert got.dtype == np.float32
        np.testing.assert_array_equal(got, (x.astype(np.float64) ** power).astype(np.float32))


def test_numbers_of_pythons():
    f = jit(of_python)
    for _ in range(3):
        assert f(1.1, -0.7) == of_python(1.1, -0.7)
        with pytest.raises(OverflowError):
            f(1e200, 1.0)


def test_fastmath_and_xla(rng):
    x = rng.random(20)
    with configure(fastmath=("reassoc",)):
        np.testing.assert_allclose(jit(powers)(x), powers(x), rtol=1e-14)
    np.testing.assert_allclose(jit(powers, native_loops=False)(x), powers(x), rtol=1e-14)
