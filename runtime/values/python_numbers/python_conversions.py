"""`int`, `float`, `bool`, `complex` and `round` of Python numbers, and what ints and floats are made of."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.ops.elementwise.python_arithmetic import MOST_DIGITS
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_operands import (
    IntOperand,
    Operand,
    PythonNumber,
    as_kind,
    interval_of,
    is_run_time,
    kind_of,
    made,
    overflow,
    raised,
)
from anabranch.runtime.values.python_numbers.python_operators import binary

_INT64_DIGITS = 18  # the decimal digits that every int64 of so many has room for
_FAR_DIGITS = (-308, 323)  # beyond these every float rounds to zero, or stays


def of_numpy(atom: Atom) -> Value:
    """The Python number of a NumPy scalar, as `item()` returns it; raises for a uint64 beyond int64."""
    dtype = atom.type.dtype
    if dtype == np.uint64:
        run_time_checks.fail_if(_less(atoms.literal(2**63 - 1, np.uint64), atom), overflow)
    wide = {"b": np.bool_, "i": np.int64, "u": np.int64, "c": np.complex128}.get(dtype.kind, np.float64)
    return made(atoms.convert(atom, wide))


def real_part(atom: Atom) -> Atom:
    """Return the real part of one of NumPy's complex scalars, as `int()` and `float()` take it of these alone."""
    return atoms.op("real", atom)


def to_int(x: Value) -> Value:
    """`int(x)`: truncates a float; raises for NaN, infinities and what int64 cannot hold."""
    kind = kind_of(x)
    if kind is complex:
        raise TypeError("int() argument must be a string, a bytes-like object or a real number, not 'complex'")
    if kind is int and is_run_time(x) and x.exact_ is not None:
        return x
    if kind is not float:
        return made(as_kind(x, int), interval_of(x), x.affine if kind is int and is_run_time(x) else None)
    above = atoms.ufunc(np.greater_equal, x.atom, atoms.literal(-(2.0**63)))
    inside = atoms.logical_and(above, atoms.ufunc(np.less, x.atom, atoms.literal(2.0**63)))
    # Machine code asks the first question alone of a number that fits.
    outside = atoms.logical_not(inside)
    for test, number in ((np.isnan, float("nan")), (np.isinf, float("inf"))):
        run_time_checks.fail_if(atoms.logical_and(outside, atoms.ufunc(test, x.atom)), raised(int, number))
    run_time_checks.fail_if(outside, overflow)
    return made(atoms.convert(x.atom, np.int64))


def to_kind(x: Operand, kind: type) -> Value:
    """`float(x)`, `bool(x)`, `complex(x)`."""
    if kind is int:
        return to_int(x)
    if kind is float and kind_of(x) is complex:
        raise TypeError("float() argument must be a string or a real number, not 'complex'")
    return made(as_kind(x, kind))


def rounded_to_int(function: np.ufunc, x: Value) -> Value:
    """`math.floor`, `math.ceil`, `math.trunc` or `round` of a number."""
    return to_int(made(atoms.ufunc(function, x.atom)) if kind_of(x) is float else x)


def round_(x: Operand, digits: Value) -> Value:
    """`round(x)`, an int; `round(x, digits)`, which is what `x` is; ties go to even.

    Raises `UnsupportedOperationError` at run time, for a float below 1e-6 and more than 22 digits, or above 4e22 and
    fewer than -22.
    """
    kind = kind_of(x)
    if kind is complex:
        raise TypeError("type complex doesn't define __round__ method")
    if digits is None:
        return rounded_to_int(np.rint, x)
    if kind_of(digits) not in (int, bool):
        raise TypeError(f"'{kind_of(digits).__name__}' object cannot be interpreted as an integer")
    return _round_float(x, digits) if kind is float else _round_int(x, digits)


def _round_float(x: Operand, digits: IntOperand) -> Value:
    if not is_run_time(digits):
        digits = min(max(int(digits), _FAR_DIGITS[0] - 1), _FAR_DIGITS[1] + 1)
    atom, count = as_kind(x, float), as_kind(digits, int)
    size = atoms.ufunc(np.absolute, atom)
    bound, (low, high) = interval_of(digits), _FAR_DIGITS
    finest = _within(count, MOST_DIGITS + 1, high, bound)
    tiny = atoms.logical_and(_less(atoms.literal(0.0), size), _less(size, atoms.literal(1e-6)))
    huge = atoms.logical_and(_less(atoms.literal(4e22), size), _less(size, atoms.literal(np.inf)))
    coarsest = _within(count, low, -MOST_DIGITS - 1, bound)
    unsupported = atoms.logical_or(atoms.logical_and(finest, tiny), atoms.logical_and(coarsest, huge))
    message = "round(x, digits) of a float as small or as large as this is supported for -22 to 22 digits; use np.round"
    run_time_checks.fail_if(unsupported, lambda _: UnsupportedOperationError(message))
    return made(atoms.op("round_digits", atom, count))


def _within(a: Atom, low: int, high: int, bound: Interval) -> Atom:
    if bound.high < low or bound.low > high:
        return atoms.literal(False)
    low_atom, high_atom = atoms.literal(low, np.int64), atoms.literal(high, np.int64)
    return atoms.logical_and(atoms.ufunc(np.less_equal, low_atom, a), atoms.ufunc(np.less_equal, a, high_atom))


def _less(a: Atom, b: Atom) -> Atom:
    return atoms.ufunc(np.less, a, b)


def _round_int(x: Value, digits: IntOperand) -> Value:
    """To a multiple of a power of ten. From 10**19 on that is zero, or 10**19 itself."""
    if interval_of(digits).low >= 0:
        return to_int(x)
    x = to_int(x)
    count = _minimum(_maximum(binary(np.subtract, 0, _maximum(digits, -100)), 0), _INT64_DIGITS + 2)
    near = _minimum(count, _INT64_DIGITS)
    unit = 10**near if not is_run_time(near) else made(atoms.ufunc(np.power, atoms.literal(10), as_kind(near, int)))
    if is_run_time(unit):
        unit.interval = Interval(1, 10**_INT64_DIGITS)
    quotient, rest = binary(np.floor_divide, x, unit), binary(np.remainder, x, unit)
    twice = binary(np.multiply, rest, 2)
    odd = binary(np.bitwise_and, quotient, 1)
    half = binary(np.bitwise_and, binary(np.equal, twice, unit), binary(np.equal, odd, 1))
    up = binary(np.bitwise_or, binary(np.greater, twice, unit), half)
    far, next_far = (as_kind(binary(test, count, _INT64_DIGITS + 1), bool) for test in (np.greater_equal, np.equal))
    big = _maximum(x, -(2**63) + 1)
    run_time_checks.fail_if(
        atoms.logical_and(next_far, _less(atoms.literal(5 * 10**18), as_kind(abs(big), int))), overflow
    )
    steps = binary(np.add, quotient, up)
    kept = atoms.select(far, atoms.literal(0), as_kind(steps, int))
    return binary(np.multiply, made(kept, interval_of(steps)), unit)


def _maximum(x: IntOperand, low: int) -> Value:
    if not is_run_time(x):
        return max(int(x), low)
    bound = interval_of(x)
    if bound.low >= low:
        return x
    return made(atoms.ufunc(np.maximum, as_kind(x, int), atoms.literal(low, np.int64)), bound.max(Interval(low, low)))


def _minimum(x: IntOperand, high: int) -> Value:
    if not is_run_time(x):
        return min(int(x), high)
    bound = interval_of(x)
    if bound.high <= high:
        return x
    return made(
        atoms.ufunc(np.minimum, as_kind(x, int), atoms.literal(high, np.int64)), bound.min(Interval(high, high))
    )


def bit_length(x: PythonNumber) -> Value:
    """The number of bits of an int's magnitude."""
    if x.word_ is not None:
        upper = made(atoms.convert(atoms.ufunc(np.right_shift, x.word_, atoms.literal(1, np.uint64)), np.int64))
        some = made(atoms.convert(atoms.convert(x.word_, np.bool_), np.int64), Interval(0, 1))
        return binary(np.add, bit_length(upper), some)
    least = atoms.ufunc(np.equal, as_kind(x, int), atoms.literal(-(2**63), np.int64))
    magnitude = atoms.ufunc(np.absolute, as_kind(x, int))
    count: Atom = atoms.literal(0, np.int64)
    for step in (32, 16, 8, 4, 2, 1):
        shifted = atoms.ufunc(np.right_shift, magnitude, atoms.literal(step, np.int64))
        more = atoms.ufunc(np.greater, shifted, atoms.literal(0, np.int64))
        wider = atoms.ufunc(np.add, count, atoms.literal(step, np.int64))
        count, magnitude = atoms.select(more, wider, count), atoms.select(more, shifted, magnitude)
    length = atoms.ufunc(np.add, count, magnitude)
    return made(atoms.select(least, atoms.literal(64, np.int64), length), Interval(0, 64))


def bit_count(x: PythonNumber) -> Value:
    """The number of ones in an int's magnitude."""
    ones = atoms.ufunc(np.bitwise_count, as_kind(x, int) if x.word_ is None else x.word_)
    return made(atoms.convert(ones, np.int64), Interval(0, 64))


def to_bytes(x: PythonNumber, length: Value = 1, byteorder: Value = "big", *, signed: Value = False) -> Value:
    """`x.to_bytes(length, byteorder)`; raises what Python does for an int that so many bytes do not hold."""
    size, signed = len((0).to_bytes(length, byteorder)), bool(signed)
    word, known = (as_kind(x, int), interval_of(x)) if x.word_ is None else (x.word_, Interval(0, 2**64 - 1))
    dtype = word.type.dtype
    bits = 1 << 8 * size
    low, high = (-bits >> 1, (bits - 1) >> 1) if signed else (0, bits - 1)
    if known.low < low:
        text = "int too big to convert" if signed else "can't convert negative int to unsigned"
        run_time_checks.fail_if(_less(word, atoms.literal(low, dtype)), lambda _: OverflowError(text))
    if known.high > high and high < np.iinfo(dtype).max:
        too_big = _less(atoms.literal(high, dtype), word)
        run_time_checks.fail_if(too_big, lambda _: OverflowError("int too big to convert"))
    order = range(size) if byteorder == "little" else range(size)[::-1]
    shifts = np.array([8 * i for i in order], dtype)
    # What an int64 has beyond its bits are copies of its sign; a word has none there.
    moved = atoms.ufunc(
        np.right_shift,
        atoms.broadcast_to(word, (size,)),
        atoms.literal(shifts if dtype.kind == "u" else np.minimum(shifts, 63)),
    )
    line = atoms.convert(
        atoms.ufunc(np.bitwise_and, moved, atoms.broadcast_to(atoms.literal(255, dtype), (size,))), np.uint8
    )
    return registry.METHODS["tobytes"](wrap.array_of(line))


def ratio(x: PythonNumber) -> tuple[Value, Value]:
    """`x.as_integer_ratio()`; of a float whose numerator or denominator is no int64, an overflow."""
    if kind_of(x) is not float:
        return to_int(x), 1
    nan = ValueError("cannot convert NaN to integer ratio")
    infinite = OverflowError("cannot convert Infinity to integer ratio")
    run_time_checks.fail_if(atoms.ufunc(np.isnan, x.atom), lambda _: nan)
    run_time_checks.fail_if(atoms.ufunc(np.isinf, x.atom), lambda _: infinite)
    fraction, exponent = atoms.ufunc_all(np.frexp, x.atom)
    # The fraction times 2**53 is whole; what both have in common are trailing zeros of it.
    scaled = atoms.convert(atoms.ufunc(np.multiply, fraction, atoms.literal(2.0**53)), np.int64)
    power = atoms.ufunc(np.subtract, atoms.convert(exponent, np.int64), atoms.literal(53, np.int64))
    zeros = binary(np.subtract, bit_length(made(_lowest_bit(scaled))), 1)
    odd = atoms.ufunc(np.right_shift, scaled, atoms.ufunc(np.maximum, as_kind(zeros, int), atoms.literal(0, np.int64)))
    shift = made(atoms.ufunc(np.add, power, as_kind(zeros, int)), Interval(-1200, 1200))
    zero = atoms.ufunc(np.equal, scaled, atoms.literal(0, np.int64))
    numerator = _shifted(made(odd), _maximum(shift, 0))
    denominator = _shifted(1, _maximum(binary(np.subtract, 0, shift), 0), zero)
    return numerator, denominator


def _lowest_bit(a: Atom) -> Atom:
    return atoms.ufunc(np.bitwise_and, a, atoms.ufunc(np.negative, a))


def _shifted(x: Operand, count: IntOperand, never: Atom | None = None) -> Value:
    if never is not None:
        count = made(atoms.select(never, atoms.literal(0, np.int64), as_kind(count, int)), interval_of(count))
    return binary(np.left_shift, x, count)
