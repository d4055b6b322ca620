"""The parts of a float: sign, exponent, fraction, neighbours; what is finite and what is not."""

from __future__ import annotations

import numpy as np

from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.elementwise.term import BOOL, INT32, INT64, Rule, Term, by_kind, where
from anabranch.runtime.ops.elementwise.ufunc import NativeUfunc, Ufunc


def _least(x: Term) -> int:
    """The integer whose only bit is a float's sign bit."""
    return int(np.iinfo(np.dtype(f"i{x.dtype.itemsize}")).min)


def _infinity(x: Term) -> int:
    """The bits of infinity as an integer."""
    return int(np.array(np.inf, x.dtype).view(f"i{x.dtype.itemsize}"))


def _fraction_bits(x: Term) -> int:
    return int(np.finfo(x.dtype).nmant)


def copysign(x: Term, y: Term) -> Term:
    """The magnitude of one and the sign bit of the other."""
    least = _least(x)
    return ((x.bits() & ~least) | (y.bits() & least)).bits(x.dtype)


_HALF_STAYS = bool(np.signbit(np.nextafter(np.float16(-0.0), np.float16(0.0))))


def nextafter(x: Term, y: Term) -> Term:
    """The neighbour in y's direction; from zero the least subnormal, whatever XLA does with those in arithmetic."""
    bits, least = x.bits(), _least(x)
    magnitude, other = bits & ~least, y.bits() & ~least
    # Sign and magnitude as one ordered integer, so that subnormals compare as what they are.
    here, there = where(bits < 0, -magnitude, magnitude), where(y.bits() < 0, -other, other)
    step = where(magnitude.eq(0), (y.bits() & least) | 1, where((here < there) ^ (bits < 0), bits + 1, bits - 1))
    # Of two zeros C returns the second; NumPy's own float16 did the first.
    same = bits if x.dtype.itemsize == 2 and _HALF_STAYS else y.bits()
    result = where(here.eq(there), same, step).bits(x.dtype)
    return where(x.isnan() | y.isnan(), np.nan, result)


def _distance(magnitude: Term, like: Term) -> Term:
    """The distance from a float of these bits to the next one in magnitude, as a float."""
    fraction = _fraction_bits(like)
    exponent = magnitude >> fraction
    small = magnitude.constant(1) << where(exponent > 1, where(exponent > fraction, 0, exponent - 1), 0)
    size = where(exponent > fraction, (exponent - fraction) << fraction, small).bits(like.dtype)
    return where(magnitude > _infinity(like) - 1, np.nan, size)


def spacing(x: Term) -> Term:
    """The distance to the next float away from zero, with the sign of x but of -0.0; infinite where there is none."""
    if x.dtype.itemsize == 2:
        return _half_spacing(x)
    magnitude = x.bits() & ~_least(x)
    size = where(magnitude.eq(_infinity(x) - 1), np.inf, _distance(magnitude, x))
    return where(magnitude.eq(0), size, copysign(size, x))


def _half_spacing(x: Term) -> Term:
    """The float16 loop has a rule of its own: the distance to the next float upwards, always positive."""
    bits = x.bits()
    magnitude = bits & ~_least(x)
    # Below a negative power of two the floats lie half as far apart as beyond it.
    boundary = (bits < 0) & magnitude.ne(0) & (magnitude & (2 ** _fraction_bits(x) - 1)).eq(0)
    size = _distance(where(boundary & (magnitude < _infinity(x)), magnitude - 1, magnitude), x)
    return where(bits.eq(_infinity(x) - 1), np.inf, size)


def frexp(x: Term) -> tuple[Term, Term]:
    """A fraction in [0.5, 1) and an exponent; of zero, NaN and infinity themselves and 0. Subnormals are normalised."""
    bits, fraction, infinity = x.bits(), _fraction_bits(x), _infinity(x)
    magnitude = bits & ~_least(x)
    subnormal = magnitude < 2**fraction
    shift = where(subnormal, magnitude.apply("count_leading_zeros") - (x.dtype.itemsize * 8 - 1 - fraction), 0)
    normal = magnitude << shift
    special = magnitude.eq(0) | (magnitude >= infinity)
    bias = (infinity >> fraction) // 2
    exponent = where(subnormal, 1 - shift, normal >> fraction) - (bias - 1)
    half = (bits & _least(x)) | (normal & (2**fraction - 1)) | ((bias - 1) << fraction)
    return where(special, x, half.bits(x.dtype)), where(special, 0, exponent).to(INT32)


def power_of_two(exponent: Term, like: Term) -> Term:
    """2**exponent for exponents of normal floats."""
    fraction = _fraction_bits(like)
    bias = (_infinity(like) >> fraction) // 2
    return ((exponent.to(np.dtype(f"i{like.dtype.itemsize}")) + bias) << fraction).bits(like.dtype)


def ldexp(x: Term, exponent: Term) -> Term:
    """The product x * 2**exponent, rounded once: the first of two factors is exact."""
    half, own = frexp(x)
    span = 2 * int(np.finfo(x.dtype).maxexp) + 2 * _fraction_bits(x)
    wide = exponent.to(INT64)
    wide = where(wide > 2 * span, 2 * span, where(wide < -2 * span, -2 * span, wide)) + own.to(INT64)
    limit = int(np.finfo(x.dtype).maxexp) + _fraction_bits(x) + 5
    wide = where(wide > limit, limit, where(wide < -limit, -limit, wide))
    first = wide >> 1
    scaled = half * power_of_two(first, x) * power_of_two(wide - first, x)
    return where(x.eq(0.0) | ~(abs(x) < np.inf), x, scaled)


def modf(x: Term) -> tuple[Term, Term]:
    """Fraction and integer, both with the sign of x; infinity leaves a fraction of zero."""
    whole = where(x < 0.0, x.apply("ceil"), x.apply("floor"))
    fraction = where(abs(x).eq(np.inf), 0.0, x - whole)
    return copysign(fraction, x), whole


def heaviside(x: Term, at_zero: Term) -> Term:
    """The step function, `at_zero` at zero."""
    return where(x.isnan(), x, where(x.eq(0.0), at_zero, where(x < 0.0, x.constant(0.0), 1.0)))


def _each(test: Rule, *, otherwise: bool, every: bool = False) -> Rule:
    """A test of floats: `otherwise` for integers; of complex parts any, or all where `every`."""

    def parts(x: Term) -> Term:
        real, imag = test(x.real), test(x.imag)
        result: Term = real & imag if every else real | imag
        return result

    return by_kind(biu=lambda x: x.constant(otherwise, BOOL), fV=test, c=parts)


OPS: tuple[Op, ...] = (
    NativeUfunc(np.isfinite, _each(lambda x: abs(x) < np.inf, otherwise=True, every=True)),
    NativeUfunc(np.isinf, _each(lambda x: abs(x).eq(np.inf), otherwise=False)),
    NativeUfunc(np.isnan, _each(lambda x: x.isnan(), otherwise=False)),
    NativeUfunc(np.signbit, lambda x: x.bits() < 0),
    NativeUfunc(np.copysign, copysign),
    NativeUfunc(np.nextafter, nextafter, Work.MUCH),
    NativeUfunc(np.spacing, spacing, Work.MUCH),
    NativeUfunc(np.frexp, frexp, Work.MUCH),
    Ufunc(np.ldexp, ldexp, Work.MUCH),
    Ufunc(np.modf, modf, Work.MUCH),
    Ufunc(np.heaviside, heaviside, Work.MUCH),
)
