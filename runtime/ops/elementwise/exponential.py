"""Exponentials and logarithms."""

from __future__ import annotations

import math

import numpy as np

from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.elementwise import complexes, reals
from anabranch.runtime.ops.elementwise.term import by_kind, call
from anabranch.runtime.ops.elementwise.ufunc import Ufunc

_LOG2, _LOG10 = (complexes.complex_log_scaled(1.0 / math.log(base)) for base in (2.0, 10.0))

OPS: tuple[Op, ...] = (
    Ufunc(np.exp, by_kind(f=call("exponential"), c=complexes.complex_exp), Work.MUCH),
    Ufunc(np.exp2, by_kind(f=reals.exp2, c=complexes.complex_exp2), Work.MUCH),
    Ufunc(np.expm1, by_kind(f=reals.expm1, c=complexes.complex_expm1), Work.MUCH),
    Ufunc(np.log, by_kind(f=call("log"), c=complexes.complex_log), Work.MUCH),
    Ufunc(np.log2, by_kind(f=reals.in_double(reals.log2), c=_LOG2), Work.MUCH),
    Ufunc(
        np.log10,
        by_kind(f=reals.in_double(reals.log10), c=_LOG10),
        Work.MUCH,
    ),
    Ufunc(np.log1p, by_kind(f=reals.log1p, c=complexes.complex_log1p), Work.MUCH),
    Ufunc(np.logaddexp, reals.logaddexp, Work.MUCH),
    Ufunc(np.logaddexp2, reals.logaddexp2, Work.MUCH),
)
