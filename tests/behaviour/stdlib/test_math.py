"""The module `math` on run-time numbers: values, kinds, and the errors that `math` raises."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()
INF, NAN = math.inf, math.nan
NUMBERS = (
    (0.0,),
    (-0.0,),
    (0.5,),
    (1.0,),
    (-1.0,),
    (2.5,),
    (-7.25,),
    (1e5,),
    (710.0,),
    (1e300,),
    (INF,),
    (-INF,),
    (NAN,),
)
INTS = ((0,), (1,), (-1,), (5,), (20,), (21,), (2**53 + 1,), (2**63 - 1,), (-(2**63),))
PAIRS = tuple((x, y) for x in (0.0, -0.0, 1.0, -8.0, 2.5, INF, -INF, NAN) for y in (0.0, 0.5, -1.0, 3.0, -INF, NAN))


@pytest.mark.parametrize(
    "name",
    "sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh fabs "
    "degrees radians isnan isinf isfinite floor ceil trunc frexp modf ulp isqrt".split(),
)
def test_function_of_one_number(name: str) -> None:
    function = getattr(math, name)

    def f(x):
        return function(x)

    # Where arguments get large, CPython's own functions are no further from the exact value than this.
    for numbers in (NUMBERS, INTS):
        Program(f, numbers, (), 9, True).check()


@pytest.mark.parametrize("name", "pow atan2 copysign fmod remainder hypot nextafter isclose".split())
def test_function_of_two_numbers(name: str) -> None:
    function = getattr(math, name)

    def f(x, y):
        return function(x, y)

    Program(f, PAIRS, (), 9, True).check()


@case(
    (1.0, 1.1, 0.2),
    (1.0, 1.1, 0.01),
    (1.0, 1.1, -0.1),
    (INF, INF, 0.0),
    (INF, 1e308, 1.0),
    (NAN, NAN, 1.0),
    (1e308, -1e308, 10.0),
)
def isclose_with_tolerances(x, y, t):
    return math.isclose(x, y, rel_tol=t), math.isclose(x, y, abs_tol=t), math.isclose(x, y)


@case((8.0, 2), (8.0, 10.0), (8.0, 1), (8.0, 0.5), (-1.0, 2), (8.0, 0), (2**62, 2))
def log_with_a_base(x, b):
    return math.log(x, b), math.log(10, b)


@case((0.75, 3), (0.75, 1100), (0.75, -900), (0.0, 2**62), (-1.0, -(2**63)), (INF, 5), (1.5, 1024))
def ldexp_of_a_run_time_exponent(x, n):
    return math.ldexp(x, n), math.ldexp(x, -3)


@case((12, 18), (-12, 18), (0, 0), (7, 0), (2**62, 6), (-(2**63), 2), (-(2**63), 0), int64_overflow=True)
def divisors(a, b):
    return math.gcd(a, b), math.gcd(a), math.gcd(a, b, 4), math.gcd()


@case((12, 18), (-12, 18), (0, 5), (2**62, 6), (2**40, 2**41 - 1), int64_overflow=True)
def multiples(a, b):
    return math.lcm(a, b), math.lcm(a, b, 4), math.lcm(b)


@case((0,), (1,), (20,), (21,), (-1,), (True,), int64_overflow=True)
def factorials(n):
    return math.factorial(n)


@case(
    (5, 2), (5, 5), (5, 6), (66, 33), (67, 33), (100, 99), (20, 20), (-1, 2), (3, -2), (2**62, 1), int64_overflow=True
)
def combinations(n, k):
    return math.comb(n, k), math.comb(10, k)


@case((5, 2), (5, 5), (5, 6), (20, 20), (21, 21), (-1, 2), (3, -2), (2**62, 1), int64_overflow=True)
def permutations(n, k):
    return math.perm(n, k)


@case((4,), (0,), (-1,), int64_overflow=True)
def permutations_of_all(n):
    return math.perm(n)


@case((3037000499**2,), (3037000499**2 - 1,), (2**52 - 1,), (10**18,), (10**18 - 1,), (np.int32(17),))
def integer_roots(n):
    return math.isqrt(n)


@case((3.0,), (0.5,))
def integer_functions_take_no_floats(x):
    return math.gcd(3, x)


@case((3.0,), (-0.5,))
def integer_functions_of_an_int_or_a_float(x):
    n = 2 if x > 0 else 2.5
    return math.gcd(n, 4), math.comb(5, n), math.factorial(n)


@case((1.0, 2.0, -3.0), (1e200, 1e200, 0.0), (INF, NAN, 1.0), (1e-200, 0.0, 0.0))
def distances(x, y, z):
    return math.hypot(x, y, z), math.dist((x, y), (z, 1.5)), math.dist([x], [y]), math.hypot(x), math.dist((), ())


@case((1.0, 2.0))
def dist_of_points_of_different_sizes(x, y):
    return math.dist((x, y), (x,))


@case((1.5, 2, 3), (2.0, 2**40, 5))
def products(x, n, k):
    return math.prod([x, n, k]), math.prod((n, k), start=x), math.prod([]), math.prod([n, k])


@case((2.5, 3), (-2.5, 3))
def in_a_loop(x, n):
    total = 0
    for i in range(n):
        if math.fmod(x, 2) > 0:
            total += math.floor(x) + math.comb(n, i)
        else:
            total -= math.ceil(x) * math.gcd(i, 6)
    return total


@case((2.0, 0.0), (1.0, 2.0), (-1.0, 2.0))
def errors_under_a_condition(x, y):
    if y > 0:
        return math.sqrt(x)
    return math.fmod(x, y) if x < 0 else math.pow(y, -1.0) if x < 1 else math.remainder(x, 4.0)


@case((2.0, np.array([1e100, 1.0, -1e100])), (1e-20, np.ones(4)))
def sums_without_rounding(x, values):
    squares = [v * v for v in values if v < 5]
    return math.fsum([x, 1.0]), math.fsum(values), math.fsum(v + x for v in values), math.fsum(squares)


@case((2.0, np.array([1e100, 1.0, -1e100])), (1e-20, np.ones(3)), (3, np.arange(3)))
def of_newer_pythons(x, values):
    if sys.version_info < (3, 12):
        return x
    products = math.sumprod([x, 1.0, x], [1e16, x, -1e16]), math.sumprod([2, x], (x, 3)), math.sumprod(values, [x] * 3)
    return (*products, math.fma(x, 0.1, -0.2)) if sys.version_info >= (3, 13) else products


@case((2.5,), (3,), (-0.5,), (0.0,), (-2.0,), (200.0,), (math.inf,), (-math.inf,), (math.nan,))
def gamma_function(x):
    return math.gamma(x)


@case((2.5,), (3,), (-0.5,), (0.0,), (-2.0,), (1e308,), (math.inf,), (math.nan,))
def logarithm_of_the_gamma_function(x):
    return math.lgamma(x)


@case((0.5,), (-3,), (math.inf,), (math.nan,), (True,))
def error_function(x):
    total = 0.0
    for i in range(5):
        total += math.erf(x + i) - math.erfc(x * i)
    return math.erf(x), math.erfc(x), total


@case((np.float32(0.5),), (np.float64(0.5),), (np.int8(1),), (np.array(0.25),))
def of_numpy_scalars(x):
    return math.sqrt(x), math.floor(x), math.hypot(x, 1), math.copysign(x, -1)


@case((np.ones(3),))
def of_an_array(x):
    return math.sqrt(x)


@case((1j,), (1 + 0j,))
def of_a_complex_number(z):
    return math.sqrt(z)


@case(
    (2.5, 3), (2.5, True), (2.5, np.int32(3)), (2.5, np.int64(3)), (2.5, np.bool_(True)), (2.5, 3.0), (2.5, np.array(3))
)
def ldexp_of_other_exponents(x, n):
    return math.ldexp(x, n)


@pytest.mark.parametrize("program", case.programs)
def test_mathematics(program: Program) -> None:
    program.check()


def test_messages_are_those_of_math() -> None:
    for f, x in (
        (lambda x: math.sqrt(x), -1.0),
        (lambda x: math.log(x), 0.0),
        (lambda x: math.log2(x), 0.0),
        (lambda x: math.exp(x), 1e4),
        (lambda x: math.atanh(x), 1.0),
        (lambda x: math.fmod(x, 0), 1.0),
        (lambda n: math.factorial(n), -1),
        (lambda n: math.isqrt(n), -1),
        (lambda n: math.comb(n, 2), -1),
        (lambda x: math.isclose(x, 1.0, rel_tol=-x), 1.0),
    ):
        with pytest.raises((ValueError, OverflowError)) as eager:
            f(x)
        with pytest.raises(type(eager.value)) as compiled:
            jit(f)(x)
        assert str(compiled.value) == str(eager.value)
