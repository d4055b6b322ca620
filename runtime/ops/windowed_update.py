"""A fused in-place update of part of a strip of an array: each element is computed from those at the same position.

As `windowed_reduce` it goes over the window only, in chunks, within an outlined function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Equation, Program
from anabranch.runtime.ops.op import INT64, expect, scalar
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext
from anabranch.runtime.ops.vector_lanes import CHUNKS_TOUCHED, Lanes, Strip, checked, chunk, evaluated, key

_CHUNK_BYTES = 1024


class _WindowedUpdate(Op):
    """`windowed_update[body, strips, own, length](low, high, target, *operands)`: the target, part of a strip replaced.

    The first of `strips` is the one that is written, at the positions from low up to high. The operands are as those of
    `windowed_reduce`, but strips numbered in `own` (the first is one) are strips of the target, which have starts
    alone. They run along one axis from one start: no position is read after another has been written there.
    """

    __slots__ = ()
    is_materialized = True
    overwritten = 2

    def type(self, *inputs: ArrayType, **params: Any) -> tuple[ArrayType, ...]:
        low, high, target, *rest = inputs
        expect((low, high) == (scalar(INT64),) * 2, self.name, "the bounds are int64 scalars")
        operands = completed(target, rest, params["strips"], params["own"])
        checked(self.name, operands, params["strips"], params["body"], params["length"])
        expect(params["body"].out_types == (scalar(target.dtype),), self.name, "the body returns no element")
        return (target,)

    def evaluate(self, *arrays: Any, **params: Any) -> tuple[Any, ...]:
        low, high, target, *rest = arrays
        start, stop = max(int(low), 0), min(int(high), params["length"])
        if start >= stop:
            return (target,)
        strips, made = params["strips"], target.copy()
        operands = completed(target, rest, strips, params["own"])
        (values,) = evaluated(params["body"], operands, strips, start, stop)
        made[key(strips[0], target, operands[1 : 1 + strips[0].rank], start, stop)] = values
        return (made,)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        low, high, target, *rest = ctx.inputs
        return [_Lowering(ctx.emitter, ctx.in_types[2:], **ctx.params).emit(low, high, target, rest)]

    def bytes_touched(self, equation: Equation) -> int:
        """Those of a few chunks: it goes through memory in small ones, to be part of an outlined function."""
        return CHUNKS_TOUCHED


def completed(target: Any, rest: Sequence[Any], strips: Sequence[Strip], own: Sequence[int]) -> list[Any]:
    """Return the operands with the target before the starts of its own strips."""
    found, left = [], list(rest)
    for i, strip in enumerate(strips):
        count = strip.rank + (i not in own)
        found += [*([target] if i in own else []), *left[:count]]
        left = left[count:]
    return [*found, *left]


class _Lowering:
    """The lowering of one windowed update."""

    def __init__(
        self,
        emitter: Emitter,
        types: Sequence[ArrayType],
        *,
        body: Program,
        strips: Sequence[Strip],
        own: Sequence[int],
        length: int,
    ) -> None:
        self.emitter, self.types, self.own = emitter, list(types), own
        self.strips, self.chunk = strips, chunk(body, length, _CHUNK_BYTES)
        self.lanes = Lanes(emitter, completed(types[0], types[1:], strips, own), body, strips, length)

    def emit(self, low: str, high: str, target: str, rest: Sequence[str]) -> str:
        """Emit a loop over the chunks of the window; of the last one, the elements in the window are written.

        Even a single chunk is a loop: XLA then reads everything else before it, and writes in place.
        """
        emitter, count = self.emitter, self.lanes.count
        first, stop = self.lanes.window(low, high)
        state, types = [first, stop, target, *rest], [count, count, *self.types]

        def test(names: list[str]) -> str:
            return emitter.compare(names[0], names[1], "LT", count)

        def step(names: list[str]) -> list[str]:
            at, end, target, *rest = names
            # A chunk that ends with the strip holds what was written before, which is left out.
            begin = emitter.binary("minimum", at, self.lanes.position(self.lanes.length - self.chunk), count)
            written = self._written(target, completed(target, rest, self.strips, self.own), begin, at, end)
            after = emitter.binary("add", at, self.lanes.position(self.chunk), count)
            return [after, end, written, *rest]

        return emitter.loop(state, types, test, step)[2]

    def _written(self, target: str, operands: Sequence[str], begin: str, low: str, high: str) -> str:
        """Emit the target with new elements at the positions from `begin` on that lie in the window."""
        strip, type = self.strips[0], self.types[0]
        starts = operands[1 : 1 + strip.rank]
        before = self.lanes.read(strip, target, starts, type, self.chunk, begin)
        (value,) = self.lanes.values(operands, self.chunk, begin)
        mask = self.lanes.inside(self.chunk, begin, low, high)
        value = self.emitter.select(mask, value, before, ArrayType((self.chunk,), type.dtype))
        return self.lanes.write(strip, target, starts, type, value, self.chunk, begin)


windowed_update = _WindowedUpdate("windowed_update")
OPS: tuple[Op, ...] = (windowed_update,)
