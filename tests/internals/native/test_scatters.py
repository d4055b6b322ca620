"""Updates at many places in machine code, as `ufunc.at` and assignments by index arrays do them."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check

RNG = np.random.default_rng(5)
X, VALUES = RNG.normal(size=(7, 6)), RNG.normal(size=40)
ROWS, COLUMNS = RNG.integers(0, 7, size=40), RNG.integers(-6, 6, size=40)


def added(x, i, j, u):
    np.add.at(x, (i, j), u)
    return x


def least(x, i, j, u):
    np.minimum.at(x, (i, j), u)
    np.multiply.at(x, (j, i % 6), u)


def written(x, i, j, u):
    x[i, j] = u
    x[j] = u[:6]
    return x.sum()


def from_itself(x, i, j, u):
    x[i, j] = x[j, j] + 1
    x[::2] += x[1]
    x[i] = x[j] * 2


def counted(i, j):
    return np.bincount(i), np.bincount(i, minlength=30), np.bincount(i, weights=j * 0.5), np.bincount(np.abs(j))


def kept(x, i, u):
    y = x.copy()
    y[i] = 0.0
    np.add.at(y, i, 1.0)
    return x + y


@pytest.mark.parametrize("function", [added, least, written, from_itself])
def test_on_arguments(function):
    check(function, X.copy(), ROWS, COLUMNS, VALUES)


def test_an_array_at_its_own_places():
    def f(x):
        x[x] = 5
        np.add.at(x, x, x)
        x[x[::-1]] = x + 1
        return x

    check(f, np.arange(40) % 7)


def test_counts_and_copies():
    check(counted, ROWS, COLUMNS)
    check(kept, X, ROWS, VALUES)
    check(kept, X[0, :5].copy(), ROWS % 5, VALUES)


def test_in_loops():
    def f(x, i, u, n):
        for step in range(n):
            np.add.at(x, i, u[step])
            x[i[:20]] = x[i[20:]] + step
        return x

    check(f, X.copy(), ROWS, VALUES, 3)


def test_of_bools_and_complex_numbers():
    check(added, X + 1j, ROWS, COLUMNS, VALUES - 1j)
    check(lambda m, i: m.__setitem__(i, True), np.zeros(30, bool), ROWS)


@pytest.mark.parametrize("place", [7, -8])
def test_out_of_bounds(place):
    i = ROWS.copy()
    i[5] = place
    check(added, X.copy(), i, COLUMNS, VALUES)
    check(counted, i, COLUMNS)


def test_without_xla(monkeypatch):
    from anabranch.runtime.xla import disk_cache

    def refuse(*_):
        raise AssertionError("XLA was asked")

    monkeypatch.setattr(disk_cache, "compile_text", refuse)
    np.testing.assert_array_equal(jit(kept)(X, ROWS, VALUES), kept(X, ROWS, VALUES))
