"""Complex functions from real ones: their branch cuts, signed zeros and infinities are those of C99's Annex G.

XLA's own complex functions lose signs of zero, and some lose half of their digits near zero.
"""

from __future__ import annotations

import math

import numpy as np

from anabranch.runtime.ops.elementwise.arithmetic import hypot, product
from anabranch.runtime.ops.elementwise.float_bits import copysign
from anabranch.runtime.ops.elementwise.reals import cosh, expm1, log1p, sinh
from anabranch.runtime.ops.elementwise.term import Rule, Term, complex_of, where


def _swap(x: Term) -> Term:
    """Parts exchanged, which turns circular functions into hyperbolic ones."""
    return complex_of(x.imag, x.real)


def through_swap(rule: Rule) -> Rule:
    """The circular function whose hyperbolic one is `rule`: f(z) = swap(rule(swap(z)))."""
    return lambda x: _swap(rule(_swap(x)))


def _finite(x: Term) -> Term:
    return abs(x) < np.inf


def _times_zero(factor: Term, x: Term) -> Term:
    """A product factor * x, where an x of zero makes zero of infinity too, with the product's sign."""
    signed = copysign(x, x.bits().apply("xor", factor.bits()).bits(x.dtype))
    return where(x.eq(0.0), where(factor.isnan(), x, signed), product(factor, x))


def complex_exp(z: Term) -> Term:
    """exp(x) (cos y + i sin y); a real part beyond the range is split over two factors."""
    x, y = z.real, z.imag
    half = where((x > {4: 80.0, 8: 700.0}[x.dtype.itemsize]) & (x < np.inf), x * 0.5, 0.0)
    first, second = (x - half).apply("exponential"), half.apply("exponential")
    real = product(product(first, y.apply("cosine")), second)
    imag = product(product(first, y.apply("sine")), second)
    flat = y.eq(0.0)
    real, imag = where(flat, x.apply("exponential"), real), where(flat, y, imag)
    # At an infinite real part an angle that is not finite leaves the size but no direction.
    lost = ~_finite(y)
    real = where(lost & x.eq(np.inf), np.inf, where(lost & x.eq(-np.inf), 0.0, real))
    return complex_of(real, where(lost & x.eq(-np.inf), copysign(x.constant(0.0), y), imag))


def complex_exp2(z: Term) -> Term:
    """2**z as NumPy takes it, exp of z ln 2."""
    factor = z.real.constant(math.log(2.0))
    return complex_exp(complex_of(product(z.real, factor), product(z.imag, factor)))


def complex_expm1(z: Term) -> Term:
    """exp(z) - 1 without cancellation in the real part."""
    x, y = z.real, z.imag
    half = (y * 0.5).apply("sine")
    real = product(expm1(x), y.apply("cosine")) - product(half * 2.0, half)
    return complex_of(real, product(x.apply("exponential"), y.apply("sine")))


def _split_square(x: Term) -> tuple[Term, Term]:
    """A square and its rounding error, exactly."""
    square = product(x, x)
    low_bits = {4: 12, 8: 27}[x.dtype.itemsize]
    high = ((x.bits() >> low_bits) << low_bits).bits(x.dtype)
    low = x - high
    return square, (high * high - square + high * low * 2.0) + low * low


def _log_hypot(x: Term, y: Term) -> Term:
    """Logarithm of sqrt(x*x + y*y); near 1 from the exact squares, since log would see only a rounded sum."""
    x, y = abs(x), abs(y)
    large, small = x.apply("maximum", y), x.apply("minimum", y)
    huge = large > float(np.finfo(x.dtype).max) / 4.0
    shrunk = where(huge, x.constant(0.25), 1.0)
    size = hypot(x * shrunk, y * shrunk)
    (a, a_low), (b, b_low) = _split_square(large), _split_square(small)
    excess = ((a - 1.0).rounded() + b).rounded() + (a_low + b_low)
    near = (size > 0.5) & (size < 2.0)
    far = size.apply("log") + where(huge, x.constant(math.log(4.0)), 0.0)
    return where(near, log1p(where(near, excess, 0.0)) * 0.5, far)


def complex_log(z: Term) -> Term:
    """log|z| + i arg(z)."""
    x, y = z.real, z.imag
    return complex_of(_log_hypot(x, y), y.apply("atan2", x))


def complex_log1p(z: Term) -> Term:
    """log(1 + z) as NumPy takes it: the sum is rounded first."""
    x, y = (z.real + 1.0).rounded(), z.imag
    return complex_of(hypot(x, y).apply("log"), y.apply("atan2", x))


def complex_log_scaled(by: float) -> Rule:
    """The logarithm of another base: both parts multiplied by `by`."""

    def rule(z: Term) -> Term:
        log = complex_log(z)
        return complex_of(product(log.real, log.real.constant(by)), product(log.imag, log.imag.constant(by)))

    return rule


def complex_sqrt(z: Term) -> Term:
    """The root in the right half plane, from the larger of its parts."""
    x, y = z.real, z.imag
    # Quarter of a large value, four (or many) times a small one: the root is scaled back by a power of two.
    size = abs(x).apply("maximum", abs(y))
    info = np.finfo(x.dtype)
    large, tiny = size > float(info.max) / 8.0, size < float(info.tiny) * 2.0**info.nmant * 4.0
    bits = info.nmant + 3 + info.nmant % 2
    scale = where(large, 0.0625, where(tiny, x.constant(2.0 ** (2 * bits)), 1.0))
    back = where(large, 4.0, where(tiny, x.constant(2.0**-bits), 1.0))
    a, b = x * scale, y * scale
    root = ((abs(a) + hypot(a, b)) * 0.5).apply("sqrt")
    other = abs(b) / (root * 2.0) * back
    root = root * back
    right = x >= 0.0
    real, imag = where(right, root, other), copysign(where(right, other, root), y)
    zero = x.eq(0.0) & y.eq(0.0)
    real, imag = where(zero, 0.0, real), where(zero, y, imag)
    real = where(x.eq(np.inf), np.inf, where(x.eq(-np.inf), where(y.isnan(), np.nan, abs(y) * 0.0), real))
    real = where(x.eq(-np.inf) & _finite(y), 0.0, real)
    edge = where(y.isnan(), np.nan, copysign(x.constant(0.0), y))
    imag = where(x.eq(np.inf), edge, where(x.eq(-np.inf), copysign(x.constant(np.inf), y), imag))
    tall = abs(y).eq(np.inf)
    return complex_of(where(tall, np.inf, real), where(tall, y, imag))


def _halved(x: Term) -> tuple[Term, Term, Term]:
    """Sinh x, cosh x and what both are to be multiplied by: those of x/2 and 2 cosh x/2 where they would overflow.

    For an x that far out, sinh x = 2 sinh x/2 cosh x/2 and cosh x = 2 cosh² x/2.
    """
    large = (abs(x) > {4: 80.0, 8: 700.0}[x.dtype.itemsize]) & _finite(x)
    near = where(large, x * 0.5, x)
    c = cosh(near)
    return sinh(near), c, where(large, c * 2.0, 1.0)


def complex_sinh(z: Term) -> Term:
    """The sum sinh x cos y + i cosh x sin y."""
    x, y = z.real, z.imag
    s, c, scale = _halved(x)
    real = product(_times_zero(y.apply("cosine"), s), scale)
    flat = y.eq(0.0)
    imag = product(_times_zero(c, where(flat, y, y.apply("sine"))), where(flat, 1.0, scale))
    return complex_of(where(abs(x).eq(np.inf) & ~_finite(y), np.inf, real), imag)


def complex_cosh(z: Term) -> Term:
    """The sum cosh x cos y + i sinh x sin y."""
    x, y = z.real, z.imag
    (s, c, scale), sine = _halved(x), y.apply("sine")
    imag = where(y.eq(0.0), _times_zero(s, y), product(_times_zero(sine, s), scale))
    imag = where(x.eq(0.0) & ~_finite(y), 0.0, imag)
    real = product(product(c, y.apply("cosine")), scale)
    return complex_of(where(abs(x).eq(np.inf) & ~_finite(y), np.inf, real), imag)


def complex_cos(z: Term) -> Term:
    """Hyperbolic cosine of iz."""
    return complex_cosh(complex_of(-z.imag, z.real))


def complex_tanh(z: Term) -> Term:
    """(sinh x cosh x + i sin y cos y) / (sinh² x + cos² y); far out only a sign and a vanishing angle are left."""
    x, y = z.real, z.imag
    far = abs(x) > {4: 20.0, 8: 40.0}[x.dtype.itemsize]
    near_x = where(far, 1.0, x)
    s, c, sine, cosine = sinh(near_x), cosh(near_x), y.apply("sine"), y.apply("cosine")
    scale = s * s + cosine * cosine
    decay = (abs(x) * -2.0).apply("exponential") * 4.0
    angle = product(sine, cosine)
    edge = copysign(x.constant(0.0), where(_finite(y), angle, y))
    known = _finite(y) | abs(x).eq(np.inf)
    real = where(far, where(known, copysign(x.constant(1.0), x), np.nan), _times_zero(c / scale, s))
    imag = where(far, where(abs(x).eq(np.inf), edge, angle * decay), angle / scale)
    return complex_of(where(x.eq(0.0), x, real), where(y.eq(0.0), y, imag))


def _odd(z: Term, op: str) -> Term:
    """An inverse function that is odd in both parts, computed in the first quadrant."""
    result = complex_of(abs(z.real), abs(z.imag)).apply(op)
    return complex_of(copysign(abs(result.real), z.real), copysign(abs(result.imag), z.imag))


def complex_arcsinh(z: Term) -> Term:
    """CHLO's, with the signs of zeros; beside a NaN only infinities and a real part of NaN + 0i are known."""
    x, y = z.real, z.imag
    result = _odd(z, "chlo.asinh")
    real = where(x.isnan() & _finite(y), np.nan, result.real)
    return complex_of(real, where(x.isnan() & y.eq(0.0), y, result.imag))


def complex_arctanh(z: Term) -> Term:
    """CHLO's, with the signs of zeros, and NaN where a part is NaN and the other doesn't decide.

    Beside the poles, where the square of the imaginary part vanishes, it is half the logarithm of 2/y.
    """
    x, y = z.real, z.imag
    result = _odd(z, "chlo.atanh")
    unknown = (x.isnan() | y.isnan()) & ~abs(y).eq(np.inf)
    known = x.eq(0.0) | abs(x).eq(np.inf)
    pole = abs(x).eq(1.0) & (abs(y) < float(np.finfo(x.dtype).eps))
    beside = copysign((abs(y).apply("log") - math.log(2.0)) * 0.5, x)
    real = where(pole, beside, result.real)
    real = where(abs(y).eq(np.inf) | unknown, copysign(x.constant(0.0), x), real)
    return complex_of(where(unknown & ~known, np.nan, real), where(unknown, np.nan, result.imag))


def complex_arccos(z: Term) -> Term:
    """CHLO's above the real axis, mirrored below; 0 + NaN i has a real part."""
    x, y = z.real, z.imag
    result = complex_of(x, abs(y)).apply("chlo.acos")
    real = where(x.eq(0.0) & y.isnan(), math.pi / 2.0, result.real)
    imag = where(y.isnan() & _finite(x), np.nan, result.imag)
    return complex_of(real, copysign(imag, -y))


def complex_arccosh(z: Term) -> Term:
    """CHLO's above the real axis, mirrored below; 0 + NaN i has an imaginary part."""
    x, y = z.real, z.imag
    result = complex_of(x, abs(y)).apply("chlo.acosh")
    real = where(y.isnan() & _finite(x), np.nan, result.real)
    imag = where(x.eq(0.0) & y.isnan(), math.pi / 2.0, result.imag)
    return complex_of(real, copysign(imag, y))
