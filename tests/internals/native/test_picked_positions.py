"""Elements at positions of several axes: no array of the positions is made."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check

RNG = np.random.default_rng(8)


def picked(x, rows, columns):
    return x[rows, columns]


def sorted_rows(x):
    return np.take_along_axis(x, np.argsort(x, axis=1), axis=1)


@pytest.mark.parametrize("function", [picked, sorted_rows])
def test_many_are_machine_code(function):
    shape = (1100, 1000)
    args = (RNG.standard_normal(shape), *([RNG.integers(-9, 9, shape)] * 2 if function is picked else ()))
    assert jit(function).lower(*args).native_program() is not None


def test_results():
    x = RNG.standard_normal((40, 30))
    check(picked, x, RNG.integers(-40, 40, (20, 20)), RNG.integers(-30, 30, (20, 20)))
    check(picked, x, np.array([[3, 40]]), np.array([[1, 2]]))
    check(sorted_rows, x)
