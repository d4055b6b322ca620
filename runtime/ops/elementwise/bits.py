"""Bits and divisors of integers."""

from __future__ import annotations

import numpy as np

from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.elementwise.term import Term, call, iterate, where
from anabranch.runtime.ops.elementwise.ufunc import NativeUfunc


def _exceeds_width(x: Term, count: Term) -> Term:
    """Return whether a shift count is no bit position of x; a negative one is not."""
    inside = (count < x.dtype.itemsize * 8) & (count >= 0)
    return ~inside


def left_shift(x: Term, count: Term) -> Term:
    """Zero once every bit is gone."""
    return where(_exceeds_width(x, count), 0, x << count)


def right_shift(x: Term, count: Term) -> Term:
    """Copies of the sign once every bit is gone."""
    gone = where(x < 0, x.constant(-1), 0) if x.dtype.kind == "i" else x.constant(0)
    return where(_exceeds_width(x, count), gone, x >> count)


def magnitude(x: Term) -> Term:
    """|x| as an unsigned integer, which the least integer has too."""
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    return abs(x).bits(unsigned) if x.dtype.kind == "i" else x


def gcd(x: Term, y: Term) -> Term:
    """Euclid's algorithm on all elements until every one is done."""

    def step(a: Term, b: Term) -> tuple[Term, ...]:
        divisor = where(b.eq(0), 1, b)
        return where(b.eq(0), a, b), where(b.eq(0), 0, a.apply("remainder", divisor))

    result = iterate(lambda a, b: b.ne(0), step, (magnitude(x), magnitude(y)))[0]
    return result.bits(x.dtype) if x.dtype.kind == "i" else result


def lcm(x: Term, y: Term) -> Term:
    """The magnitude of x over the greatest common divisor, times that of y; wraps."""
    divisor = magnitude(gcd(x, y))
    result = where(divisor.eq(0), 0, magnitude(x) / where(divisor.eq(0), 1, divisor) * magnitude(y))
    return result.bits(x.dtype) if x.dtype.kind == "i" else result


def bitwise_count(x: Term) -> Term:
    """Ones in the magnitude."""
    return magnitude(x).apply("popcnt").to(np.dtype(np.uint8))


bitwise_and = NativeUfunc(np.bitwise_and, call("and"))
OPS: tuple[Op, ...] = (
    bitwise_and,
    NativeUfunc(np.bitwise_or, call("or")),
    NativeUfunc(np.bitwise_xor, call("xor")),
    NativeUfunc(np.invert, call("not")),
    NativeUfunc(np.left_shift, left_shift),
    NativeUfunc(np.right_shift, right_shift),
    NativeUfunc(np.gcd, gcd, Work.MUCH),
    NativeUfunc(np.lcm, lcm, Work.MUCH),
    NativeUfunc(np.bitwise_count, bitwise_count),
)
