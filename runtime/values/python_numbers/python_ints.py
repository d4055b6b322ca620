"""Python's arithmetic of ints: exact, or an `OverflowError` beyond int64."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import FULL, Interval, exactly
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.abstract import PYTHON_DTYPES
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers import exact_ints, python_floats
from anabranch.runtime.values.python_numbers.python_operands import (
    EXACT,
    IntOperand,
    PythonNumber,
    Rule,
    as_kind,
    fits,
    interval_of,
    is_run_time,
    kind_of,
    least_difference,
    made,
    overflow,
    quotient_check,
    raised,
    shift_most,
    zero_check,
)
from anabranch.runtime.values.tracer import no_modular_power
from anabranch.runtime.values.union import UnionValue

_TO_A_NEGATIVE_POWER = (
    "int ** negative int is a float in Python, which the int result of a compiled function cannot hold; "
    "write float(x) ** n"
)


def _result(
    r: Atom,
    exact: Interval,
    overflowed: Callable[[], Atom],
    affine: tuple[Atom, int] | None = None,
    of: tuple[np.ufunc, IntOperand, IntOperand] | None = None,
) -> Value:
    check = None if exact.fits else exact_ints.checked(r, overflowed())
    result = made(r, exact.clipped(), affine)
    return result if of is None else exact_ints.computed(result, of[0], of[1:], check)


def _less(a: Atom, bound: int) -> Atom:
    return atoms.ufunc(np.less, a, atoms.literal(bound, np.int64))


def _greater(a: Atom, bound: int) -> Atom:
    return atoms.ufunc(np.greater, a, atoms.literal(bound, np.int64))


def _sign_bit(a: Atom) -> Atom:
    return _less(a, 0)


def _outside(x: IntOperand, low: int, high: int) -> Atom:
    """Return whether a run-time int lies outside of [low, high]; its interval may settle either end."""
    bound = interval_of(x)
    below = _less(as_kind(x, int), low) if bound.low < low else atoms.literal(False)
    above = _greater(as_kind(x, int), high) if bound.high > high else atoms.literal(False)
    return atoms.logical_or(below, above)


def _known(x: IntOperand, y: IntOperand) -> tuple[int | None, IntOperand]:
    """The operand that is known while tracing, and the other one."""
    if not is_run_time(y):
        return int(y), x
    return (int(x), y) if not is_run_time(x) else (None, x)


def _affine(x: IntOperand, y: IntOperand, sign: int) -> tuple[Atom, int] | None:
    if is_run_time(x) and not is_run_time(y) and x.python is int:
        return (x.affine[0], x.affine[1] + sign * int(y))
    if sign > 0 and is_run_time(y) and not is_run_time(x) and y.python is int:
        return (y.affine[0], y.affine[1] + int(x))
    return None


def _add(x: IntOperand, y: IntOperand) -> Value:
    a, b = as_kind(x, int), as_kind(y, int)
    r = atoms.ufunc(np.add, a, b)

    def overflowed() -> Atom:
        c, n = _known(x, y)
        if c is not None:
            return _outside(n, FULL.low - min(c, 0), FULL.high - max(c, 0))
        return atoms.op("add_overflows", a, b)

    result = _result(r, interval_of(x) + interval_of(y), overflowed, _affine(x, y, 1), (np.add, x, y))
    known, other = _known(x, y)
    if known is not None:
        shift_most(result, other, known)
    return result


def _subtract(x: IntOperand, y: IntOperand) -> Value:
    if is_run_time(x) and is_run_time(y) and x.affine[0] is y.affine[0]:
        return x.affine[1] - y.affine[1]
    a, b = as_kind(x, int), as_kind(y, int)
    r = atoms.ufunc(np.subtract, a, b)

    def overflowed() -> Atom:
        if not is_run_time(y):
            return _outside(x, FULL.low + max(int(y), 0), FULL.high + min(int(y), 0))
        if not is_run_time(x):
            return _outside(y, int(x) - FULL.high, int(x) - FULL.low)
        return atoms.op("subtract_overflows", a, b)

    exact = interval_of(x) - interval_of(y)
    exact = Interval(min(max(exact.low, least_difference(x, y)), exact.high), exact.high)
    result = _result(r, exact, overflowed, _affine(x, y, -1), (np.subtract, x, y))
    if not is_run_time(y):
        shift_most(result, x, -int(y))
    return result


def multiply(x: IntOperand, y: IntOperand) -> Value:
    """`x * y`."""
    a, b = as_kind(x, int), as_kind(y, int)
    r = atoms.ufunc(np.multiply, a, b)

    def overflowed() -> Atom:
        c, n = _known(x, y)
        if c:
            low, high = (FULL.low, FULL.high) if c > 0 else (FULL.high, FULL.low)
            return _outside(n, -(-low // c), high // c)
        return atoms.op("multiply_overflows", a, b)

    return _result(r, interval_of(x) * interval_of(y), overflowed, of=(np.multiply, x, y))


def _true_divide(x: IntOperand, y: IntOperand) -> Value:
    quotient_check(y, as_kind(y, int), operator.truediv, int)
    if all(EXACT.low <= i.low and i.high <= EXACT.high for i in (interval_of(x), interval_of(y))):
        return made(atoms.ufunc(np.true_divide, as_kind(x, float), as_kind(y, float)))
    return made(atoms.op("int_true_divide", as_kind(x, int), as_kind(y, int)))


def _floor_divide(x: IntOperand, y: IntOperand) -> Value:
    a, b = as_kind(x, int), as_kind(y, int)
    zero_check(y, b, operator.floordiv, int)
    exact, shift = interval_of(x) // interval_of(y), _power(y)
    if shift is not None:
        return made(atoms.ufunc(np.right_shift, a, atoms.literal(shift, np.int64)), exact)

    def overflowed() -> Atom:
        least = atoms.ufunc(np.equal, a, atoms.literal(FULL.low, np.int64))
        return atoms.logical_and(least, atoms.ufunc(np.equal, b, atoms.literal(-1, np.int64)))

    return _result(atoms.ufunc(np.floor_divide, a, b), exact, overflowed)


def _remainder(x: IntOperand, y: IntOperand) -> Value:
    a, b = as_kind(x, int), as_kind(y, int)
    zero_check(y, b, operator.mod, int)
    exact = interval_of(x) % interval_of(y)
    if _power(y) is not None:
        return made(atoms.ufunc(np.bitwise_and, a, atoms.literal(int(y) - 1, np.int64)), exact)
    return made(atoms.ufunc(np.remainder, a, b), exact)


def _power(y: IntOperand) -> int | None:
    """The exponent, where a divisor is known to be a power of two: floors and remainders are then bits."""
    if is_run_time(y) or int(y) <= 0 or int(y) & (int(y) - 1):
        return None
    return int(y).bit_length() - 1


def power(x: IntOperand, y: IntOperand) -> Value:
    """`x ** y`: an int, and a float where y is below 0; an error where it turns out to be, unless x is known."""
    exponent = interval_of(y)
    if exponent.high < 0:
        return python_floats.power(x, y)
    if not is_run_time(y) and 1 <= int(y) <= 4:
        result: Any = x
        for _ in range(int(y) - 1):
            result = multiply(result, x)
        return +result
    negative = _sign_bit(as_kind(y, int)) if exponent.low < 0 else atoms.literal(False)
    zero = atoms.logical_and(atoms.ufunc(np.equal, as_kind(x, int), atoms.literal(0, np.int64)), negative)
    run_time_checks.fail_if(zero, raised(operator.pow, 0, -1))
    if exponent.low < 0 and not is_run_time(x):
        least = atoms.ufunc(np.maximum, as_kind(y, int), atoms.literal(0, np.int64))
        fraction = atoms.ufunc(np.power, as_kind(x, float), as_kind(y, float))
        whole = _whole_power(x, made(least, Interval(0, max(exponent.high, 0))))
        return UnionValue(atoms.convert(negative, np.int32), (whole, made(fraction)))
    run_time_checks.fail_if(negative, lambda _: UnsupportedOperationError(_TO_A_NEGATIVE_POWER))
    return _whole_power(x, y)


def _whole_power(x: IntOperand, y: IntOperand) -> Value:
    a, b = as_kind(x, int), as_kind(y, int)
    r = atoms.ufunc(np.power, a, b)
    approximate = atoms.ufunc(np.power, atoms.convert(a, np.float64), atoms.convert(b, np.float64))
    # Below 9.3e18 in magnitude an overflow always flips the sign of what is left modulo 2**64.
    far = atoms.ufunc(np.greater, atoms.ufunc(np.absolute, approximate), atoms.literal(9.3e18))
    below = atoms.ufunc(np.less, approximate, atoms.literal(0.0))
    check = exact_ints.checked(r, atoms.logical_or(far, atoms.ufunc(np.not_equal, below, _sign_bit(r))))
    return exact_ints.computed(made(r), np.power, (x, y), check)


def _shift_check(y: IntOperand, b: Atom) -> None:
    if interval_of(y).low < 0:
        run_time_checks.fail_if(_sign_bit(b), raised(operator.lshift, 1, -1))


def _left_shift(x: IntOperand, y: IntOperand) -> Value:
    a, b = as_kind(x, int), as_kind(y, int)
    _shift_check(y, b)
    r = atoms.ufunc(np.left_shift, a, b)
    bound, by = interval_of(x), interval_of(y)
    exact = bound * Interval(1, 2**by.high) if by.high < 64 else Interval(FULL.low - 1, FULL.high + 1)
    return _result(r, exact, lambda: _is_lost(x, a, b, r), of=(np.left_shift, x, y))


def _is_lost(x: IntOperand, a: Atom, b: Atom, shifted: Atom) -> Atom:
    """Return whether a left shift loses bits; where `x` is known it is known by how many bits it may be shifted."""
    if is_run_time(x) or not int(x):
        return atoms.ufunc(np.not_equal, atoms.ufunc(np.right_shift, shifted, b), a)
    most = 63 - (int(x) if int(x) > 0 else ~int(x)).bit_length()
    return atoms.ufunc(np.greater, b, atoms.literal(most, np.int64))


def _right_shift(x: IntOperand, y: IntOperand) -> Value:
    a, b = as_kind(x, int), as_kind(y, int)
    _shift_check(y, b)
    bound = interval_of(x)
    return made(atoms.ufunc(np.right_shift, a, b), Interval(min(bound.low, 0), max(bound.high, 0)))


RULES: dict[np.ufunc, Rule] = {
    np.add: _add,
    np.subtract: _subtract,
    np.multiply: multiply,
    np.true_divide: _true_divide,
    np.floor_divide: _floor_divide,
    np.remainder: _remainder,
    np.power: power,
    np.left_shift: _left_shift,
    np.right_shift: _right_shift,
}


# ---- ints that int64 cannot hold -------------------------------------------------------------------------------------


def with_large_int(function: np.ufunc, x: Value, y: Value) -> Value:
    """`x OP y` where one is a plain int beyond int64: exact where the result is surely an int64, else an overflow."""
    n, c = (x, y) if is_run_time(x) else (y, x)
    a = as_kind(n, int)
    low = atoms.literal(0, np.int64)
    if n is x and function in (np.left_shift, np.right_shift) and c < 0:
        raise ValueError("negative shift count")
    if n is x and function is np.right_shift:
        return made(atoms.ufunc(np.right_shift, a, atoms.literal(63, np.int64)), Interval(-1, 0))
    if n is x and function is np.floor_divide:
        opposed = atoms.ufunc(np.less, a, low) if c > 0 else atoms.ufunc(np.greater, a, low)
        return made(atoms.select(opposed, atoms.literal(-1, np.int64), low), Interval(-1, 0))
    if n is x and function is np.remainder:
        run_time_checks.fail_if(_less(a, 0) if c > 0 else _greater(a, 0), overflow)
        return made(a, interval_of(n))
    if function is np.bitwise_and:
        run_time_checks.fail_if(_less(a, 0) if c > 0 else atoms.logical_not(_less(a, 0)), overflow)
        return made(atoms.ufunc(np.bitwise_and, a, atoms.literal(c & FULL.high, np.int64)))
    if function is np.true_divide and n is x and abs(c).bit_count() == 1 and abs(c) < 2**1000:
        return made(atoms.ufunc(np.true_divide, as_kind(n, float), atoms.literal(float(c))))
    raise overflow(0)


def compare_large_int(function: np.ufunc, x: Value, y: Value) -> Value:
    """A comparison of an int with a plain int beyond int64: its sign decides."""
    below, above = (0 if fits(v) else (1 if v > 0 else -1) for v in (x, y))
    return bool(function(below, above))


def invert(x: IntOperand) -> Value:
    """`~x`."""
    result = made(atoms.ufunc(np.invert, as_kind(x, int)), exactly(-1) - interval_of(x))
    return exact_ints.computed(result, np.invert, (x,), None)


def absolute(x: PythonNumber) -> Value:
    """`abs(x)`; of the least int64 it overflows."""
    bound = interval_of(x)
    if bound.low >= 0:
        return x
    high = max(abs(bound.low), abs(bound.high))
    return _result(atoms.ufunc(np.absolute, x.atom), Interval(0, high), lambda: _less(x.atom, FULL.low + 1))


def modular(base: Value, exponent: Value, modulus: Value) -> Value:
    """`pow(base, exponent, modulus)`: of ints, exact, with the sign of the modulus.

    Raises `TypeError` where one of the three is no int. Raises `ValueError` where one is complex; at run time, for a
    modulus of zero, and where a negative exponent needs an inverse that is not there.
    """
    kinds = [kind_of(v) for v in (base, exponent, modulus)]
    if not all(kind in PYTHON_DTYPES for kind in kinds):
        raise no_modular_power(base, exponent, modulus)
    if complex in kinds:
        raise ValueError("complex modulo")
    if not all(kind in (int, bool) for kind in kinds):
        raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
    a, b, m = (as_kind(v, int) for v in (base, exponent, modulus))
    zero = atoms.literal(0, np.int64)
    if interval_of(modulus).low <= 0 <= interval_of(modulus).high:
        run_time_checks.fail_if(atoms.ufunc(np.equal, m, zero), raised(pow, 1, 1, 0))
    if interval_of(exponent).low < 0:
        stuck = atoms.ufunc(np.not_equal, atoms.ufunc(np.gcd, a, m), atoms.literal(1, np.int64))
        negative = atoms.ufunc(np.less, b, zero)
        run_time_checks.fail_if(atoms.logical_and(negative, stuck), raised(pow, 2, -1, 4))
    bound = max(abs(interval_of(modulus).low), abs(interval_of(modulus).high)) - 1
    return made(atoms.op("modular_power", a, b, m), Interval(-bound, bound).clipped())
