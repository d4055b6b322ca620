"""An undefined value, which is never read: the part of an alternative that was not chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.program import ArrayType
from anabranch.runtime.ops.checks import arity, keywords
from anabranch.runtime.ops.op import Op
from anabranch.runtime.ops.stablehlo_writer import Emitter


class _Undef(Op):
    """`undef[shape, dtype]()`: any value of this type. Zeros, where no pass has found one that costs nothing."""

    def type(self, *inputs: ArrayType, **params: Any) -> tuple[ArrayType, ...]:
        arity(self.name, inputs, 0)
        shape, dtype = keywords(self.name, params, "shape", "dtype")
        return (ArrayType(tuple(shape), np.dtype(dtype)),)

    def evaluate(self, *arrays: np.ndarray, **params: Any) -> tuple[np.ndarray, ...]:
        return (np.zeros(params["shape"], params["dtype"]),)

    def lower(
        self,
        emitter: Emitter,
        inputs: Sequence[str],
        in_types: Sequence[ArrayType],
        out_types: Sequence[ArrayType],
        **params: Any,
    ) -> Sequence[str]:
        return [emitter.constant(0, out_types[0])]


undef = _Undef("undef")
OPS: tuple[Op, ...] = (undef,)
