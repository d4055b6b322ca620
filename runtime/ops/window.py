"""Windows: the mask of the positions of an axis that lie between two bounds."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.ops.op import BOOL, INT64, expect, in_range, scalar
from anabranch.runtime.ops.stablehlo_writer import LoweringContext


class _Window(Op):
    """`window[shape, axis](low, high)`: bools, true where low <= position along `axis` < high.

    With a third input, which is greater than 0, only at low, low + step, low + 2 * step, …; low is not negative then.
    """

    __slots__ = ()
    is_transparent = True
    work = Work.LITTLE

    def type(self, *inputs: ArrayType, shape: Sequence[int], axis: int) -> tuple[ArrayType, ...]:
        in_range(self.name, [axis], len(shape))
        is_right = len(inputs) in (2, 3) and set(inputs) == {scalar(INT64)}
        expect(is_right, self.name, "the bounds, and the step, are int64 scalars")
        return (ArrayType(tuple(shape), BOOL),)

    def evaluate(self, *inputs: np.ndarray, shape: Sequence[int], axis: int) -> tuple[np.ndarray, ...]:
        low, high, *step = inputs
        positions = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
        mask = (positions >= low) & (positions < high)
        if step:
            mask &= (positions - low) % step[0] == 0
        return (np.broadcast_to(mask, shape),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter, (out,), axis = ctx.emitter, ctx.out_types, ctx.params["axis"]
        positions = ArrayType(out.shape, INT64)
        line = emitter.iota(axis, positions)
        low, high, *step = (emitter.broadcast(name, scalar(INT64), out.shape, ()) for name in ctx.inputs)
        sides = [
            emitter.compare(line, name, "GE" if is_low else "LT", positions)
            for name, bound, is_low in zip((low, high), ctx.atoms, (True, False), strict=False)
            if not excludes_nothing(bound, is_low, out.shape[axis])
        ]
        if step:
            away = emitter.binary("subtract", line, low, positions)
            left = emitter.binary("remainder", away, step[0], positions)
            sides.append(emitter.compare(left, emitter.constant(0, positions), "EQ", positions))
        if not sides:
            return [emitter.constant(True, out)]
        return [functools.reduce(lambda x, y: emitter.binary("and", x, y, out), sides)]


def excludes_nothing(bound: Atom, is_low: bool, length: int) -> bool:
    """Return whether all positions of an axis lie on one side of a bound, as far as the bound is known."""
    return isinstance(bound, Literal) and bool(bound.value <= 0 if is_low else bound.value >= length)


window = _Window("window")
OPS: tuple[Op, ...] = (window,)
