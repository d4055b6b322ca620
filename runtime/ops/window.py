"""Windows: the mask of the positions of an axis that lie between two bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.ops.checks import BOOL, INT64, in_range, scalar
from anabranch.runtime.ops.op import expect
from anabranch.runtime.ops.stablehlo_writer import LoweringContext


class _Window(Op):
    """`window[shape, axis](low, high)`: bools, true where low <= position along `axis` < high."""

    __slots__ = ()
    is_transparent = True
    work = Work.LITTLE

    def type(self, low: ArrayType, high: ArrayType, *, shape: Sequence[int], axis: int) -> tuple[ArrayType, ...]:
        in_range(self.name, [axis], len(shape))
        expect((low, high) == (scalar(INT64),) * 2, self.name, "the bounds are int64 scalars")
        return (ArrayType(tuple(shape), BOOL),)

    def evaluate(self, low: np.ndarray, high: np.ndarray, *, shape: Sequence[int], axis: int) -> tuple[np.ndarray, ...]:
        positions = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
        return (np.broadcast_to((positions >= low) & (positions < high), shape),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter, (out,), axis = ctx.emitter, ctx.out_types, ctx.params["axis"]
        positions = ArrayType(out.shape, INT64)
        sides = [
            emitter.compare(
                emitter.iota(axis, positions),
                emitter.broadcast(name, scalar(INT64), out.shape, ()),
                "GE" if is_low else "LT",
                positions,
            )
            for name, bound, is_low in zip(ctx.inputs, ctx.atoms, (True, False), strict=True)
            if not excludes_nothing(bound, is_low, out.shape[axis])
        ]
        if len(sides) == 2:
            return [emitter.binary("and", sides[0], sides[1], out)]
        return sides or [emitter.constant(True, out)]


def excludes_nothing(bound: Atom, is_low: bool, length: int) -> bool:
    """Return whether all positions of an axis lie on one side of a bound, as far as the bound is known."""
    return isinstance(bound, Literal) and bool(bound.value <= 0 if is_low else bound.value >= length)


window = _Window("window")
OPS: tuple[Op, ...] = (window,)
