"""Comparisons, logic, and the larger and smaller of two."""

from __future__ import annotations

import numpy as np

from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.elementwise.term import Rule, Term, by_kind, call, where
from anabranch.runtime.ops.elementwise.ufunc import NativeUfunc


def truth(x: Term) -> Term:
    """Return whether NumPy counts a value as true; NaN and subnormal numbers are, hence the look at the bits."""
    if x.dtype.kind == "c":
        return truth(x.real) | truth(x.imag)
    if x.dtype.kind in "fV":
        return (x.bits() << 1).ne(0)
    return x if x.dtype.kind == "b" else x.ne(0)


def _lexicographic(direction: str) -> Rule:
    """Complex order: by real parts, by imaginary parts where those are equal; a NaN part anywhere makes it false."""
    strict = direction[0] + "T"

    def rule(x: Term, y: Term) -> Term:
        unordered = x.imag.isnan() | y.imag.isnan()
        first = x.real.compare(strict, y.real) & ~unordered
        return first | (x.real.eq(y.real) & x.imag.compare(direction, y.imag))

    return rule


def _ordering(direction: str, complex_rule: Rule) -> Rule:
    def rule(x: Term, y: Term) -> Term:
        if x.dtype.kind == "c":
            result: Term = complex_rule(x, y)
            return result
        return x.compare(direction, y) if x.dtype == y.dtype else _mixed(direction, x, y)

    return rule


def _mixed(direction: str, x: Term, y: Term) -> Term:
    """An int64 with a uint64, compared as the integers they are."""
    unsigned = np.dtype(np.uint64)
    result = x.to(unsigned).compare(direction, y.to(unsigned))
    negative = x < 0 if x.dtype.kind == "i" else y < 0
    # A negative one is the smaller of the two, whatever the other is.
    smaller = direction in ("LT", "LE", "NE") if x.dtype.kind == "i" else direction in ("GT", "GE", "NE")
    return where(negative, smaller, result)


def _extreme(op: str, direction: str) -> Rule:
    """`maximum` and `minimum`: a NaN wins. Of -0.0 and 0.0 float16 takes the first, other floats the second."""

    def floats(x: Term, y: Term) -> Term:
        wins = x.compare(direction[0] + ("E" if x.dtype.itemsize == 2 else "T"), y)
        return where(wins | x.isnan(), x, y)

    def complexes(x: Term, y: Term) -> Term:
        return where(_lexicographic(direction)(x, y) | x.real.isnan() | x.imag.isnan(), x, y)

    return by_kind(biu=call(op), fV=floats, c=complexes)


def _extreme_number(op: str, direction: str) -> Rule:
    """`fmax` and `fmin`: a NaN loses. NumPy is not consistent about -0.0 and 0.0; here the first of them wins."""

    def floats(x: Term, y: Term) -> Term:
        return where(x.compare(direction, y) | y.isnan(), x, y)

    def complexes(x: Term, y: Term) -> Term:
        return where(_lexicographic(direction)(x, y) | y.real.isnan() | y.imag.isnan(), x, y)

    return by_kind(biu=call(op), fV=floats, c=complexes)


def _both(x: Term, y: Term) -> Term:
    return x.real.eq(y.real) & x.imag.eq(y.imag)


equal = NativeUfunc(np.equal, _ordering("EQ", _both))
not_equal = NativeUfunc(np.not_equal, _ordering("NE", lambda x, y: ~_both(x, y)))
less = NativeUfunc(np.less, _ordering("LT", _lexicographic("LT")))
less_equal = NativeUfunc(np.less_equal, _ordering("LE", _lexicographic("LE")))
greater = NativeUfunc(np.greater, _ordering("GT", _lexicographic("GT")))
greater_equal = NativeUfunc(np.greater_equal, _ordering("GE", _lexicographic("GE")))
logical_and = NativeUfunc(np.logical_and, lambda x, y: truth(x) & truth(y))
logical_or = NativeUfunc(np.logical_or, lambda x, y: truth(x) | truth(y))
logical_xor = NativeUfunc(np.logical_xor, lambda x, y: truth(x) ^ truth(y))
logical_not = NativeUfunc(np.logical_not, lambda x: ~truth(x))
maximum = NativeUfunc(np.maximum, _extreme("maximum", "GE"))
minimum = NativeUfunc(np.minimum, _extreme("minimum", "LE"))
fmax = NativeUfunc(np.fmax, _extreme_number("maximum", "GE"))
fmin = NativeUfunc(np.fmin, _extreme_number("minimum", "LE"))
OPS: tuple[Op, ...] = (
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    logical_and,
    logical_or,
    logical_xor,
    logical_not,
    maximum,
    minimum,
    fmax,
    fmin,
)
