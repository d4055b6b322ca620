"""A value in a buffer of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.op import CallOp
from anabranch.runtime.ops.stablehlo_writer import LoweringContext


class _Materialize(CallOp):
    """`materialize(x)`: x, complete before anything that uses it begins: XLA doesn't fuse it into its uses."""

    __slots__ = ()
    is_materialized = True

    def type(self, x: ArrayType) -> tuple[ArrayType, ...]:
        return (x,)

    def evaluate(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        return (x,)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        return ctx.emitter.outlined(ctx.inputs, ctx.in_types, ctx.out_types, lambda names: names)


materialize = _Materialize("materialize")
OPS: tuple[Op, ...] = (materialize,)
