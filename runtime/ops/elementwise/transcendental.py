"""Exponentials, logarithms, circular and hyperbolic functions, and their inverses."""

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
    Ufunc(np.log10, by_kind(f=reals.in_double(reals.log10), c=_LOG10), Work.MUCH),
    Ufunc(np.log1p, by_kind(f=reals.log1p, c=complexes.complex_log1p), Work.MUCH),
    Ufunc(np.logaddexp, reals.logaddexp, Work.MUCH),
    Ufunc(np.logaddexp2, reals.logaddexp2, Work.MUCH),
    Ufunc(np.sin, by_kind(f=call("sine"), c=complexes.through_swap(complexes.complex_sinh)), Work.MUCH),
    Ufunc(np.cos, by_kind(f=call("cosine"), c=complexes.complex_cos), Work.MUCH),
    Ufunc(np.tan, by_kind(f=call("tan"), c=complexes.through_swap(complexes.complex_tanh)), Work.MUCH),
    Ufunc(np.sinh, by_kind(f=reals.sinh, c=complexes.complex_sinh), Work.MUCH),
    Ufunc(np.cosh, by_kind(f=reals.cosh, c=complexes.complex_cosh), Work.MUCH),
    Ufunc(np.tanh, by_kind(f=call("tanh"), c=complexes.complex_tanh), Work.MUCH),
    Ufunc(np.arcsin, by_kind(f=reals.arcsin, c=complexes.through_swap(complexes.complex_arcsinh)), Work.MUCH),
    Ufunc(np.arccos, by_kind(f=call("chlo.acos"), c=complexes.complex_arccos), Work.MUCH),
    Ufunc(np.arctan, by_kind(f=call("chlo.atan"), c=complexes.through_swap(complexes.complex_arctanh)), Work.MUCH),
    Ufunc(np.arcsinh, by_kind(f=call("chlo.asinh"), c=complexes.complex_arcsinh), Work.MUCH),
    Ufunc(np.arccosh, by_kind(f=call("chlo.acosh"), c=complexes.complex_arccosh), Work.MUCH),
    Ufunc(np.arctanh, by_kind(f=reals.arctanh, c=complexes.complex_arctanh), Work.MUCH),
    Ufunc(np.arctan2, call("atan2"), Work.MUCH),
)
