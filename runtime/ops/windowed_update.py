"""Writing part of a line of an array, each element computed from elements at the same position.

As `fold` it goes over the window only, in chunks, within a native function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anabranch.runtime.ir.program import ArrayType, Program
from anabranch.runtime.ops.checks import BOOL, INT64, scalar
from anabranch.runtime.ops.emitter import Emitter
from anabranch.runtime.ops.op import Op, expect
from anabranch.runtime.ops.vector_lanes import Lanes, Line, checked, chunk, evaluated, key

_CHUNK_BYTES = 1024


class _Patch(Op):
    """`patch[body, lines, own, length](low, high, target, *operands)`: the target with part of a line replaced.

    The first of `lines` is the one that is written, at the positions from low up to high. The operands are as those of
    `fold`, but lines numbered in `own` (the first is one) are lines of the target, which have starts alone. They run
    along one axis from one start: no position is read after another has been written there.
    """

    def type(self, *inputs: ArrayType, **params: Any) -> tuple[ArrayType, ...]:
        low, high, target, *rest = inputs
        expect((low, high) == (scalar(INT64),) * 2, self.name, "the bounds are int64 scalars")
        operands = _completed(target, rest, params["lines"], params["own"])
        checked(self.name, operands, params["lines"], params["body"], params["length"])
        expect(params["body"].out_types == (scalar(target.dtype),), self.name, "the body gives no element")
        return (target,)

    def evaluate(self, *arrays: Any, **params: Any) -> tuple[Any, ...]:
        low, high, target, *rest = arrays
        start, stop = max(int(low), 0), min(int(high), params["length"])
        if start >= stop:
            return (target,)
        lines, made = params["lines"], target.copy()
        operands = _completed(target, rest, lines, params["own"])
        (values,) = evaluated(params["body"], operands, lines, start, stop)
        made[key(lines[0], target, operands[1 : 1 + lines[0].rank], start, stop)] = values
        return (made,)

    def lower(
        self,
        emitter: Emitter,
        inputs: Sequence[str],
        in_types: Sequence[ArrayType],
        out_types: Sequence[ArrayType],
        **params: Any,
    ) -> Sequence[str]:
        low, high, target, *rest = inputs
        return [_Lowering(emitter, in_types[2:], **params).emit(low, high, target, rest)]


def _completed(target: Any, rest: Sequence[Any], lines: Sequence[Line], own: Sequence[int]) -> list[Any]:
    """The operands with the target before the starts of its own lines."""
    found, left = [], list(rest)
    for i, line in enumerate(lines):
        count = line.rank + (i not in own)
        found += [*([target] if i in own else []), *left[:count]]
        left = left[count:]
    return [*found, *left]


class _Lowering:
    """The lowering of one patch."""

    def __init__(
        self,
        emitter: Emitter,
        types: Sequence[ArrayType],
        *,
        body: Program,
        lines: Sequence[Line],
        own: Sequence[int],
        length: int,
    ) -> None:
        self.emitter, self.types, self.own = emitter, list(types), own
        self.lines, self.chunk = lines, chunk(body, length, _CHUNK_BYTES)
        self.lanes = Lanes(emitter, _completed(types[0], types[1:], lines, own), body, lines, length)

    def emit(self, low: str, high: str, target: str, rest: Sequence[str]) -> str:
        """A loop over the chunks of the window; of the last one, what lies in the window is written.

        Even a single chunk is a loop: XLA then reads everything else before it, and writes in place.
        """
        emitter, count = self.emitter, self.lanes.count
        first, stop = self.lanes.window(low, high)
        state, types = [first, stop, target, *rest], [count, count, *self.types]

        def test(names: list[str]) -> list[str]:
            return emitter.typed([emitter.compare(names[0], names[1], "LT", count)], [scalar(BOOL)])

        def step(names: list[str]) -> list[str]:
            at, end, target, *rest = names
            # A chunk that ends with the line holds what was written before, which is left out.
            begin = emitter.binary("minimum", at, self.lanes.position(self.lanes.length - self.chunk), count)
            written = self._written(target, _completed(target, rest, self.lines, self.own), begin, at, end)
            after = emitter.binary("add", at, self.lanes.position(self.chunk), count)
            return emitter.typed([after, end, written, *rest], types)

        return emitter.multi("while", state, types, types, [emitter.region(types, test), emitter.region(types, step)])[
            2
        ]

    def _written(self, target: str, operands: Sequence[str], begin: str, low: str, high: str) -> str:
        """The target with the positions from `begin` on that lie in the window."""
        line, type = self.lines[0], self.types[0]
        starts = operands[1 : 1 + line.rank]
        before = self.lanes.read(line, target, starts, type, self.chunk, begin)
        (value,) = self.lanes.values(operands, self.chunk, begin)
        mask = self.lanes.inside(self.chunk, begin, low, high)
        value = self.emitter.select(mask, value, before, ArrayType((self.chunk,), type.dtype))
        return self.lanes.write(line, target, starts, type, value, self.chunk, begin)


patch = _Patch("patch")
OPS: tuple[Op, ...] = (patch,)
