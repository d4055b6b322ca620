"""A fused map and reduction over a window of the positions only: each element is computed when it is combined.

In an outlined function it runs over the window in chunks of a few vector registers: its cost grows with the window, and
nothing of the arrays that it reads is copied. Elsewhere it is the reduction of masked arrays, XLA's own kernel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ir.program import Equation, Program
from anabranch.runtime.ops.op import INT64, expect, scalar
from anabranch.runtime.ops.reducers import ADD, AND, MAXIMUM, MINIMUM, MULTIPLY, OR, Reducer, highest, lowest
from anabranch.runtime.ops.shape import slice_of
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext
from anabranch.runtime.ops.vector_lanes import CHUNKS_TOUCHED, Lanes, Strip, checked, chunk, evaluated

_CHUNK_BYTES = 512

# With the neutral values of dtypes.
REDUCERS: Mapping[str, tuple[Reducer, Any]] = {
    "add": (ADD, lambda _: 0),
    "multiply": (MULTIPLY, lambda _: 1),
    "minimum": (MINIMUM, highest),
    "maximum": (MAXIMUM, lowest),
    "bitwise_and": (AND, lambda _: True),
    "bitwise_or": (OR, lambda _: False),
}


def identity(combine: str, dtype: np.dtype) -> Any:
    """Return the neutral value of the combining ufunc."""
    return REDUCERS[combine][1](dtype)


def is_short(body: Program, length: int) -> bool:
    """Return whether a strip is one chunk: no better than XLA's own reduction."""
    return chunk(body, length, _CHUNK_BYTES) == length


class _WindowedReduce(Op):
    """`windowed_reduce[body, strips, combine, length](low, high, *operands)`: the reduction of `body` over a window.

    The window goes from low up to high, within 0 up to length; where it is empty, the result is the neutral value of
    `combine`. The operands are an array and its starts (int64, within the array) for each of `strips`, then what is the
    same at all positions: scalars, and tables for `lookup`. The body, on scalars, takes the position, an element of
    each strip, and the rest; it returns an element, or two factors of one, whose product need not be rounded.
    """

    __slots__ = ()
    whole_work = Work.LITTLE
    is_materialized = True

    def type(self, *inputs: ArrayType, **params: Any) -> tuple[ArrayType, ...]:
        low, high, *rest = inputs
        expect((low, high) == (scalar(INT64),) * 2, self.name, "the bounds are int64 scalars")
        checked(self.name, rest, params["strips"], params["body"], params["length"])
        outs: tuple[ArrayType, ...] = params["body"].out_types
        expect(
            len(outs) in (1, 2) and outs[0] == outs[-1], self.name, "the body returns no element, and no two factors"
        )
        expect(outs[0].shape == (), self.name, "the body returns no scalar")
        return outs[:1]

    def evaluate(self, *arrays: Any, **params: Any) -> tuple[Any, ...]:
        low, high, *rest = arrays
        start, stop = max(int(low), 0), min(int(high), params["length"])
        out = params["body"].out_types[0]
        reducer, initial = REDUCERS[params["combine"]]
        if start >= stop:
            return (np.asarray(initial(out.dtype), out.dtype),)
        made = math.prod(evaluated(params["body"], rest, params["strips"], start, stop))
        return (reducer.ufunc.reduce(made, dtype=out.dtype),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        lowering = _Lowering(emitter, ctx.inputs[2:], ctx.in_types[2:], **ctx.params)
        low, high = ctx.inputs[:2]
        lanes = chunk(ctx.params["body"], ctx.params["length"], _CHUNK_BYTES)
        if not emitter.is_outlined or lanes == ctx.params["length"]:
            return [lowering.at_once(low, high)]
        return [lowering.in_chunks(low, high, lanes)]

    def bytes_touched(self, equation: Equation) -> int:
        """Those of a few chunks: it goes through memory in small ones, to be part of an outlined function."""
        return CHUNKS_TOUCHED


class _Lowering:
    """The lowering of one windowed reduction."""

    def __init__(
        self,
        emitter: Emitter,
        operands: Sequence[str],
        types: Sequence[ArrayType],
        *,
        body: Program,
        strips: Sequence[Strip],
        combine: str,
        length: int,
    ) -> None:
        self.emitter, self.operands, self.types = emitter, list(operands), list(types)
        self.lanes = Lanes(emitter, types, body, strips, length)
        self.element = body.out_types[0]
        self.reducer, initial = REDUCERS[combine]
        self.initial = initial(self.element.dtype)

    def at_once(self, low: str, high: str) -> str:
        """Emit the reduction of all positions, those outside of the window masked."""
        length = self.lanes.length
        value = self._within(self.operands, length, self.lanes.position(0), *self.lanes.window(low, high))
        start = self.emitter.constant(self.initial, self.element)

        def both(names: list[str]) -> list[str]:
            return [self._both(names[0], names[1], self.element)]

        return self.emitter.reduce([value], [ArrayType((length,), self.element.dtype)], [start], [0], both)[0]

    def in_chunks(self, low: str, high: str, lanes: int) -> str:
        """Emit a loop over the chunks of the window, each combined lane by lane with those before; then the rest."""
        emitter, count = self.emitter, self.lanes.count
        wide = ArrayType((lanes,), self.element.dtype)
        first, stop = self.lanes.window(low, high)
        # Where the last whole chunk may begin.
        last = emitter.binary("subtract", stop, self.lanes.position(lanes), count)
        state = [first, emitter.constant(self.initial, wide), last, *self.operands]
        types = [count, wide, count, *self.types]

        def test(names: list[str]) -> str:
            return emitter.compare(names[0], names[2], "LE", count)

        def step(names: list[str]) -> list[str]:
            at, total, end, *operands = names
            total = self._both(total, self._values(operands, lanes, at), wide)
            after = emitter.binary("add", at, self.lanes.position(lanes), count)
            return [after, total, end, *operands]

        left, total, *_ = emitter.loop(state, types, test, step)
        # A chunk that ends with the strip holds what was combined before, which is left out.
        begin = emitter.binary("minimum", left, self.lanes.position(self.lanes.length - lanes), count)
        rest = self._within(self.operands, lanes, begin, left, stop)
        return self._across(self._both(total, rest, wide), lanes)

    def _across(self, total: str, lanes: int) -> str:
        """Emit the reduction across the lanes: halves, and halves of halves, in few steps one after the other."""
        while lanes > 1:
            half = lanes // 2
            whole, part = (ArrayType((n,), self.element.dtype) for n in (lanes, half))
            first, second = (slice_of(self.emitter, total, whole, [at], [at + half], [1]) for at in (0, half))
            total, lanes = self._both(first, second, part), half
        return self.emitter.reshape(total, ArrayType((1,), self.element.dtype), ())

    def _both(self, x: str, y: str, type: ArrayType) -> str:
        return self.reducer.emit(self.emitter, x, y, type)

    def _values(self, operands: Sequence[str], lanes: int, begin: str) -> str:
        values = self.lanes.values(operands, lanes, begin)
        if len(values) == 1:
            return values[0]
        return self.emitter.binary("multiply", values[0], values[1], ArrayType((lanes,), self.element.dtype))

    def _within(self, operands: Sequence[str], lanes: int, begin: str, low: str, high: str) -> str:
        """Emit the elements from `begin` on, with the neutral value where they are not in the window."""
        type = ArrayType((lanes,), self.element.dtype)
        mask = self.lanes.inside(lanes, begin, low, high)
        value = self._values(operands, lanes, begin)
        return self.emitter.select(mask, value, self.emitter.constant(self.initial, type), type)


windowed_reduce = _WindowedReduce("windowed_reduce")
OPS: tuple[Op, ...] = (windowed_reduce,)
