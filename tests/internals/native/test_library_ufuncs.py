"""Functions of arrays by NumPy's own loops in machine code: its results to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check

RNG = np.random.default_rng(11)
X = RNG.uniform(0.05, 0.95, size=(6, 11))
ONE = "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh cbrt".split()
TWO = "power arctan2 logaddexp logaddexp2".split()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ONE)
def test_of_one_array(name, dtype):
    ufunc, x = getattr(np, name), X.astype(dtype)
    compiled = jit(lambda x: ufunc(x))
    for _ in range(3):
        np.testing.assert_array_equal(compiled(x), ufunc(x), strict=True)


@pytest.mark.parametrize("name", TWO)
def test_of_two_arrays(name):
    ufunc, y = getattr(np, name), X[::-1].copy()
    compiled = jit(lambda x, y: (ufunc(x, y), ufunc(x, y[0]), ufunc(2.5, y)))
    for _ in range(3):
        for found, expected in zip(compiled(X, y), (ufunc(X, y), ufunc(X, y[0]), ufunc(2.5, y)), strict=True):
            np.testing.assert_array_equal(found, expected, strict=True)


def test_of_parts():
    check(lambda x: (np.exp(x[:, 2:]), np.exp(x.T), np.log(x[::2]), np.sin(x[3]), np.cos(x[:, ::-1])), X)


def test_of_what_is_computed_and_used_twice():
    def softmax(x):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True), e

    for _ in range(3):
        check(softmax, X)


def test_of_what_is_written_afterwards():
    def f(x):
        y = np.exp(x)
        x[1:] = 0.5
        x[0] = y[0]
        return y, np.exp(x)

    for _ in range(3):
        check(f, X.copy())


def test_in_loops_and_branches():
    def f(x, n, p):
        for i in range(n):
            if p > i:
                x = np.tanh(x) + i
            else:
                x = x * 0.5
        return x

    check(f, X, 4, 2)
    check(f, X, 4, -2)


def test_outside_of_the_domain():
    x = np.array([-1.0, np.nan, np.inf, -np.inf, 0.0, -0.0, 1e308, 5e-324] * 4)
    check(lambda x: (np.exp(x), np.log(x), np.sin(x), np.arccos(x)), x)


def test_complex():
    z = X + 1j * X[::-1]
    check(lambda z: (np.exp(z), np.log(z), np.sqrt(z) * np.sin(z)), z)


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int16])
def test_divisors_of_many_ints_are_found_by_numpys_loop(dtype):
    x = np.append(RNG.integers(0, 100, 60), [0, 0, 1, np.iinfo(dtype).max, np.iinfo(dtype).min]).astype(dtype)
    check(lambda x: (np.gcd(x, x[::-1]), np.lcm(x[::2], 6), np.gcd(x[:5], 4)), x)
    assert "@ufunc_loop." in jit(lambda x: np.gcd(x, x[::-1])).lower(x).native_program().llvm
