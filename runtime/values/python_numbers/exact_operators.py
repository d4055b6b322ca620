"""Operators on ints that may be beyond int64: what is an int64, or a word of 64 bits, is computed exactly."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.interval import FULL, Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.exact_ints import (
    UINT64,
    Computed,
    OfWord,
    checked,
    computed,
    exact_of,
    is_wide,
    low,
)
from anabranch.runtime.values.python_numbers.python_operands import (
    IntOperand,
    PythonNumber,
    as_kind,
    fits,
    interval_of,
    is_run_time,
    made,
    overflow,
    raised,
    zero_check,
)
from anabranch.runtime.values.tracer import COMPARISONS

WORD = Interval(0, 2**64 - 1)
"""The ints that are words of 64 bits without a sign."""


def word(atom: Atom) -> Value:
    """The int that is a word of 64 bits."""
    return made(atom)


def _small(atom: Atom, known: Interval) -> Value:
    """The int of a word that is known to be an int64."""
    return made(atoms.convert(atom, np.int64), known)


def of_wide(function: np.ufunc, x: Any, y: Any) -> Value | None:
    """`x OP y` of ints, of which one may be beyond int64; None where none is, or it is what it is of int64s."""
    if not (is_wide(x) or is_wide(y)):
        return None
    if function in COMPARISONS:
        return _compared(function, x, y)
    rule = _RULES.get(function)
    return None if rule is None else rule(function, x, y)


def _as_word(x: IntOperand) -> Atom | None:
    """An operand as a word where it is known to be one; None for any other."""
    if not is_run_time(x):
        return atoms.literal(int(x), UINT64) if 0 <= int(x) < 2**64 else None
    if isinstance(x.exact_, OfWord):
        return x.exact_.atom
    return atoms.convert(as_kind(x, int), UINT64) if x.exact_ is None and interval_of(x).low >= 0 else None


def _has_word(*operands: IntOperand) -> bool:
    return any(isinstance(exact_of(x), OfWord) or not fits(x) for x in operands)


def _and(function: np.ufunc, x: IntOperand, y: IntOperand) -> Value | None:
    for value, mask in ((x, y), (y, x)):
        if not is_wide(mask) and interval_of(mask).low >= 0:
            masked = atoms.ufunc(np.bitwise_and, low(value), low(mask))
            return _small(masked, Interval(0, interval_of(mask).high))
    for value, mask in ((x, y), (y, x)):
        if _as_word(mask) is not None:
            return word(atoms.ufunc(np.bitwise_and, low(value), low(mask)))
    return _bitwise(function, x, y) if fits(x) and fits(y) else None


def _or(function: np.ufunc, x: IntOperand, y: IntOperand) -> Value | None:
    a, b = _as_word(x), _as_word(y)
    if a is not None and b is not None and _has_word(x, y):
        return word(atoms.ufunc(function, a, b))
    return _beyond(function, x, y) or _with_word(function, x, y) or _bitwise(function, x, y)


def _with_word(function: np.ufunc, x: IntOperand, y: IntOperand) -> Value | None:
    """`x ^ y` of a word and an int64 that may be below 0, for which the word raises where it is used."""
    other = y if isinstance(exact_of(x), OfWord) else x
    if not _has_word(x, y) or not is_run_time(other) or other.exact_ is not None:
        return None
    made_of = atoms.ufunc(function, low(x), low(y))
    negative = atoms.ufunc(np.less, as_kind(other, int), atoms.literal(0, np.int64))
    of = checked(made_of, negative)
    result = word(made_of)
    result.exact_ = OfWord(made_of, Computed(function, (x, y), of))
    return result


def _bitwise(function: np.ufunc, x: IntOperand, y: IntOperand) -> Value:
    return computed(made(atoms.ufunc(function, as_kind(x, int), as_kind(y, int))), function, (x, y), None)


def _beyond(function: np.ufunc, x: IntOperand, y: IntOperand) -> Value | None:
    """An operation with a constant beyond int64, whose result can be an int64 only where the other int is so."""
    if fits(x) and fits(y):
        return None
    n, c = (x, int(y)) if is_run_time(x) else (y, int(x))
    assert is_run_time(n)
    if function is np.add:
        inside = Interval(FULL.low - c, FULL.high - c)
    elif function is np.subtract:
        inside = Interval(FULL.low + c, FULL.high + c) if n is x else Interval(c - FULL.high, c - FULL.low)
    else:
        inside = Interval(0, 0) if function is np.multiply else Interval(1, 0)
    value = atoms.convert(atoms.ufunc(function, low(x), low(y)), np.int64)
    of = checked(value, _outside(n, inside))
    if of is not None:
        of.forgo()
    return computed(made(value), function, (x, y), of)


def _outside(x: PythonNumber, inside: Interval) -> Atom:
    """Return whether an int lies outside of an interval."""
    bound, a = inside.clipped(), as_kind(x, int)
    if bound.low > bound.high:
        return atoms.ufunc(np.equal, a, a)  # always, which is no constant: that would be raised now
    below = atoms.ufunc(np.less, a, atoms.literal(bound.low, np.int64))
    return atoms.logical_or(below, atoms.ufunc(np.greater, a, atoms.literal(bound.high, np.int64)))


def _remainder(function: np.ufunc, x: IntOperand, y: IntOperand) -> Value | None:
    if not is_run_time(x):
        return None
    divisor = 0 if is_run_time(y) else int(y)
    if 0 < divisor <= 2**64 and divisor & (divisor - 1) == 0:
        return _and(np.bitwise_and, x, divisor - 1) if divisor > 1 else 0
    if isinstance(x.exact_, OfWord) and 0 < divisor < 2**64:
        rest = atoms.ufunc(np.remainder, x.exact_.atom, atoms.literal(divisor, UINT64))
        return _small(rest, Interval(0, divisor - 1)) if divisor <= 2**63 else word(rest)
    if x.exact_ is None or is_wide(y):
        return None
    by = as_kind(y, int)
    rest_of_parts = x.exact_.remainder(by) if isinstance(x.exact_, Computed) else x.exact_.modulo(by)
    if rest_of_parts is None:
        return None
    zero_check(y, by, operator.mod, int)
    return made(rest_of_parts, (FULL % interval_of(y)).clipped())


def _floor_divide(function: np.ufunc, x: IntOperand, y: IntOperand) -> Value | None:
    if not is_run_time(x) or not isinstance(x.exact_, OfWord) or interval_of(y).low <= 0:
        return None
    by = _as_word(y)
    if by is None:
        return None
    quotient = atoms.ufunc(np.floor_divide, x.exact_.atom, by)
    least = interval_of(y).low
    return _small(quotient, Interval(0, WORD.high // least)) if least > 1 else word(quotient)


def _right_shift(function: np.ufunc, x: IntOperand, y: IntOperand) -> Value | None:
    count = interval_of(y)
    if not is_run_time(x) or x.exact_ is None or is_wide(y) or count.high < 0:
        return None
    if count.low < 0:
        if isinstance(x.exact_, Computed):
            return None
        negative = atoms.ufunc(np.less, as_kind(y, int), atoms.literal(0, np.int64))
        run_time_checks.fail_if(negative, raised(operator.rshift, 1, -1))
        count = count.max(Interval(0, 0))
    if isinstance(x.exact_, OfWord):
        shifted = atoms.ufunc(np.right_shift, x.exact_.atom, atoms.convert(as_kind(y, int), UINT64))
        return _small(shifted, Interval(0, WORD.high >> min(count.low, 64))) if count.low else word(shifted)
    return _shifted_product(x.exact_, int(y)) if not is_run_time(y) and y else None


def _shifted_product(x: Computed, count: int) -> Value | None:
    """The upper bits of the product of two words, if they are a word."""
    if x.function is not np.multiply or count >= 128:
        return None
    a, b = map(_as_word, x.parts)
    if a is None or b is None:
        return None
    low_half = x.low()
    high_half = atoms.op("multiply_high", a, b)
    most = _most(x.parts[0]) * _most(x.parts[1]) >> count
    if count >= 64:
        rest: Atom = atoms.ufunc(np.right_shift, high_half, atoms.literal(count - 64, UINT64))
    else:
        upper = atoms.ufunc(np.left_shift, high_half, atoms.literal(64 - count, UINT64))
        rest = atoms.ufunc(np.bitwise_or, upper, atoms.ufunc(np.right_shift, low_half, atoms.literal(count, UINT64)))
        if most > WORD.high:
            more = atoms.ufunc(np.right_shift, high_half, atoms.literal(count, UINT64))
            run_time_checks.fail_if(atoms.ufunc(np.not_equal, more, atoms.literal(0, UINT64)), overflow)
    return _small(rest, Interval(0, most)) if most <= FULL.high else word(rest)


def _most(x: IntOperand) -> int:
    return WORD.high if isinstance(exact_of(x), OfWord) else interval_of(x).high


def _true_divide(function: np.ufunc, x: IntOperand, y: IntOperand) -> Value | None:
    """By a power of two: a word is rounded once."""
    if is_run_time(y) or not is_run_time(x) or not isinstance(x.exact_, OfWord):
        return None
    divisor = int(y)
    if divisor <= 0 or divisor & (divisor - 1) or divisor >= 2**900:
        return None
    part = atoms.literal(1.0 / divisor)
    return made(atoms.ufunc(np.multiply, atoms.convert(x.exact_.atom, np.float64), part))


_RULES: dict[np.ufunc, Callable[[np.ufunc, Any, Any], Any]] = {
    np.add: _beyond,
    np.subtract: _beyond,
    np.multiply: _beyond,
    np.bitwise_and: _and,
    np.bitwise_or: _or,
    np.bitwise_xor: _or,
    np.remainder: _remainder,
    np.floor_divide: _floor_divide,
    np.right_shift: _right_shift,
    np.true_divide: _true_divide,
}


def _compared(function: np.ufunc, x: IntOperand, y: IntOperand) -> Value | None:
    """The comparison of a word with an int; None where neither is one."""
    if not any(isinstance(exact_of(v), OfWord) for v in (x, y)):
        return None
    a, b = _as_word(x), _as_word(y)
    if a is not None and b is not None:
        return made(atoms.ufunc(function, a, b))
    word_first = isinstance(exact_of(x), OfWord)
    other = y if word_first else x
    if not is_run_time(other):  # it is no word: below all of them, or above
        sign = -1 if int(other) < 0 else 1
        return bool(function(0, sign) if word_first else function(sign, 0))
    if isinstance(other.exact_, Computed):
        return None
    negative = atoms.ufunc(np.less, as_kind(other, int), atoms.literal(0, np.int64))
    of_negative = atoms.literal(bool(function(0, -1) if word_first else function(-1, 0)))
    return made(atoms.select(negative, of_negative, atoms.ufunc(function, low(x), low(y))))


def unary(function: np.ufunc, x: PythonNumber) -> Value | None:
    """`+x`, `abs(x)` and `-x` of an int that may be beyond int64; None where it is what it is of an int64."""
    if x.exact_ is None:
        return None
    is_itself = function is np.positive or (function is np.absolute and isinstance(x.exact_, OfWord))
    return x if is_itself else None
