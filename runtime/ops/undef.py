"""An undefined value, which is never read: the part of an alternative that was not chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.stablehlo_writer import LoweringContext


class _Undef(Op):
    """`undef[shape, dtype]()`: any value of this type. Zeros, where no pass has found one that costs nothing."""

    __slots__ = ()
    work = Work.LITTLE

    def type(self, *, shape: Sequence[int], dtype: np.dtype) -> tuple[ArrayType, ...]:
        return (ArrayType(tuple(shape), np.dtype(dtype)),)

    def evaluate(self, *, shape: Sequence[int], dtype: np.dtype) -> tuple[np.ndarray, ...]:
        return (np.zeros(shape, dtype),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        return [ctx.emitter.undefined(ctx.out_types[0])]


undef = _Undef("undef")
OPS: tuple[Op, ...] = (undef,)
