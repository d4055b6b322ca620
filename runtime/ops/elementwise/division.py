"""Floor division and remainders, with NumPy's signs and its answers for a divisor of zero."""

from __future__ import annotations

import numpy as np

from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.elementwise.float_bits import copysign
from anabranch.runtime.ops.elementwise.term import Term, by_kind, where
from anabranch.runtime.ops.elementwise.ufunc import Ufunc


def _truncating(x: Term, y: Term) -> tuple[Term, Term]:
    """Quotient and remainder as C has them; a divisor of zero makes 0 and 0, the least integer by -1 wraps."""
    unsafe = y.eq(0)
    if y.dtype.kind == "i":
        unsafe = unsafe | (y.eq(-1) & x.eq(np.iinfo(x.dtype).min))
    divisor = where(unsafe, 1, y)
    zero = y.eq(0)
    return where(zero, 0, x / divisor), where(zero, 0, x.apply("remainder", divisor))


def _integer_divmod(x: Term, y: Term) -> tuple[Term, Term]:
    """The remainder has the divisor's sign."""
    quotient, remainder = _truncating(x, y)
    if x.dtype.kind == "u":
        return quotient, remainder
    opposed = remainder.ne(0) & ((remainder < 0) ^ (y < 0))
    return where(opposed, quotient - 1, quotient), where(opposed, remainder + y, remainder)


def _float_divmod(x: Term, y: Term) -> tuple[Term, Term]:
    """The remainder is exact; the quotient is what is left of x, divided and snapped to the nearest integer."""
    remainder = x.apply("remainder", y)
    quotient = (x - remainder) / y
    opposed = remainder.ne(0.0) & ((remainder < 0.0) ^ (y < 0.0))
    signed = where(opposed, remainder + y, where(remainder.eq(0.0), copysign(x.constant(0.0), y), remainder))
    quotient = where(opposed, quotient - 1.0, quotient)
    floor = quotient.apply("floor")
    floor = where(quotient - floor > 0.5, floor + 1.0, floor)
    plain = x / y
    floor = where(quotient.eq(0.0), copysign(x.constant(0.0), plain), floor)
    zero = y.eq(0.0)
    return where(zero, plain, floor), where(zero, remainder, signed)


_divmod = by_kind(iu=_integer_divmod, f=_float_divmod)

OPS: tuple[Op, ...] = (
    Ufunc(np.divmod, _divmod, Work.MUCH),
    Ufunc(np.floor_divide, lambda x, y: _divmod(x, y)[0]),
    Ufunc(np.remainder, lambda x, y: _divmod(x, y)[1]),
    Ufunc(np.fmod, by_kind(iu=lambda x, y: _truncating(x, y)[1], f=lambda x, y: x.apply("remainder", y)), Work.MUCH),
)
