"""Sums, products, quotients, signs and rounding."""

from __future__ import annotations

import math

import numpy as np

from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.elementwise.term import Rule, Term, by_kind, call, complex_of, identity, where
from anabranch.runtime.ops.elementwise.ufunc import NativeUfunc, SumOrProduct, Ufunc


def product(x: Term, y: Term) -> Term:
    """A float product that stays one when it meets a sum."""
    return (x * y).rounded()


def complex_product(x: Term, y: Term) -> Term:
    """The four real products, each rounded, and no attempt to recover infinities."""
    a, b, c, d = x.real, x.imag, y.real, y.imag
    return complex_of(product(a, c) - product(b, d), product(a, d) + product(b, c))


def fused_complex_product(x: Term, y: Term) -> Term:
    """The product as NumPy's vector loop has it: of each sum the second product is rounded, the first fused with it."""
    a, b, c, d = x.real, x.imag, y.real, y.imag
    return complex_of(a.multiply_add(c, -product(b, d)), a.multiply_add(d, product(b, c)))


def complex_quotient(x: Term, y: Term) -> Term:
    """Smith's method, step by step as NumPy's loop: scale by the divisor's larger part."""
    a, b, c, d = x.real, x.imag, y.real, y.imag
    by_real = abs(c) >= abs(d)
    big, small = where(by_real, c, d), where(by_real, d, c)
    ratio = small / big
    scale = 1.0 / (big + product(small, ratio))
    real = where(by_real, a + product(b, ratio), product(a, ratio) + b) * scale
    imag = where(by_real, b - product(a, ratio), product(b, ratio) - a) * scale
    zero = c.eq(0.0) & d.eq(0.0)
    return complex_of(where(zero, a / abs(c), real.rounded()), where(zero, b / abs(c), imag.rounded()))


def complex_reciprocal(x: Term) -> Term:
    """Smith's method for a numerator of one."""
    a, b = x.real, x.imag
    by_real = abs(b) <= abs(a)
    big, small = where(by_real, a, b), where(by_real, b, a)
    ratio = (small / big).fenced()  # XLA makes one quotient of two, whose denominator overflows
    scale = big + product(small, ratio)
    one, other = 1.0 / scale, ratio / scale
    return complex_of(where(by_real, one, other), where(by_real, -other, -one))


def integer_reciprocal(x: Term) -> Term:
    """1/x truncated; 1/0 is NumPy's conversion of infinity: the least int32 or int64, else 0."""
    of_zero = np.iinfo(x.dtype).min if x.dtype.itemsize >= 4 else 0
    result = where(x.eq(0), of_zero, where(x.eq(1), x, 0))
    return result if x.dtype.kind == "u" else where(x.eq(-1), x, result)


def hypot(x: Term, y: Term) -> Term:
    """Square root of the sum of squares, scaled so that neither overflows nor vanishes."""
    x, y = abs(x), abs(y)
    large = x.apply("maximum", y)
    bits = {4: 80, 8: 600}[x.dtype.itemsize]
    big, small = float(2.0 ** (bits * 5 // 6)), float(2.0 ** -(bits * 5 // 6))
    scale = where(large > big, 2.0**-bits, where(large < small, x.constant(2.0**bits), 1.0))
    a, b = x * scale, y * scale
    root = (product(a, a) + product(b, b)).apply("sqrt") / scale
    return where(x.eq(np.inf) | y.eq(np.inf), np.inf, root)


def complex_sign(x: Term) -> Term:
    """z/|z|; an infinite part outweighs a finite one, two have no direction; without one an infinite |z| is upright."""
    a, b = x.real, x.imag
    size = hypot(a, b)
    finite = where(size.eq(0.0), 0.0, a / size), where(size.eq(0.0), 0.0, b / size)
    a_inf, b_inf = abs(a).eq(np.inf), abs(b).eq(np.inf)
    nan = size.isnan() | (a_inf & b_inf)
    upright = size.eq(np.inf) & ~a_inf
    real = where(a_inf, a.apply("sign"), where(upright, 0.0, finite[0]))
    imag = where(upright, b.apply("sign"), where(a_inf, 0.0, finite[1]))
    return complex_of(where(nan, np.nan, real), where(nan, np.nan, imag))


def float_sign(x: Term) -> Term:
    """-1, 0, 1 or NaN; the sign of -0.0 is 0.0."""
    return where(x.eq(0.0), 0.0, x.apply("sign"))


def unsigned_sign(x: Term) -> Term:
    """0 or 1."""
    return where(x.eq(0), x, 1)


def trunc(x: Term) -> Term:
    """Rounding towards zero."""
    return where(x < 0.0, x.apply("ceil"), x.apply("floor"))


def scaled(numerator: float, denominator: float) -> Rule:
    """The rule of a multiplication with a quotient of constants, which is taken in the input's dtype."""

    def rule(x: Term) -> Term:
        return product(x, x.constant(x.dtype.type(numerator) / x.dtype.type(denominator)))

    return rule


def rounding(op: Rule) -> Rule:
    """The rule of a rounding that leaves bools and integers as they are."""
    return by_kind(biu=identity, f=op)


def by_parts(op: Rule) -> Rule:
    """The rule that does to each part of a complex what `op` does to a float."""
    return by_kind(f=op, c=lambda x: complex_of(op(x.real), op(x.imag)))


add = SumOrProduct(np.add, by_kind(b=call("or"), iufc=call("add")))
subtract = SumOrProduct(np.subtract, call("subtract"))
multiply = SumOrProduct(np.multiply, by_kind(b=call("and"), iu=call("multiply"), f=product, c=fused_complex_product))
square = Ufunc(
    np.square, by_kind(iu=lambda x: x * x, f=lambda x: product(x, x), c=lambda x: fused_complex_product(x, x))
)
positive = NativeUfunc(np.positive, identity)
negative = NativeUfunc(np.negative, call("negate"))
fabs = NativeUfunc(np.fabs, call("abs"))
absolute = Ufunc(np.absolute, by_kind(bu=identity, i=call("abs"), f=call("abs"), c=lambda x: hypot(x.real, x.imag)))
OPS: tuple[Op, ...] = (
    add,
    subtract,
    multiply,
    Ufunc(np.divide, by_kind(f=call("divide"), c=complex_quotient)),
    Ufunc(np.reciprocal, by_kind(iu=integer_reciprocal, f=lambda x: 1.0 / x, c=complex_reciprocal)),
    square,
    Ufunc(np.hypot, hypot),
    positive,
    negative,
    NativeUfunc(np.conjugate, by_kind(iufV=identity, c=lambda x: complex_of(x.real, -x.imag))),
    fabs,
    absolute,
    Ufunc(np.sign, by_kind(i=call("sign"), u=unsigned_sign, f=float_sign, c=complex_sign)),
    Ufunc(np.rint, by_parts(call("round_nearest_even"))),
    Ufunc(np.floor, rounding(call("floor"))),
    Ufunc(np.ceil, rounding(call("ceil"))),
    Ufunc(np.trunc, rounding(trunc)),
    Ufunc(np.deg2rad, scaled(math.pi, 180.0)),
    Ufunc(np.radians, scaled(math.pi, 180.0)),
    Ufunc(np.rad2deg, scaled(180.0, math.pi)),
    Ufunc(np.degrees, scaled(180.0, math.pi)),
)
