"""The positions at which a mask is true."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops import op
from anabranch.runtime.ops.op import BOOL, INT64, expect, scalar
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

# A call of a host function takes as long as XLA's loop over so many elements.
_MANY = 4096
_INT32 = np.dtype(np.int32)


class _CountedPositions(Op):
    """`counted_positions(mask)`: the positions at which a vector of bools is true, then any numbers; how many.

    No range is known of the numbers behind the positions.
    """

    __slots__ = ()
    whole_work = Work.LITTLE

    def type(self, mask: ArrayType) -> tuple[ArrayType, ...]:
        expect(mask.dtype == BOOL and len(mask.shape) == 1, self.name, f"{mask} is no vector of bools")
        return (ArrayType(mask.shape, INT64), scalar(INT64))

    def evaluate(self, mask: np.ndarray) -> tuple[np.ndarray, ...]:
        outs = tuple(np.empty(type.shape, INT64) for type in self.type(ArrayType(mask.shape, mask.dtype)))
        self.write(outs, mask)
        return outs

    def write(self, outs: Sequence[np.ndarray], mask: np.ndarray) -> None:
        """Write NumPy's positions, then zeros."""
        found = np.flatnonzero(mask)
        outs[0][: len(found)] = found
        outs[0][len(found) :] = 0
        outs[1][...] = len(found)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        if ctx.in_types[0].size == 0:
            return [ctx.emitter.constant(0, type) for type in ctx.out_types]
        if op.may_call(ctx, _MANY):
            return op.called(ctx, self)
        return ctx.outlined(self._loop)

    @staticmethod
    def _loop(ctx: LoweringContext) -> list[str]:
        emitter, (mask,), (mask_type,), out = ctx.emitter, ctx.inputs, ctx.in_types, ctx.out_types[0]
        (n,) = mask_type.shape
        count = scalar(_INT32 if n < 2**31 else INT64)
        bit, place, zero = ArrayType((1,), BOOL), ArrayType((1,), INT64), emitter.constant(0, count)

        def more(state: list[str]) -> str:
            return emitter.compare(state[0], emitter.constant(n, count), "LT", count)

        def step(state: list[str]) -> list[str]:
            i, found, positions, mask = state
            here = emitter.block(mask, mask_type, [i], count, bit)
            # Written at each step, and kept where the mask is true: no branch.
            position = emitter.broadcast(emitter.convert(i, count, INT64), scalar(INT64), (1,), ())
            position = emitter.select(here, position, emitter.constant(0, place), place)
            positions = emitter.with_block(positions, out, [found], count, position, place)
            more = emitter.convert(emitter.reshape(here, bit, ()), scalar(BOOL), count.dtype)
            after = emitter.binary("add", i, emitter.constant(1, count), count)
            return [after, emitter.binary("add", found, more, count), positions, mask]

        state = [zero, zero, emitter.constant(0, out), mask]
        _, found, positions, _ = emitter.loop(state, [count, count, out, mask_type], more, step)
        return [positions, emitter.convert(found, count, INT64)][: len(ctx.out_types)]


class _TruePositions(_CountedPositions):
    """`true_positions(mask)`: the positions at which a vector of bools is true, in order, then zeros."""

    __slots__ = ()

    def type(self, mask: ArrayType) -> tuple[ArrayType, ...]:
        return super().type(mask)[:1]

    def write(self, outs: Sequence[np.ndarray], mask: np.ndarray) -> None:
        super().write((*outs, np.empty((), INT64)), mask)


true_positions = _TruePositions("true_positions")
counted_positions = _CountedPositions("counted_positions")
OPS: tuple[Op, ...] = (true_positions, counted_positions)
