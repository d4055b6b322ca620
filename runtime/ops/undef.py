"""An undefined value, which is never read: the part of an alternative that was not chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.checks import arity, keywords
from anabranch.runtime.ops.stablehlo_writer import LoweringContext


class _Undef(Op):
    """`undef[shape, dtype]()`: any value of this type. Zeros, where no pass has found one that costs nothing."""

    __slots__ = ()
    work = Work.LITTLE

    def type(self, *inputs: ArrayType, **params: Any) -> tuple[ArrayType, ...]:
        arity(self.name, inputs, 0)
        shape, dtype = keywords(self.name, params, "shape", "dtype")
        return (ArrayType(tuple(shape), np.dtype(dtype)),)

    def evaluate(self, *arrays: np.ndarray, **params: Any) -> tuple[np.ndarray, ...]:
        return (np.zeros(params["shape"], params["dtype"]),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        return [ctx.emitter.constant(0, ctx.out_types[0])]


undef = _Undef("undef")
OPS: tuple[Op, ...] = (undef,)
