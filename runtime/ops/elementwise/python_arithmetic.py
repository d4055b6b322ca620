"""Python's own arithmetic, exact where no ufunc is: quotients of ints, powers modulo an int, decimal rounding."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.elementwise.arithmetic import product
from anabranch.runtime.ops.elementwise.bits import magnitude
from anabranch.runtime.ops.elementwise.float_bits import copysign, power_of_two
from anabranch.runtime.ops.elementwise.term import FLOAT64, INT64, Rule, Term, iterate, terms_of, where
from anabranch.runtime.ops.op import expect
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

# The largest decimal exponent whose power float64 holds exactly.
MOST_DIGITS = 22
_WHOLE = 2.0**53  # from here on every float64 is whole
_QUOTIENT_BITS = 56  # 53 of the result, two more to round by, and one that may be a leading zero


class PythonOp(Op):
    """An elementwise function of Python numbers.

    Parameters
    ----------
    name
        In Programs.
    types
        The dtypes of the inputs, then of the output.
    function
        On Python numbers.
    rule
        Terms of the inputs to the Term of the output.
    """

    __slots__ = ("function", "rule", "types")

    def __init__(self, name: str, types: tuple[np.dtype, ...], function: Callable[..., object], rule: Rule) -> None:
        super().__init__(name)
        self.types = types
        self.function = np.frompyfunc(function, len(types) - 1, 1)
        self.rule = rule

    def type(self, *inputs: ArrayType) -> tuple[ArrayType, ...]:
        """The output's dtype in the inputs' shape."""
        expect(len(inputs) == len(self.types) - 1, self.name, f"takes {len(self.types) - 1} inputs")
        for x, dtype in zip(inputs, self.types, strict=False):
            if x.shape != inputs[0].shape or x.dtype != dtype:
                expect(False, self.name, f"takes {dtype} of one shape")
        return (ArrayType(inputs[0].shape, self.types[-1]),)

    def evaluate(self, *arrays: Any, **params: Any) -> tuple[np.ndarray, ...]:
        """Python's function, number by number."""
        plain = [np.asarray(np.asarray(a).astype(object)) for a in arrays]
        return (np.asarray(self.function(*plain), self.types[-1]),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        """Emit the rule's expression."""
        return [self.rule(*(t.fenced() if t.dtype == FLOAT64 else t for t in terms_of(ctx))).name]


# ---- the quotient of two ints ----------------------------------------------------------------------------------------


def _divide(a: int, b: int) -> float:
    """`a / b`; whoever traces it checks the divisor."""
    return operator.truediv(a, b) if b else float("nan")


def _quotient(a: Term, b: Term) -> Term:
    """The float nearest to a / b: the floats' quotient where both are exact, long division where one is not."""
    x, y = magnitude(a), magnitude(b)
    large = ((x > 2**53) | (y > 2**53)) & x.ne(0) & y.ne(0)
    high, low = (v.apply("count_leading_zeros") for v in (x, y))
    dividend, divisor = x << where(large, high, 0), y << where(large, low, 0)
    count = where(large, a.constant(_QUOTIENT_BITS), 0)
    bits, rest = iterate(
        lambda count, *_: count > 0,
        lambda count, *state: (count - 1, *_long_division_step(divisor, *state)),
        (count, x.constant(0), dividend, large.constant(False)),
    )[1:3]
    digits = bits | where(rest.ne(0), x.constant(1), 0)
    exact = digits.to(FLOAT64) * power_of_two((low.to(INT64) - high.to(INT64)) - (_QUOTIENT_BITS - 1), a.to(FLOAT64))
    exact = where((a < 0) ^ (b < 0), -exact, exact)
    return where(large, exact, a.to(FLOAT64).fenced() / b.to(FLOAT64).fenced())


def _long_division_step(divisor: Term, bits: Term, rest: Term, carried: Term) -> tuple[Term, ...]:
    """One more bit of the quotient; `carried` is the bit that the doubled rest has above its 64."""
    taken = carried | (rest >= divisor)
    rest = where(taken, rest - divisor, rest)
    return (bits << 1) | where(taken, bits.constant(1), 0), rest << 1, (rest >> 63).ne(0)


# ---- rounding to digits ----------------------------------------------------------------------------------------------


def _power_of_ten(exponent: Term, like: Term) -> Term:
    """10**exponent for 0 <= exponent < 32; every product on the way is exact up to 10**22."""
    result = like.constant(1.0)
    for k in range(5):
        result = where(((exponent >> k) & 1).ne(0), result * 10.0 ** (2**k), result)
    return result.fenced()


def _halves(x: Term) -> tuple[Term, Term]:
    """Two floats of at most 26 bits each whose sum is x."""
    high = ((x.bits() + 2**26) & -(2**27)).bits(FLOAT64)
    return high, (x - high).rounded()


def _exact_product(x: Term, y: Term) -> tuple[Term, Term]:
    """The product rounded, and what was rounded off (Dekker)."""
    whole = product(x, y)
    (a, b), (c, d) = _halves(x), _halves(y)
    rest = (product(a, c) - whole).rounded()
    rest = (rest + product(a, d)).rounded()
    rest = (rest + product(b, c)).rounded()
    return whole, (rest + product(b, d)).rounded()


def _nearest(value: Term, rest: Term, unit: Term) -> Term:
    """The integer nearest to value + rest / unit, ties to even; `rest / unit` is below half a digit of `value`."""
    floor = value.apply("floor")
    odd = (floor * 0.5).apply("floor").ne(floor * 0.5)
    fraction = value - floor
    up = (fraction > 0.5) | (fraction.eq(0.5) & ((rest > 0.0) | (rest.eq(0.0) & odd)))
    # From 2**52 on there is no fraction, and the rest alone may be a tie.
    coarse = value >= _WHOLE / 2
    up = where(coarse, odd & (rest * 2.0).eq(unit), up)
    down = coarse & odd & (rest * 2.0).eq(-unit)
    return where(up, floor + 1.0, where(down, floor - 1.0, floor))


def _round(x: Term, digits: Term) -> Term:
    """As CPython: the decimal nearest to the float's exact value, ties to even, and the float nearest to that.

    Where a float's own spacing is wider than the digits it stays. Elsewhere the scaled integer and the power of ten are
    both exact floats, so that one product or quotient of them is rounded correctly.
    """
    size, coarse = abs(x), digits < 0
    count = where(coarse, -digits, digits)
    near = count <= MOST_DIGITS
    scale = _power_of_ten(where(near, count, 0), x)
    finer, lost = _exact_product(size, scale)
    coarser = (size / scale).rounded()
    back, more = _exact_product(coarser, scale)
    value = where(coarse, coarser, finer)
    rest = where(coarse, ((size - back).rounded() - more).rounded(), lost)
    whole = _nearest(value, rest, where(coarse, scale, 1.0))
    rounded = where(coarse, whole * scale, whole / scale)
    rounded = where(near, rounded, 0.0)
    stays = x.isnan() | size.eq(np.inf) | where(near, value >= _WHOLE, digits > 0)
    return where(stays, x, copysign(rounded, x))


# ---- powers modulo an int --------------------------------------------------------------------------------------------


def _modular_power(base: int, exponent: int, modulus: int) -> int:
    """`pow(base, exponent, modulus)`; whoever traces it checks the modulus and the inverse."""
    try:
        return pow(base, exponent, modulus)
    except ValueError:
        return 0


def _modular(base: Term, exponent: Term, modulus: Term) -> Term:
    """Repeated squaring of the base, or of its inverse, in the range of the modulus; the result has its sign."""
    size = magnitude(modulus)
    size = where(size.eq(0), 1, size)
    rest = _rest(base, size)
    square = where(exponent < 0, _inverse(rest, size, exponent < 0), rest)

    def step(result: Term, square: Term, count: Term) -> tuple[Term, ...]:
        result = where((count & 1).ne(0), _modular_product(result, square, size), result)
        return result, _modular_product(square, square, size), count >> 1

    one = where(size.eq(1), size.constant(0), 1)
    result = iterate(lambda result, square, count: count.ne(0), step, (one, square, magnitude(exponent)))[0]
    return _with_sign(result, modulus)


def _rest(x: Term, size: Term) -> Term:
    """The remainder of an int64 modulo a positive number."""
    rest = magnitude(x).apply("remainder", size)
    return where((x < 0) & rest.ne(0), size - rest, rest)


def _with_sign(rest: Term, modulus: Term) -> Term:
    """The remainder with the sign of the modulus."""
    result = rest.bits(INT64)
    return where((modulus < 0) & result.ne(0), result + modulus, result)


def _modular_multiply(x: int, y: int, modulus: int) -> int:
    """`x * y % modulus`; whoever traces it checks the modulus."""
    return x * y % modulus if modulus else 0


def _multiplied(x: Term, y: Term, modulus: Term) -> Term:
    """The product of what is left of two int64s modulo another."""
    size = magnitude(modulus)
    size = where(size.eq(0), 1, size)
    return _with_sign(_modular_product(_rest(x, size), _rest(y, size), size), modulus)


def _inverse(x: Term, size: Term, wanted: Term) -> Term:
    """Euclid's extended algorithm; no coefficient of it exceeds the modulus."""

    def step(r: Term, s: Term, t: Term, u: Term) -> tuple[Term, ...]:
        divisor = where(s.eq(0), 1, s)
        over = s.ne(0)
        quotient = r / divisor
        after = t - quotient.bits(INT64) * u
        return where(over, s, r), where(over, r - quotient * s, s), where(over, u, t), where(over, after, u)

    zero = x.bits(INT64).constant(0)
    start = (size, where(wanted, x, 0), zero, zero + 1)
    found = iterate(lambda r, s, t, u: s.ne(0), step, start)[2]
    return where(found < 0, found.bits(x.dtype) + size, found.bits(x.dtype))


def _modular_product(x: Term, y: Term, size: Term) -> Term:
    """The product of two numbers below `size`, whole where it fits 64 bits, else bit by bit."""
    small = size <= 2**32

    def step(count: Term, double: Term, total: Term) -> tuple[Term, ...]:
        taken = where((count & 1).ne(0), _modular_sum(total, double, size), total)
        return count >> 1, _modular_sum(double, double, size), taken

    start = (where(small, 0, y), x, x.constant(0))
    total = iterate(lambda count, double, total: count.ne(0), step, start)[2]
    return where(small, (x * y).apply("remainder", size), total)


def _modular_sum(x: Term, y: Term, size: Term) -> Term:
    total = x + y
    return where(total >= size, total - size, total)


OPS: tuple[Op, ...] = (
    PythonOp("int_true_divide", (INT64, INT64, FLOAT64), _divide, _quotient),
    PythonOp("modular_power", (INT64, INT64, INT64, INT64), _modular_power, _modular),
    PythonOp("modular_product", (INT64, INT64, INT64, INT64), _modular_multiply, _multiplied),
    PythonOp("round_digits", (FLOAT64, INT64, FLOAT64), round, _round),
)
