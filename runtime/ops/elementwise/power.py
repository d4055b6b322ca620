"""Powers and roots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.elementwise.arithmetic import complex_product, complex_quotient
from anabranch.runtime.ops.elementwise.complexes import complex_exp, complex_log, complex_sqrt
from anabranch.runtime.ops.elementwise.float_bits import copysign
from anabranch.runtime.ops.elementwise.term import (
    FLOAT64,
    INT64,
    Term,
    by_kind,
    call,
    complex_of,
    iterate,
    terms_of,
    where,
)
from anabranch.runtime.ops.elementwise.ufunc import Power, Ufunc
from anabranch.runtime.ops.op import expect
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

# NumPy's function takes tens of times as long as so many products of twice the precision.
WHOLE_POWERS = frozenset([*range(-16, 0), *range(3, 17)])
# From so many elements on machine code of its own is worth a pass over memory.
_MANY = 1024


def integer_power(x: Term, y: Term) -> Term:
    """Repeated squaring, for as long as some exponent has bits left; wraps as products do."""
    if y.dtype.kind == "i":
        y = where(y < 0, 0, y)

    def step(result: Term, square: Term, exponent: Term) -> tuple[Term, ...]:
        result = where((exponent & 1).ne(0), result * square, result)
        return result, square * square, exponent.apply("shift_right_logical", 1)

    return iterate(lambda result, square, exponent: exponent.ne(0), step, (x.constant(1), x, y))[0]


def _whole_power(x: Term, n: Term) -> Term:
    """The powers that NumPy multiplies out, |n| < 100, in its order of products."""
    count, one = abs(n), x.constant(1.0).fenced()
    squared = complex_product(x, x)
    result, square = one, x
    for k in range(7):
        square = complex_product(square, square) if k else square
        result = where(((count >> k) & 1).ne(0), complex_product(result, square), result)
    result = where(n < 0, complex_quotient(one, result), result)
    return where(n.eq(1), x, where(n.eq(2), squared, where(n.eq(3), complex_product(x, squared), result)))


def _boxed(x: Term, infinite: Term, other_infinite: Term) -> Term:
    """A part for the second try of a product: infinite ones become units, NaN beside an infinity zero."""
    unit = copysign(where(abs(x).eq(np.inf), x.constant(1.0), 0.0), x)
    return where(infinite, unit, where(other_infinite & x.isnan(), copysign(x.constant(0.0), x), x))


def _recovering_product(x: Term, y: Term) -> Term:
    """The product as C has it: where both parts come out NaN, an infinite factor still makes it infinite."""
    plain = complex_product(x, y)
    x_infinite = abs(x.real).eq(np.inf) | abs(x.imag).eq(np.inf)
    y_infinite = abs(y.real).eq(np.inf) | abs(y.imag).eq(np.inf)
    a, b = (_boxed(part, x_infinite, y_infinite) for part in (x.real, x.imag))
    c, d = (_boxed(part, y_infinite, x_infinite) for part in (y.real, y.imag))
    # Where both factors are infinite, NaN parts were turned into signed zeros with the units.
    again = complex_product(complex_of(a, b), complex_of(c, d))
    lost = plain.real.isnan() & plain.imag.isnan() & (x_infinite | y_infinite)
    return where(lost, complex_of(again.real * np.inf, again.imag * np.inf), plain)


def complex_power(x: Term, y: Term) -> Term:
    """exp(y log x), but products for small integer exponents, and NumPy's powers of zero."""
    whole = y.imag.eq(0.0) & (abs(y.real) < 100.0) & y.real.apply("floor").eq(y.real)
    result = complex_exp(_recovering_product(y, complex_log(x)))
    result = where(whole, _whole_power(x, where(whole, y.real, 0.0).to(INT64)), result)
    of_zero = where(y.real > 0.0, x.constant(0.0), complex(np.nan, np.nan))
    result = where(x.real.eq(0.0) & x.imag.eq(0.0), of_zero, result)
    return where(y.real.eq(0.0) & y.imag.eq(0.0), 1.0, result)


def float_power(x: Term, y: Term) -> Term:
    """The C library's power; squares are products, which XLA would make of a constant 2 anyway."""
    return x.apply("power", y)


class WholePower(Op):
    """`whole_power[exponent](x)`: floats to a whole power that the code says, products of twice the precision."""

    __slots__ = ()
    is_elementwise = True
    work = Work.LITTLE

    def type(self, x: ArrayType, *, exponent: int) -> tuple[ArrayType, ...]:
        """The input's type."""
        expect(x.dtype.char in "fd" and exponent in WHOLE_POWERS, self.name, lambda: f"{x} to {exponent}")
        return (x,)

    def evaluate(self, x: Any, *, exponent: int) -> tuple[Any, ...]:
        """`numpy.power`."""
        return (np.power(x, np.asarray(x).dtype.type(exponent)),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        """Emit products of float64 for float32, which are rounded; else machine code, for many elements."""
        (x,), exponent = terms_of(ctx), ctx.params["exponent"]
        if x.dtype != FLOAT64:
            return [_product_of_equals(x.to(FLOAT64).fenced(), exponent).to(x.dtype).name]
        is_worth_it = x.type.size >= _MANY and not ctx.emitter.is_asynchronous
        made = ctx.emitter.native(self, ctx) if is_worth_it else None
        return made or [x.fenced().apply("power", float(exponent)).name]


def _product_of_equals(x: Term, exponent: int) -> Term:
    """The power by squares."""
    left, square, found = abs(exponent), 1 / x if exponent < 0 else x, None
    while left:
        if left & 1:
            found = square if found is None else found * square
        left >>= 1
        square = square * square if left else square
    assert found is not None
    return found


whole_power = WholePower("whole_power")
_power = by_kind(iu=integer_power, f=float_power, c=complex_power)

OPS: tuple[Op, ...] = (
    Power(np.power, _power, Work.MUCH),
    whole_power,
    Ufunc(np.float_power, _power, Work.MUCH),
    Ufunc(np.sqrt, by_kind(f=call("sqrt"), c=complex_sqrt)),
    Ufunc(np.cbrt, call("cbrt"), Work.MUCH),
)
