"""Values in buffers of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.stablehlo_writer import LoweringContext


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
OPS: tuple[Op, ...] = (materialize,)
