"""Objects of the user's classes beside NumPy's values: each element meets them as Python's number."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equivalence import check_calls


class Dual:
    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def __add__(self, other):
        return Dual(self.value + other, self.slope)

    def __mul__(self, other):
        return Dual(self.value * other, self.slope * other)

    def __rsub__(self, other):
        return Dual(other - self.value, -self.slope)

    __radd__, __rmul__ = __add__, __mul__


class Asked(Dual):
    __array_ufunc__ = None


class Before(Dual):
    __array_priority__ = 10.0


class Bare:
    pass


class Row:
    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def __radd__(self, other):
        return "not asked"


X = np.array([1.5, -2.0])


def of_scalars(x):
    d = x[0] * Dual(x[1], 1.0) + np.float32(x[0])
    e = np.int32(x[1]) - Dual(3, 2)
    return d.value, d.slope, e.value, e.slope


def of_arrays_that_ask(x):
    a, b = x + Asked(1.0, 2.0), x - Before(1.0, 2.0)
    return a.value, b.value, b.slope


def equal_to_nothing(x):
    return x == Bare(), x != Bare(), x[0] == Bare()


def without_an_operator(x):
    return x + Bare()


@pytest.mark.parametrize("function", [of_scalars, of_arrays_that_ask, equal_to_nothing])
def test_as_numpy_asks_them(function) -> None:
    check_calls(function, (X,), (-X,))


@pytest.mark.parametrize(
    "make", [lambda x: x * Dual(1.0, 2.0), lambda x: x < Row(1, 2), lambda x: x[0] + Row(1.0, 2.0)]
)
def test_arrays_of_objects_are_refused(make) -> None:
    with pytest.raises(UnsupportedOperationError, match="__array_ufunc__"):
        jit(make)(X)


def test_what_has_no_operator() -> None:
    for function in (without_an_operator, jit(without_an_operator)):
        with pytest.raises(TypeError, match="unsupported operand"):
            function(X)
