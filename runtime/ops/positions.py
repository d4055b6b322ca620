"""The positions at which a mask is true."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops import numpy_calls
from anabranch.runtime.ops.checks import BOOL, INT64, scalar
from anabranch.runtime.ops.op import expect
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

# A call of a host function takes as long as XLA's loop over so many elements.
_MANY = 4096
_INT32 = np.dtype(np.int32)


class _TruePositions(Op):
    """`true_positions(mask)`: the positions at which a vector of bools is true, in order, then zeros."""

    __slots__ = ()
    whole_work = Work.LITTLE

    def type(self, mask: ArrayType) -> tuple[ArrayType, ...]:
        expect(mask.dtype == BOOL and len(mask.shape) == 1, self.name, f"{mask} is no vector of bools")
        return (ArrayType(mask.shape, INT64),)

    def evaluate(self, mask: np.ndarray) -> tuple[np.ndarray, ...]:
        positions = np.zeros(mask.shape, INT64)
        found = np.flatnonzero(mask)
        positions[: len(found)] = found
        return (positions,)

    def write(self, outs: Sequence[np.ndarray], mask: np.ndarray) -> None:
        """Write NumPy's positions."""
        (outs[0][...],) = self.evaluate(mask)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        if ctx.in_types[0].size == 0:
            return [ctx.emitter.constant(0, ctx.out_types[0])]
        if numpy_calls.may_call(ctx, _MANY):
            return numpy_calls.called(ctx, self)
        return ctx.outlined(self._loop)

    @staticmethod
    def _loop(ctx: LoweringContext) -> list[str]:
        emitter, (mask,), (mask_type,), (out,) = ctx.emitter, ctx.inputs, ctx.in_types, ctx.out_types
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
        return [emitter.loop(state, [count, count, out, mask_type], more, step)[2]]


true_positions = _TruePositions("true_positions")
OPS: tuple[Op, ...] = (true_positions,)
