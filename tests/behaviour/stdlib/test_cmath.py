"""The module `cmath` on run-time numbers: values, kinds, and the errors that `cmath` raises."""

from __future__ import annotations

import cmath
import math
import operator

import numpy as np
import pytest

from tests.equivalence import check
from tests.program_table import Program

INF, NAN = math.inf, math.nan
NUMBERS = tuple(
    (z,) for z in (1 + 2j, -1.5 + 0.25j, 0j, 1 + 0j, -1 + 0j, 1j, -1j, -2.0, 3, True, 1e4 + 1j, 1 + 1e4j, -3 - 4j)
)
ENDLESS = tuple((complex(a, b),) for a in (INF, 1.0) for b in (INF, 2.0))


@pytest.mark.parametrize(
    "name", "sqrt exp log log10 sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh phase polar".split()
)
def test_function_of_one_number(name):
    function = getattr(cmath, name)

    def f(z):
        return function(z)

    Program(f, NUMBERS, (), 64, True).check()


@pytest.mark.parametrize("name", "exp sin cos tan sinh cosh tanh isnan isinf isfinite".split())
def test_infinite_parts(name):
    function = getattr(cmath, name)

    def f(z):
        try:
            function(z)
        except (ValueError, OverflowError) as error:
            return 1.0, type(error) is ValueError
        return 0.0, False

    def value(z):
        return function(z)

    for (z,) in ENDLESS:
        check(f, z)
        if name.startswith("is"):
            check(value, z)


@pytest.mark.parametrize("r", [0.0, -0.0, 2.0, -3.0, INF, NAN])
@pytest.mark.parametrize("phi", [0.0, -0.0, 0.3, -2.0, INF])
def test_rect(r, phi):
    def f(r, phi):
        return cmath.rect(r, phi)

    check(f, r, phi)


def test_log_to_a_base():
    for base in (2, 10.0, 1j, 1, 0):
        check(lambda z, base: cmath.log(z, base), 1 + 2j, base)
    check(lambda z: cmath.log(z, 3), 1 + 2j)
    check(lambda b: cmath.log(2.0, b), 3.0)


@pytest.mark.parametrize(("a", "b"), [(1 + 1j, 1 + 1j), (1 + 1j, 1 + 1.1j), (complex(INF, 0), 1j), (INF, INF)])
def test_isclose(a, b):
    check(lambda a, b: cmath.isclose(a, b), a, b)
    check(lambda a, b: cmath.isclose(a, b, rel_tol=0.1), a, b)
    check(lambda a, b, t: cmath.isclose(a, b, abs_tol=t), a, b, -1.0)


def test_other_arguments():
    check(lambda a: cmath.sqrt(a[0]), np.array([-4.0]))
    check(lambda a: cmath.sqrt(a[0]), np.array([-4.0 + 1j]))
    check(lambda a: cmath.sqrt(a), np.array([-4.0, 1.0]))
    check(lambda a: cmath.sqrt("a") + a, 1.0)
    check(lambda a: [cmath.exp(z) for z in a], [1.0, 2j])
    check(lambda a: cmath.pi * a + cmath.sqrt(-1), 2.0)
    check(lambda a: cmath.polar(complex(a, a)), 1.7e308)


_OF_NUMBERS = (
    int, float, complex, bool, abs, math.floor, math.ceil, math.trunc, math.sqrt, math.isnan, math.log,
    operator.index,
)  # fmt: skip


@pytest.mark.parametrize("function", _OF_NUMBERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "z", [np.complex128(1.7 + 2j), np.complex64(1.7 - 2j), 1.7 + 2j, np.array(1.7 + 2j), np.array([1.7 + 2j])], ids=repr
)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_real_parts_are_taken_as_python_takes_them(function, z):
    check(lambda z: function(z), z)
