"""Real functions that XLA lacks, or has with fewer digits than NumPy."""

from __future__ import annotations

import math

import numpy as np

from anabranch.runtime.ops.elementwise.float_bits import copysign, frexp
from anabranch.runtime.ops.elementwise.term import FLOAT32, FLOAT64, Rule, Term, where


def in_double(rule: Rule) -> Rule:
    """The rule computed in float64 where the input is float32, for functions whose exact values must come out exact."""

    def wrapped(*inputs: Term) -> Term:
        result: Term = rule(*(x.to(FLOAT64) for x in inputs))
        return result.to(inputs[0].dtype)

    return wrapped


def expm1(x: Term) -> Term:
    """XLA's own: within 3 ulps."""
    return x.apply("exponential_minus_one")


def log1p(x: Term) -> Term:
    """log(1 + x), corrected by what the sum 1 + x lost."""
    if x.dtype == FLOAT32:
        return x.apply("log_plus_one")
    total = (x + 1.0).rounded()
    kept = (total - 1.0).rounded()
    result = total.apply("log") * (x / kept)
    return where(kept.eq(0.0) | total.eq(np.inf), x, where(total.eq(0.0), -np.inf, result))


def exp2(x: Term) -> Term:
    """A power, which comes from the C library and is exact for whole exponents."""
    return x.constant(2.0).apply("power", x)


def log2(x: Term) -> Term:
    """Exponent plus the logarithm of a fraction about 1, so that powers of two are exact."""
    fraction, exponent = frexp(x)
    low = fraction < math.sqrt(0.5)
    fraction = where(low, fraction * 2.0, fraction)
    exponent = where(low, exponent - 1, exponent).to(x.dtype)
    return where(x > 0.0, fraction.apply("log") * (1.0 / math.log(2.0)) + exponent, x.apply("log"))


# log10(2) in two parts: the high one has trailing zeros, so that its product with an exponent is exact.
_LOG10_2_HIGH = float.fromhex("0x1.34413509f6000p-2")
_LOG10_2_LOW = float.fromhex("0x1.9fef311f12b36p-42")
_LOG10_E = 1.0 / math.log(10.0)


def log10(x: Term) -> Term:
    """From the parts of the exponent and of a fraction in [1, 2) or (0.5, 1]; whole powers of ten come out whole."""
    fraction, exponent = frexp(x)
    exponent = exponent - 1
    # Below 1 the fraction is halved instead, so that both terms have one sign and nothing cancels.
    below = exponent < 0
    fraction = where(below, fraction, fraction * 2.0)
    scale = where(below, exponent + 1, exponent).to(x.dtype)
    low = scale * _LOG10_2_LOW + fraction.apply("log") * _LOG10_E
    return where((x > 0.0) & (x < np.inf), low + scale * _LOG10_2_HIGH, x.apply("log"))


def logaddexp(x: Term, y: Term) -> Term:
    """log(exp x + exp y) from the larger and the difference."""
    return _log_of_sum(x, y, lambda d: log1p(d.apply("exponential")), math.log(2.0))


def logaddexp2(x: Term, y: Term) -> Term:
    """log2(2**x + 2**y) from the larger and the difference."""
    return _log_of_sum(x, y, lambda d: _to_base_two(log1p(exp2(d))), 1.0)


def _to_base_two(log: Term) -> Term:
    return (log * (1.0 / math.log(2.0))).rounded()


def _log_of_sum(x: Term, y: Term, of_difference: Rule, double: float) -> Term:
    if x.name == y.name:
        return x + double
    # Equal ones stand apart: infinities have no difference.
    difference = x - y
    larger = where(difference > 0.0, x, y)
    result = larger + of_difference(-abs(difference))
    return where(x.eq(y), x + double, where(difference.isnan(), difference, result))


def sinh(x: Term) -> Term:
    """From expm1 where it cancels, from exp of half the argument where it overflows."""
    size = abs(x)
    e = expm1(where(size < 22.0, size, 0.0))
    small = (e + e / (e + 1.0)) * 0.5
    return copysign(where(size < 22.0, small, _half_exp(size)), x)


def cosh(x: Term) -> Term:
    """From exp, of half the argument where it overflows."""
    size = abs(x)
    e = where(size < 22.0, size, 0.0).apply("exponential")
    return where(size < 22.0, e * 0.5 + 0.5 / e, _half_exp(size))


def _half_exp(x: Term) -> Term:
    """exp(x) / 2 without overflow on the way."""
    root = (x * 0.5).apply("exponential")
    return root * 0.5 * root


def arcsin(x: Term) -> Term:
    """The angle of the point on the unit circle at height x."""
    return x.apply("atan2", ((1.0 - x) * (x + 1.0)).apply("sqrt"))


def arctanh(x: Term) -> Term:
    """Half of log1p(2x / (1 - x))."""
    size = abs(x)
    result = log1p(size * 2.0 / (1.0 - size)) * 0.5
    return copysign(where(size > 1.0, np.nan, result), x)
