"""Remainders of floats are NumPy's to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit

EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    np.inf,
    -np.inf,
    np.nan,
    3.0,
    7.0,
    0.1,
    0.3,
    2.0**23,
    2.0**52 - 1,
    2.0**53,
    1e-40,
    5e-324,
]


def remainders(x, y):
    return x % y, x // y


def _pairs(dtype, rng):
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    edges = np.array(EDGES, np.float64).astype(dtype)
    yield tuple(map(np.ravel, np.meshgrid(edges, edges)))
    for _ in range(4):
        any_bits = rng.integers(0, np.iinfo(bits).max, 256, bits).view(dtype)
        yield any_bits, np.roll(any_bits, 1)
    for power in range(-3, 17):
        signs = rng.choice([-1, 1], (2, 256))
        yield tuple((rng.random((2, 256)) * signs * [[10.0**power], [1.0]]).astype(dtype))
    # Multiples, those beside them, and quotients that are rounded up.
    y = (rng.integers(1, 1000, 256) * 0.1).astype(dtype)
    multiples = (y * rng.integers(0, 2**20, 256)).astype(dtype)
    for x in (multiples, np.nextafter(multiples, dtype(0)), np.nextafter(multiples, dtype(np.inf)), -multiples):
        yield x, y
    small = np.finfo(dtype).smallest_subnormal
    yield (small * rng.integers(0, 2**20, 256)).astype(dtype), (small * rng.integers(1, 2**10, 256)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@np.errstate(all="ignore")
def test_bits_are_numpys(dtype):
    compiled, pairs = jit(remainders), list(_pairs(dtype, np.random.default_rng(5)))
    assert "@remainder_" in compiled.lower(*pairs[0]).native_program().llvm
    for x, y in pairs:
        for got, wanted in zip(compiled(x, y), remainders(x, y), strict=True):
            np.testing.assert_array_equal(got, wanted)
            kept = ~np.isnan(wanted)
            np.testing.assert_array_equal(np.signbit(got[kept]), np.signbit(wanted[kept]))


@pytest.mark.parametrize("divisor", [3, 2, 0.5, -0.1, 1e-3])
def test_known_divisors(divisor):
    x = np.linspace(-50, 50, 500)
    np.testing.assert_array_equal(jit(lambda x: x % divisor)(x), x % divisor)
