"""The functions of `math` on ints: exact, or an `OverflowError` beyond int64."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.stdlib.choices import is_traced
from anabranch.runtime.control.stdlib.math_floats import staged
from anabranch.runtime.control.while_ import while_
from anabranch.runtime.ir.interval import FULL, Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays.index_numbers import check_integer
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers import python_conversions
from anabranch.runtime.values.python_numbers.python_operands import (
    as_kind,
    fits,
    interval_of,
    kind_of,
    overflow,
    raised,
)
from anabranch.runtime.values.python_numbers.python_scalar import is_python_scalar, python_scalar
from anabranch.runtime.values.union import UnionValue

_LARGEST_ROOT = math.isqrt(FULL.high)
_LARGEST_FACTORIAL = 20


def as_int(x: Value) -> Value:
    """The argument as a Python int, where it has `__index__`."""
    if isinstance(x, UnionValue):
        return x.each(as_int)
    if is_python_scalar(x):
        if kind_of(x) not in (int, bool):
            raise TypeError(f"'{kind_of(x).__name__}' object cannot be interpreted as an integer")
        if not fits(x):
            raise overflow(0)
        return python_conversions.to_int(x) if is_traced(x) else int(x)
    if not is_traced(x):
        return operator.index(x)
    check_integer(x)
    return python_scalar(atoms.convert(wrap.as_atom(x), np.int64))


def _refuse_negative(x: Value, function: Callable[..., Any], *example: int) -> None:
    if interval_of(x).low < 0:
        run_time_checks.fail_if(atoms.ufunc(np.less, as_kind(x, int), atoms.literal(0)), raised(function, *example))


@staged(math.gcd)
def gcd(*integers: object) -> Value:
    """`math.gcd` of any number of ints."""
    result: Atom = atoms.literal(0)
    for x in map(as_int, integers):
        result = atoms.ufunc(np.gcd, result, as_kind(x, int))
    # The magnitude of the least int64 is none.
    run_time_checks.fail_if(atoms.ufunc(np.less, result, atoms.literal(0)), overflow)
    return python_scalar(result, Interval(0, FULL.high))


@staged(math.lcm)
def lcm(*integers: object) -> Value:
    """`math.lcm` of any number of ints."""
    return functools.reduce(_lcm, map(as_int, integers), 1)


def _lcm(x: Value, y: Value) -> Value:
    divisor = atoms.ufunc(np.gcd, as_kind(x, int), as_kind(y, int))
    one = atoms.ufunc(np.maximum, divisor, atoms.literal(1))
    quotient = python_scalar(atoms.ufunc(np.floor_divide, as_kind(x, int), one))
    zero = atoms.ufunc(np.equal, as_kind(y, int), atoms.literal(0))
    factor = python_scalar(atoms.select(zero, atoms.literal(0), as_kind(quotient, int)))
    return abs(factor * y)


@staged(math.isqrt)
def isqrt(n: Value) -> Value:
    """`math.isqrt`: the float root is off by one at most."""
    n = as_int(n)
    _refuse_negative(n, math.isqrt, -1)
    a = as_kind(n, int)
    root = atoms.convert(atoms.ufunc(np.sqrt, atoms.ufunc(np.maximum, as_kind(n, float), atoms.literal(0.0))), np.int64)
    root = atoms.ufunc(np.minimum, root, atoms.literal(_LARGEST_ROOT))
    one = atoms.literal(1)
    above = atoms.ufunc(np.greater, atoms.ufunc(np.multiply, root, root), a)
    root = atoms.select(above, atoms.ufunc(np.subtract, root, one), root)
    following = atoms.ufunc(np.minimum, atoms.ufunc(np.add, root, one), atoms.literal(_LARGEST_ROOT))
    below = atoms.ufunc(np.less_equal, atoms.ufunc(np.multiply, following, following), a)
    return python_scalar(atoms.select(below, following, root), Interval(0, _LARGEST_ROOT))


@staged(math.factorial)
def factorial(n: Value) -> Value:
    """`math.factorial`, from a table of all that int64 holds."""
    n = as_int(n)
    _refuse_negative(n, math.factorial, -1)
    index = as_kind(n, int)
    run_time_checks.fail_if(atoms.ufunc(np.greater, index, atoms.literal(_LARGEST_FACTORIAL)), overflow)
    table = atoms.literal([math.factorial(k) for k in range(_LARGEST_FACTORIAL + 1)], np.int64)
    low, high = atoms.literal(0), atoms.literal(_LARGEST_FACTORIAL)
    index = atoms.ufunc(np.minimum, atoms.ufunc(np.maximum, index, low), high)
    found = atoms.reshape(atoms.op("dynamic_slice", table, index, sizes=(1,)), ())
    return python_scalar(found, Interval(1, math.factorial(_LARGEST_FACTORIAL)))


@staged(math.comb)
def comb(n: Value, k: Value) -> Value:
    """`math.comb`: every quotient on the way is a smaller binomial coefficient."""
    n, k = as_int(n), as_int(k)
    _refuse_negative(n, math.comb, -1, 1)
    _refuse_negative(k, math.comb, 1, -1)
    count = _smaller(k, n - k)

    def step(i: Value, result: Value) -> Value:
        following = i + 1
        shared = gcd(result, following)
        return following, (result // shared) * ((n - i) // (following // shared))

    return _steps(step, count)


@staged(math.perm)
def perm(n: Value, k: Value = None) -> Value:
    """`math.perm`."""
    if k is None:
        return factorial(n)
    n, k = as_int(n), as_int(k)
    _refuse_negative(n, math.perm, -1, 1)
    _refuse_negative(k, math.perm, 1, -1)
    # With k beyond n a factor is zero, which the product need not wait for.
    count = _smaller(k, n + 1) if interval_of(n).high < FULL.high else k
    return _steps(lambda i, result: (i + 1, result * (n - i)), count)


def _smaller(x: Value, y: Value) -> Value:
    bound = interval_of(x).min(interval_of(y))
    return python_scalar(atoms.ufunc(np.minimum, as_kind(x, int), as_kind(y, int)), bound)


def _steps(step: Callable[[Any, Any], Any], count: Value) -> Value:
    """The second of what `step` has made of 0 and 1 after `count` times; zero where the count is negative."""
    _, result = while_(lambda i, _: i < count, step, (0, 1), ("i", "result"))
    if not is_traced(result) and not is_traced(count):
        return result if count >= 0 else 0
    negative = atoms.ufunc(np.less, as_kind(count, int), atoms.literal(0))
    return python_scalar(atoms.select(negative, atoms.literal(0), as_kind(result, int)))


def prod(iterable: Value, *, start: Value = 1) -> Value:
    """`math.prod`: one product after the other."""
    reduce = current().trace.outside.called(functools.reduce) if tracing() else functools.reduce
    return reduce(operator.mul, iterable, start)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "gcd": gcd, "lcm": lcm, "isqrt": isqrt, "factorial": factorial, "comb": comb, "perm": perm, "prod": prod,
}  # fmt: skip
