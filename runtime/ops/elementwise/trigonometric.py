"""Circular and hyperbolic functions and their inverses."""

from __future__ import annotations

import numpy as np

from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.elementwise import complexes, reals
from anabranch.runtime.ops.elementwise.term import by_kind, call
from anabranch.runtime.ops.elementwise.ufunc import Ufunc

OPS: tuple[Op, ...] = (
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
