"""Python's own arithmetic on traced scalars.

Source of the semantics: the Python language reference, "Numeric types". `/` of ints is a float, division by zero raises
`ZeroDivisionError`, an int beyond int64 raises `OverflowError` instead of wrapping, float `**` raises `OverflowError`.
Every check that the operands' intervals already settle costs nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir import Atom, Literal
from anabranch.runtime.values import atoms, checks, wrap
from anabranch.runtime.values.abstract import PYTHON_DTYPES
from anabranch.runtime.values.interval import FULL, Interval, exactly
from anabranch.runtime.values.traced import COMPARISONS

_RANK = {bool: 0, int: 1, float: 2, complex: 3}
_TYPES = {rank: kind for kind, rank in _RANK.items()}
_PYTHON: dict[Any, Callable[[Any, Any], Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
    np.left_shift: operator.lshift,
    np.right_shift: operator.rshift,
}
_BITWISE: dict[Any, np.ufunc] = {
    np.bitwise_and: np.logical_and,
    np.bitwise_or: np.logical_or,
    np.bitwise_xor: np.logical_xor,
}
_SWAPPED: dict[Any, np.ufunc] = {
    np.less: np.greater,
    np.greater: np.less,
    np.less_equal: np.greater_equal,
    np.greater_equal: np.less_equal,
}
_LOOP = {int: np.int64, float: np.float64, complex: np.complex128, bool: np.bool_}


def register(cls: type, make: Callable[..., Any]) -> None:
    """Called once by `python_scalar`, which needs this module for its operators."""
    global _scalar_class, _make
    _scalar_class, _make = cls, make


_scalar_class: Any
_make: Callable[..., Any]


def kind_of(x: Any) -> type[Any]:
    """int, float, bool or complex."""
    return x.python if isinstance(x, _scalar_class) else type(x)


def interval_of(x: Any) -> Interval:
    """What is known of an int operand."""
    if isinstance(x, _scalar_class):
        return Interval(0, 1) if x.python is bool else x.interval
    return exactly(int(x))


def as_kind(x: Any, kind: type) -> Atom:
    """The operand as an atom of a Python kind."""
    return wrap.as_atom(x, PYTHON_DTYPES[kind])


def raised(function: Callable[..., Any], *arguments: Any) -> Callable[[int], BaseException]:
    """A factory of the exception that Python itself raises for this operation."""

    def make(_: int) -> BaseException:
        try:
            function(*arguments)
        except Exception as error:  # the very exception wanted
            return error.with_traceback(None)
        raise AssertionError("the operation did not raise")

    return make


def overflow(_: int) -> BaseException:
    """What an int beyond int64 raises."""
    return OverflowError("a Python int went beyond 64 bits; compiled code holds ints as int64")


def binary(function: np.ufunc, x: Any, y: Any) -> Any:
    """`x OP y` for two Python scalars of which one is traced."""
    kind = _TYPES[max(_RANK[kind_of(x)], _RANK[kind_of(y)])]
    if function in COMPARISONS:
        if kind is complex and function not in (np.equal, np.not_equal):
            raise TypeError("'<' not supported between instances of 'complex' and 'complex'")
        if kind is float and not (_exact_in_float(x) and _exact_in_float(y)):
            return _compare_int_float(function, x, y)
        return _make(atoms.ufunc(function, as_kind(x, kind), as_kind(y, kind)))
    if function in _BITWISE:
        if kind is bool:
            return _make(atoms.ufunc(_BITWISE[function], as_kind(x, bool), as_kind(y, bool)))
        if kind is int:
            return _make(atoms.ufunc(function, as_kind(x, int), as_kind(y, int)))
        raise TypeError(
            f"unsupported operand type(s) for {function.__name__}: '{kind_of(x).__name__}' and '{kind_of(y).__name__}'"
        )
    kind = int if kind is bool else kind
    rules = {int: _INT, float: _FLOAT, complex: _COMPLEX}[kind]
    if function not in rules:
        name = _PYTHON[function].__name__
        raise TypeError(f"unsupported operand type(s) for {name}: '{kind_of(x).__name__}' and '{kind_of(y).__name__}'")
    return rules[function](x, y)


def _exact_in_float(x: Any) -> bool:
    """Whether an operand is a float, or an int that float64 holds exactly."""
    bound = interval_of(x) if kind_of(x) in (int, bool) else exactly(0)
    return bound.low >= -(2**53) and bound.high <= 2**53


def _compare_int_float(function: np.ufunc, x: Any, y: Any) -> Any:
    """Python compares an int with a float exactly; float64 alone cannot.

    Rounding is monotonic, so where the rounded int differs from the float their order is right. Where they are equal
    the float is whole, and the ints are compared, unless the float is 2**63, which is above every int64.
    """
    if kind_of(x) is float:
        return _compare_int_float(_SWAPPED.get(function, function), y, x)
    whole, other = as_kind(x, int), as_kind(y, float)
    rounded = as_kind(x, float)
    tied = atoms.ufunc(np.equal, rounded, other)
    top = atoms.ufunc(np.greater_equal, other, atoms.literal(2.0**63))
    by_float = atoms.ufunc(function, rounded, other)
    by_int = atoms.ufunc(function, whole, atoms.convert(other, np.int64))
    above = atoms.literal(bool(function in (np.less, np.less_equal, np.not_equal)))
    return _make(atoms.select(tied, atoms.select(top, above, by_int), by_float))


def unary(function: np.ufunc, x: Any) -> Any:
    """`-x`, `+x`, `abs(x)`, `~x`."""
    kind = kind_of(x)
    if kind is bool or (kind is int and function is np.positive):
        x = _make(as_kind(x, int), interval_of(x))
        kind = int
    if function is np.positive:
        return x
    if kind is int:
        if function is np.invert:
            return _make(atoms.ufunc(np.invert, as_kind(x, int)), exactly(-1) - interval_of(x))
        negated = binary(np.subtract, 0, x)
        if function is np.negative:
            return negated
        bound = interval_of(x)
        if bound.low >= 0:
            return x
        high = max(abs(bound.low), abs(bound.high))
        return _make(atoms.ufunc(np.absolute, x.atom), Interval(0, high).clipped())
    if function is np.invert:
        raise TypeError(f"bad operand type for unary ~: '{kind.__name__}'")
    return _make(atoms.ufunc(function, x.atom))


# ---- int -----------------------------------------------------------------------------------------------------------


def _int_result(r: Atom, exact: Interval, overflowed: Callable[[], Atom], affine: Any = None) -> Any:
    if not exact.fits:
        checks.fail_if(overflowed(), overflow)
    return _make(r, exact.clipped(), affine)


def _sign_bit(a: Atom) -> Atom:
    return atoms.ufunc(np.less, a, atoms.literal(0, np.int64))


def _affine(x: Any, y: Any, sign: int) -> tuple[Atom, int] | None:
    if isinstance(x, _scalar_class) and not isinstance(y, _scalar_class) and x.python is int:
        return (x.affine[0], x.affine[1] + sign * int(y))
    if sign > 0 and isinstance(y, _scalar_class) and not isinstance(x, _scalar_class) and y.python is int:
        return (y.affine[0], y.affine[1] + int(x))
    return None


def _int_add(x: Any, y: Any) -> Any:
    a, b = as_kind(x, int), as_kind(y, int)
    r = atoms.ufunc(np.add, a, b)
    xor, both = np.bitwise_xor, np.bitwise_and
    return _int_result(
        r,
        interval_of(x) + interval_of(y),
        lambda: _sign_bit(atoms.ufunc(both, atoms.ufunc(xor, a, r), atoms.ufunc(xor, b, r))),
        _affine(x, y, 1),
    )


def _int_subtract(x: Any, y: Any) -> Any:
    a, b = as_kind(x, int), as_kind(y, int)
    if isinstance(x, _scalar_class) and isinstance(y, _scalar_class) and x.affine[0] is y.affine[0]:
        return x.affine[1] - y.affine[1]
    r = atoms.ufunc(np.subtract, a, b)
    xor, both = np.bitwise_xor, np.bitwise_and
    return _int_result(
        r,
        interval_of(x) - interval_of(y),
        lambda: _sign_bit(atoms.ufunc(both, atoms.ufunc(xor, a, b), atoms.ufunc(xor, a, r))),
        _affine(x, y, -1),
    )


def _beyond(approximate: Atom, wrapped: Atom) -> Atom:
    """Whether an exact result, known in float64 to within rounding and in int64 modulo 2**64, is no int64.

    Below 9.3e18 in magnitude an int64 overflow always flips the sign, so the two tests together are exact.
    """
    far = atoms.ufunc(np.greater, atoms.ufunc(np.absolute, approximate), atoms.literal(9.3e18))
    below = atoms.ufunc(np.less, approximate, atoms.literal(0.0))
    return atoms.logical_or(far, atoms.ufunc(np.not_equal, below, _sign_bit(wrapped)))


def _int_multiply(x: Any, y: Any) -> Any:
    a, b = as_kind(x, int), as_kind(y, int)
    r = atoms.ufunc(np.multiply, a, b)

    def overflowed() -> Atom:
        return _beyond(atoms.ufunc(np.multiply, atoms.convert(a, np.float64), atoms.convert(b, np.float64)), r)

    return _int_result(r, interval_of(x) * interval_of(y), overflowed)


def _zero_check(y: Any, b: Atom, function: Callable[..., Any], sample: Any) -> None:
    if kind_of(y) in (int, bool):
        bound = interval_of(y)
        if bound.low > 0 or bound.high < 0:
            return
    zero = atoms.literal(0, b.type.dtype)
    checks.fail_if(atoms.ufunc(np.equal, b, zero), raised(function, sample(1), sample(0)))


def _int_true_divide(x: Any, y: Any) -> Any:
    b = as_kind(y, int)
    _zero_check(y, b, operator.truediv, int)
    return _make(atoms.ufunc(np.true_divide, as_kind(x, float), as_kind(y, float)))


def _int_floor_divide(x: Any, y: Any) -> Any:
    a, b = as_kind(x, int), as_kind(y, int)
    _zero_check(y, b, operator.floordiv, int)
    exact = interval_of(x) // interval_of(y)

    def overflowed() -> Atom:
        least = atoms.ufunc(np.equal, a, atoms.literal(np.iinfo(np.int64).min, np.int64))
        return atoms.logical_and(least, atoms.ufunc(np.equal, b, atoms.literal(-1, np.int64)))

    return _int_result(atoms.ufunc(np.floor_divide, a, b), exact, overflowed)


def _int_remainder(x: Any, y: Any) -> Any:
    a, b = as_kind(x, int), as_kind(y, int)
    _zero_check(y, b, operator.mod, int)
    return _make(atoms.ufunc(np.remainder, a, b), interval_of(x) % interval_of(y))


def _int_power(x: Any, y: Any) -> Any:
    exponent = interval_of(y)
    if exponent.high < 0:
        return _float_power(x, y)
    if not isinstance(y, _scalar_class) and 1 <= int(y) <= 4:
        result = x
        for _ in range(int(y) - 1):
            result = binary(np.multiply, result, x)
        return +result
    a, b = as_kind(x, int), as_kind(y, int)
    if exponent.low < 0:
        negative = (
            "int ** negative int is a float in Python, which the int result of a compiled function cannot hold; "
            "write float(x) ** n"
        )
        checks.fail_if(_sign_bit(b), lambda _: UnsupportedOperationError(negative))
    r = atoms.ufunc(np.power, a, b)
    approximate = atoms.ufunc(np.power, atoms.convert(a, np.float64), atoms.convert(b, np.float64))
    checks.fail_if(_beyond(approximate, r), overflow)
    return _make(r)


def _shift_check(y: Any, b: Atom) -> None:
    if interval_of(y).low < 0:
        checks.fail_if(_sign_bit(b), raised(operator.lshift, 1, -1))


def _int_left_shift(x: Any, y: Any) -> Any:
    a, b = as_kind(x, int), as_kind(y, int)
    _shift_check(y, b)
    r = atoms.ufunc(np.left_shift, a, b)
    bound, by = interval_of(x), interval_of(y)
    exact = bound * Interval(1, 2**by.high) if by.high < 64 else Interval(FULL.low - 1, FULL.high + 1)
    return _int_result(r, exact, lambda: atoms.ufunc(np.not_equal, atoms.ufunc(np.right_shift, r, b), a))


def _int_right_shift(x: Any, y: Any) -> Any:
    a, b = as_kind(x, int), as_kind(y, int)
    _shift_check(y, b)
    bound = interval_of(x)
    return _make(atoms.ufunc(np.right_shift, a, b), Interval(min(bound.low, 0), max(bound.high, 0)))


# ---- float and complex -----------------------------------------------------------------------------------------------


def _plain(function: np.ufunc, kind: type) -> Callable[[Any, Any], Any]:
    return lambda x, y: _make(atoms.ufunc(function, as_kind(x, kind), as_kind(y, kind)))


def _divides(function: np.ufunc, kind: type) -> Callable[[Any, Any], Any]:
    def rule(x: Any, y: Any) -> Any:
        b = as_kind(y, kind)
        _zero_check(y, b, _PYTHON[function], kind)
        return _make(atoms.ufunc(function, as_kind(x, kind), b))

    return rule


def _float_power(x: Any, y: Any) -> Any:
    a, b = as_kind(x, float), as_kind(y, float)
    zero = atoms.literal(0.0)
    whole = isinstance(b, Literal) and bool(b.value == np.floor(b.value))
    if not (isinstance(b, Literal) and b.value >= 0):
        bad = atoms.logical_and(atoms.ufunc(np.equal, a, zero), atoms.ufunc(np.less, b, zero))
        checks.fail_if(bad, raised(operator.pow, 0.0, -1.0))
    if not whole:
        fractional = atoms.ufunc(np.not_equal, b, atoms.ufunc(np.floor, b))
        finite = atoms.logical_and(atoms.ufunc(np.isfinite, a), atoms.ufunc(np.isfinite, b))
        negative = atoms.logical_and(atoms.ufunc(np.less, a, zero), finite)
        message = (
            "a negative float to a fractional power is complex in Python, which the float result of a compiled "
            "function cannot hold; write complex(x) ** y"
        )
        checks.fail_if(atoms.logical_and(negative, fractional), lambda _: UnsupportedOperationError(message))
    r = atoms.ufunc(np.multiply, a, a) if isinstance(b, Literal) and b.value == 2 else atoms.ufunc(np.power, a, b)
    operands = atoms.logical_and(atoms.ufunc(np.isfinite, a), atoms.ufunc(np.isfinite, b))
    checks.fail_if(atoms.logical_and(atoms.ufunc(np.isinf, r), operands), raised(operator.pow, 1e200, 2.0))
    return _make(r)


_INT: dict[Any, Callable[[Any, Any], Any]] = {
    np.add: _int_add,
    np.subtract: _int_subtract,
    np.multiply: _int_multiply,
    np.true_divide: _int_true_divide,
    np.floor_divide: _int_floor_divide,
    np.remainder: _int_remainder,
    np.power: _int_power,
    np.left_shift: _int_left_shift,
    np.right_shift: _int_right_shift,
}
_FLOAT: dict[Any, Callable[[Any, Any], Any]] = {
    **{f: _plain(f, float) for f in (np.add, np.subtract, np.multiply)},
    **{f: _divides(f, float) for f in (np.true_divide, np.floor_divide, np.remainder)},
    np.power: _float_power,
}
_COMPLEX: dict[Any, Callable[[Any, Any], Any]] = {
    **{f: _plain(f, complex) for f in (np.add, np.subtract, np.multiply, np.power)},
    np.true_divide: _divides(np.true_divide, complex),
}


# ---- conversions -----------------------------------------------------------------------------------------------------


def to_int(x: Any) -> Any:
    """`int(x)`: truncates a float; raises for NaN, infinities and what int64 cannot hold."""
    kind = kind_of(x)
    if kind is complex:
        raise TypeError("int() argument must be a string, a bytes-like object or a real number, not 'complex'")
    if kind is not float:
        return _make(as_kind(x, int), interval_of(x))
    checks.fail_if(atoms.ufunc(np.isnan, x.atom), raised(int, float("nan")))
    checks.fail_if(atoms.ufunc(np.isinf, x.atom), raised(int, float("inf")))
    outside = atoms.ufunc(np.greater_equal, atoms.ufunc(np.absolute, x.atom), atoms.literal(2.0**63))
    checks.fail_if(outside, overflow)
    return _make(atoms.convert(x.atom, np.int64))


def to_kind(x: Any, kind: type) -> Any:
    """`float(x)`, `bool(x)`, `complex(x)`."""
    if kind is int:
        return to_int(x)
    if kind is float and kind_of(x) is complex:
        raise TypeError("float() argument must be a string or a real number, not 'complex'")
    return _make(as_kind(x, kind))


def round_(x: Any, digits: Any) -> Any:
    """`round(x)` to even, an int; `round(x, digits)` of an int or with static digits."""
    if kind_of(x) is not float:
        if digits is None or digits >= 0:
            return +x
    elif digits is None:
        return to_int(_make(atoms.ufunc(np.rint, x.atom)))
    raise UnsupportedOperationError(
        "round(x, digits) rounds a float correctly in decimal, which is not compiled; use np.round"
    )


def bit_length(x: Any) -> Any:
    """The number of bits of an int's magnitude."""
    magnitude = atoms.ufunc(np.absolute, as_kind(x, int))
    count: Atom = atoms.literal(0, np.int64)
    for step in (32, 16, 8, 4, 2, 1):
        shifted = atoms.ufunc(np.right_shift, magnitude, atoms.literal(step, np.int64))
        more = atoms.ufunc(np.greater, shifted, atoms.literal(0, np.int64))
        wider = atoms.ufunc(np.add, count, atoms.literal(step, np.int64))
        count, magnitude = atoms.select(more, wider, count), atoms.select(more, shifted, magnitude)
    return _make(atoms.ufunc(np.add, count, magnitude), Interval(0, 64))
