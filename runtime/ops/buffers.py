"""Values in buffers of their own, and undefined ones, which are never read."""

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


class _Materialize(Op):
    """`materialize(*values)`: these, complete before anything that uses one begins: XLA fuses none into its uses."""

    __slots__ = ()
    is_materialized = True

    def type(self, *inputs: ArrayType) -> tuple[ArrayType, ...]:
        return inputs

    def evaluate(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        return arrays

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        return ctx.emitter.called(ctx.inputs, ctx.in_types, ctx.out_types, lambda names: names)


materialize = _Materialize("materialize")


OPS: tuple[Op, ...] = (
    undef,
    materialize,
)
