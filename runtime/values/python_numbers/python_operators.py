"""Python's own arithmetic on traced scalars.

Source of the semantics: the Python language reference, "Numeric types". `/` of ints is a float, division by zero raises
`ZeroDivisionError`, an int beyond int64 raises `OverflowError` instead of wrapping, float `**` raises `OverflowError`.
Every check that the operands' intervals already settle costs nothing.
"""

from __future__ import annotations

import math

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.interval import exactly
from anabranch.runtime.values import atoms
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers import exact_operators, python_ints
from anabranch.runtime.values.python_numbers.python_floats import COMPLEX, FLOATS
from anabranch.runtime.values.python_numbers.python_operands import (
    EXACT,
    Operand,
    as_kind,
    fits,
    interval_of,
    kind_of,
    made,
    raised,
)
from anabranch.runtime.values.tracer import COMPARISONS

_RANK = {bool: 0, int: 1, float: 2, complex: 3}
_TYPES = {rank: kind for kind, rank in _RANK.items()}
_SYMBOLS: dict[np.ufunc, str] = {
    np.add: "+",
    np.subtract: "-",
    np.multiply: "*",
    np.true_divide: "/",
    np.floor_divide: "//",
    np.remainder: "%",
    np.power: "** or pow()",
    np.left_shift: "<<",
    np.right_shift: ">>",
    np.bitwise_and: "&",
    np.bitwise_or: "|",
    np.bitwise_xor: "^",
    np.less: "<",
    np.less_equal: "<=",
    np.greater: ">",
    np.greater_equal: ">=",
}
_BITWISE: dict[np.ufunc, np.ufunc] = {
    np.bitwise_and: np.logical_and,
    np.bitwise_or: np.logical_or,
    np.bitwise_xor: np.logical_xor,
}
_SWAPPED: dict[np.ufunc, np.ufunc] = {
    np.less: np.greater,
    np.greater: np.less,
    np.less_equal: np.greater_equal,
    np.greater_equal: np.less_equal,
}


def binary(function: np.ufunc, x: Operand, y: Operand) -> Value:
    """`x OP y` for two Python scalars of which one is traced."""
    kind = _TYPES[max(_RANK[kind_of(x)], _RANK[kind_of(y)])]
    if kind is int and (result := exact_operators.of_wide(function, x, y)) is not None:
        return result
    if function in COMPARISONS:
        if kind is complex and function not in (np.equal, np.not_equal):
            raise TypeError(f"'{_SYMBOLS[function]}' not supported between instances of {_kinds(x, y)}")
        if kind is int and not (fits(x) and fits(y)):
            return python_ints.compare_large_int(function, x, y)
        if kind in (float, complex) and not (_exact_in_float(x) and _exact_in_float(y)):
            return _compare_inexact(function, x, y)
        return made(atoms.ufunc(function, as_kind(x, kind), as_kind(y, kind)))
    if kind is int and not (fits(x) and fits(y)):
        return python_ints.with_large_int(function, x, y)
    if function in _BITWISE:
        if kind not in (int, bool):
            raise _unsupported(function, x, y)
        name = _BITWISE[function] if kind is bool else function
        return made(atoms.ufunc(name, as_kind(x, kind), as_kind(y, kind)))
    rules = {float: FLOATS, complex: COMPLEX}.get(kind, python_ints.RULES)
    if function not in rules:
        raise _unsupported(function, x, y)
    return rules[function](x, y)


def _kinds(x: Operand, y: Operand) -> str:
    return f"'{kind_of(x).__name__}' and '{kind_of(y).__name__}'"


def _unsupported(function: np.ufunc, x: Operand, y: Operand) -> TypeError:
    return TypeError(f"unsupported operand type(s) for {_SYMBOLS[function]}: {_kinds(x, y)}")


def _exact_in_float(x: Operand) -> bool:
    """Return whether an operand is a float, or an int that float64 holds exactly."""
    bound = interval_of(x) if kind_of(x) in (int, bool) else exactly(0)
    return EXACT.low <= bound.low and bound.high <= EXACT.high


def _compare_inexact(function: np.ufunc, x: Value, y: Operand) -> Value:
    """A comparison of an int that float64 may not hold with a float or a complex number: Python's is exact."""
    if kind_of(y) in (int, bool):
        return _compare_inexact(_SWAPPED.get(function, function), y, x)
    if kind_of(y) is complex:
        real, imag = (made(atoms.op(part, as_kind(y, complex))) for part in ("real", "imag"))
        equal = binary(np.bitwise_and, binary(np.equal, x, real), binary(np.equal, imag, 0.0))
        return equal if function is np.equal else binary(np.bitwise_xor, equal, True)
    return _compare_int_float(function, x, y) if fits(x) else _compare_large(function, x, y)


def _compare_large(function: np.ufunc, x: int, y: Operand) -> Value:
    """A plain int beyond int64 against a float: no float lies between the int and its two neighbours among them."""
    try:
        nearest = float(x)
    except OverflowError:
        nearest = math.inf if x > 0 else -math.inf
    if nearest == x or function in (np.equal, np.not_equal):
        other = nearest if nearest == x else math.nan
        return made(atoms.ufunc(function, atoms.literal(other), as_kind(y, float)))
    below = nearest if nearest < x else math.nextafter(nearest, -math.inf)
    # x < y means that y is above the float below x, x > y that it is no higher than that one.
    strict = np.less if function in (np.less, np.less_equal) else np.greater_equal
    return made(atoms.ufunc(strict, atoms.literal(below), as_kind(y, float)))


def _compare_int_float(function: np.ufunc, x: Operand, y: Operand) -> Value:
    """Python compares an int with a float exactly; float64 alone cannot.

    Rounding is monotonic, so where the rounded int differs from the float their order is right. Where they are equal
    the float is whole, and the ints are compared, unless the float is 2**63, which is above every int64.
    """
    whole, other = as_kind(x, int), as_kind(y, float)
    rounded = as_kind(x, float)
    tied = atoms.ufunc(np.equal, rounded, other)
    top = atoms.ufunc(np.greater_equal, other, atoms.literal(2.0**63))
    by_float = atoms.ufunc(function, rounded, other)
    by_int = atoms.ufunc(function, whole, atoms.convert(other, np.int64))
    above = atoms.literal(bool(function in (np.less, np.less_equal, np.not_equal)))
    return made(atoms.select(tied, atoms.select(top, above, by_int), by_float))


def unary(function: np.ufunc, x: Value) -> Value:
    """`-x`, `+x`, `abs(x)`, `~x`."""
    kind = kind_of(x)
    if kind is int and function is not np.invert and (exact := exact_operators.unary(function, x)) is not None:
        return exact
    if kind is bool or (kind is int and function is np.positive):
        x = made(as_kind(x, int), interval_of(x))
        kind = int
    if function is np.positive:
        return x
    if kind is int:
        if function is np.invert:
            return python_ints.invert(x)
        return python_ints.absolute(x) if function is np.absolute else binary(np.subtract, 0, x)
    if function is np.invert:
        raise TypeError(f"bad operand type for unary ~: '{kind.__name__}'")
    size = atoms.ufunc(function, x.atom)
    if kind is complex and function is np.absolute:
        beyond = atoms.logical_and(atoms.ufunc(np.isfinite, x.atom), atoms.ufunc(np.isinf, size))
        run_time_checks.fail_if(beyond, raised(abs, complex(1.7e308, 1.7e308)))
    return made(size)
