"""Exponentials and logarithms."""

from __future__ import annotations

import math

import numpy as np

from anabranch.runtime.ops.elementwise import complexes, reals
from anabranch.runtime.ops.elementwise.term import by_kind, call
from anabranch.runtime.ops.elementwise.ufunc import Ufunc
from anabranch.runtime.ops.op import Op

OPS: tuple[Op, ...] = (
    Ufunc(np.exp, by_kind(f=call("exponential"), c=complexes.complex_exp)),
    Ufunc(np.exp2, by_kind(f=reals.exp2, c=complexes.complex_exp2)),
    Ufunc(np.expm1, by_kind(f=reals.expm1, c=complexes.complex_expm1)),
    Ufunc(np.log, by_kind(f=call("log"), c=complexes.complex_log)),
    Ufunc(np.log2, by_kind(f=reals.in_double(reals.log2), c=complexes.complex_log_scaled(1.0 / math.log(2.0)))),
    Ufunc(np.log10, by_kind(f=reals.in_double(reals.log10), c=complexes.complex_log_scaled(1.0 / math.log(10.0)))),
    Ufunc(np.log1p, by_kind(f=reals.log1p, c=complexes.complex_log1p)),
    Ufunc(np.logaddexp, reals.logaddexp),
    Ufunc(np.logaddexp2, reals.logaddexp2),
)
