"""Numba's `overload`, and functions with signatures that call each other."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError
from anabranch.compat import numba
from anabranch.compat.numba import float32, float64, int64, njit, types
from tests.equivalence import same


def scaled(x, k=2):
    raise NotImplementedError


def above_one(xs, k=2):
    total = 0.0
    for x in xs:
        if x > 1:
            total += x
    return total


@numba.extending.overload(scaled)
def _scaled(x, k=2):
    if isinstance(x, types.Float):
        return lambda x, k=2: x * 0.5 * k
    if isinstance(x, types.Integer):
        return lambda x, k=2: x // 2
    if isinstance(x, types.Array) and x.dtype in (float32, float64) and x.ndim == 1:
        return above_one
    if isinstance(x, types.Array):
        return lambda x, k=2: x.sum()
    if isinstance(x, types.UniTuple):
        return lambda x, k=2: x[0]
    if isinstance(x, types.BaseTuple):
        return lambda x, k=2: x[1]
    if isinstance(x, types.NoneType):
        return lambda x, k=2: 17
    if isinstance(x, types.StringLiteral):
        text = x.literal_value
        return lambda x, k=2: text + "!"
    return None


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (1.5, (1.5, 2.25)),
        (np.float32(3), (np.float32(3), np.float32(4.5))),
        (7, (3, 3)),
        (np.arange(4.0), (np.float64(5), np.float64(5))),
        (np.arange(4), (np.int64(6), np.int64(6))),
        (np.ones((2, 2)), (np.float64(4), np.float64(4))),
        ((1, 2), (1, 1)),
        ((1, 2.5), (2.5, 2.5)),
        (None, (17, 17)),
        ("a", ("a!", "a!")),
    ],
)
def test_what_the_types_choose(value, want):
    both = njit(lambda x: (scaled(x), scaled(x, k=3)))
    for _ in range(3):
        same(want, both(value))


def test_what_no_overload_is_for():
    with pytest.raises(UnsupportedOperationError, match=r"no overload of scaled\(\) is for the types complex128"):
        njit(lambda x: scaled(x))(1j)
    with pytest.raises(NotImplementedError):
        scaled(1.0)


def test_functions_of_numpy_stay_what_they_are():
    numba.extending.overload(np.flip)(lambda a: lambda a: 0)
    same(np.arange(3)[::-1].copy(), njit(lambda a: np.flip(a))(np.arange(3)).copy())


def first(x):
    raise NotImplementedError


def second(x):
    raise NotImplementedError


numba.extending.overload(first)(lambda x: lambda x: second(x) + 1 if x > 1 else x)
numba.extending.overload(second)(lambda x: lambda x: x * 2 if x > 2 else x)


def test_overloads_that_call_others():
    def total(xs):
        found = 0.0
        for x in xs:
            found += first(x)
        return found

    compiled = njit(total)
    for _ in range(3):
        assert compiled(np.arange(5.0)) == 0 + 1 + 3 + 7 + 9


@pytest.mark.parametrize("options", [{}, {"error_model": "numpy"}])
def test_functions_with_signatures_that_call_others_are_no_recursion(options):
    @njit("float64(float64,float64)", **options)
    def far(z, b):
        return b - z * 2

    @njit("float64(float64,float64)", **options)
    def near(z, b):
        if z < -b:
            return far(z, b)
        return -0.5 * z * z

    @njit("float64[:](float64[:],float64)", **options)
    def table(z, b):
        made = z * 1.0
        for i in range(len(made)):
            made[i] = near(made[i], b) - 1
        return made

    @njit("int64(int64)", **options)
    def fibonacci(n):
        if n < 2:
            return n
        return fibonacci(n - 1) + fibonacci(n - 2)

    z = np.linspace(-10, 5, 5)
    for _ in range(3):
        same(np.where(z < -0.1, 0.1 - z * 2, -0.5 * z * z) - 1, table(z, 0.1))
    assert [fibonacci(n) for n in range(8)] == [0, 1, 1, 2, 3, 5, 8, 13]


def test_classes_of_types():
    assert isinstance(int64, types.Integer)
    assert not isinstance(int64, (types.Float, types.Array, types.Boolean))
    assert isinstance(types.Array(float32, 2, "C"), types.Array)
    assert types.Array(float32, 2, "C").dtype == float32
    assert numba.typeof(np.ones((4, 4))[::2, ::2]) == float64[:, :]
    assert str(numba.typeof((1, 2.5))) == "Tuple(int64, float64)"
