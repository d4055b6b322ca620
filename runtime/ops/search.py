"""Searches of long sorted lines, which find places for many values one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops import op
from anabranch.runtime.ops.indexing import take
from anabranch.runtime.ops.op import BOOL, INT64, CallOp, expect, scalar
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

# XLA takes less time for a search in a shorter line.
_LONG_LINE = 1024


class _SearchSorted(CallOp):
    """`search_sorted[right](line, values, count)`: how many of the first `count` elements come before each value.

    NaN is greater than every number.
    """

    __slots__ = ()
    work = Work.MUCH
    whole_inputs = (0, 2)

    def type(self, line: ArrayType, values: ArrayType, count: ArrayType, *, right: bool) -> tuple[ArrayType, ...]:
        expect(len(line.shape) == 1 and line.dtype.kind in "iuf", self.name, f"{line} is no line of real numbers")
        expect(values.dtype == line.dtype, self.name, f"{values} in {line}")
        expect(count == scalar(INT64), self.name, f"a count of {count}")
        expect(isinstance(right, bool), self.name, f"right={right!r} is no bool")
        return (ArrayType(values.shape, INT64),)

    def evaluate(
        self, line: np.ndarray, values: np.ndarray, count: np.ndarray, *, right: bool
    ) -> tuple[np.ndarray, ...]:
        found = line[: max(int(count), 0)].searchsorted(values, "right" if right else "left")
        return (np.asarray(found, np.int64),)

    def write(
        self, outs: Sequence[np.ndarray], line: np.ndarray, values: np.ndarray, count: np.ndarray, *, right: bool
    ) -> None:
        """The same, by NumPy."""
        (outs[0][...],) = self.evaluate(line, values, count, right=right)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        if op.may_call(ctx, _LONG_LINE):
            return op.called(ctx, self)
        emitter, (line, values, count), (line_type, type, _) = ctx.emitter, ctx.inputs, ctx.in_types
        (n,), at, truth = line_type.shape, ArrayType(type.shape, INT64), ArrayType(type.shape, BOOL)
        size = emitter.broadcast(count, scalar(INT64), at.shape, ())
        low = emitter.constant(0, at)
        # Steps of falling powers of two: `low` elements are known to come before.
        for bit in reversed(range(n.bit_length())):
            probe = emitter.binary("add", low, emitter.constant(1 << bit, at), at)
            place = emitter.binary("subtract", probe, emitter.constant(1, at), at)
            place = emitter.binary("minimum", place, emitter.constant(n - 1, at), at)
            place = emitter.reshape(place, at, (*at.shape, 1))
            element = take(emitter, line, place, line_type, ArrayType((*at.shape, 1), INT64))
            pair = (values, element) if ctx.params["right"] else (element, values)
            before = _less(ctx, *pair, type)
            if ctx.params["right"]:
                before = emitter.op("not", [before], [truth], truth)
            within = emitter.compare(probe, size, "LE", at)
            low = emitter.select(emitter.binary("and", within, before, truth), probe, low, at)
        return [low]


def _less(ctx: LoweringContext, x: str, y: str, type: ArrayType) -> str:
    """`x < y` in the order of sorting: NaN last."""
    emitter, truth = ctx.emitter, ArrayType(type.shape, BOOL)
    less = emitter.compare(x, y, "LT", type)
    if type.dtype.kind != "f":
        return less
    only_y = emitter.binary("and", emitter.compare(y, y, "NE", type), emitter.compare(x, x, "EQ", type), truth)
    return emitter.binary("or", less, only_y, truth)


search_sorted = _SearchSorted("search_sorted")
OPS: tuple[Op, ...] = (search_sorted,)
