"""Accumulations along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ir.program import Literal, Program, Var
from anabranch.runtime.ir.rewrite import Block
from anabranch.runtime.ops.control import FOR
from anabranch.runtime.ops.elementwise.arithmetic import add, multiply
from anabranch.runtime.ops.elementwise.comparison import maximum, minimum
from anabranch.runtime.ops.op import BOOL, INT64, expect, in_range, scalar
from anabranch.runtime.ops.reducers import ADD, MAXIMUM, MINIMUM, MULTIPLY, Reducer, highest, lowest
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

_INT32 = np.dtype(np.int32)
# Steps in one turn of a loop over scalars or short slabs. At 32, XLA's CPU compiler makes no native loop of it.
_UNROLL = 8
# Longer slabs are a kernel call each; unrolling them gains little and costs compile time.
_UNROLL_LONG, _LONG = 2, 32


class Cumulative(Op):
    """`NAME[axis](x)`: a ufunc's `accumulate`.

    One step after the other, as NumPy does it: floating point sums come out bit for bit the same. On CPU a loop over
    scalars also takes less time than the logarithmic schemes, which do more work.
    """

    __slots__ = ("reducer",)
    whole_work = Work.LITTLE

    def __init__(self, name: str, reducer: Reducer) -> None:
        super().__init__(name)
        self.reducer = reducer

    def type(self, x: ArrayType, *, axis: int) -> tuple[ArrayType, ...]:
        in_range(self.name, [axis], len(x.shape))
        expect(x.dtype != BOOL or self.reducer in (MINIMUM, MAXIMUM), self.name, "of bool, which the caller converts")
        return (x,)

    def evaluate(self, x: np.ndarray, *, axis: int) -> tuple[np.ndarray, ...]:
        return (self.reducer.ufunc.accumulate(x, axis=axis, dtype=x.dtype),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (x,), (type,), axis = ctx.inputs, ctx.in_types, ctx.params["axis"]
        if type.size == 0 or type.shape[axis] == 1:
            return ctx.inputs
        if type.size // type.shape[axis] >= _LONG:
            return [_accumulate(emitter, x, type, axis, self.reducer)]
        if (scanned := _scanned(ctx, self.reducer)) is not None:
            return [scanned]
        # Steps of a few numbers take longer to begin than to run, unless the whole loop is native code.
        return emitter.outlined(
            [x], [type], [type], lambda names: [_accumulate(emitter, names[0], type, axis, self.reducer)]
        )


def _scanned(ctx: LoweringContext, reducer: Reducer) -> str | None:
    """The accumulation of a vector as machine code, which has the total in a register; None where there is none."""
    (x,), (type,), (atom,) = ctx.inputs, ctx.in_types, ctx.atoms
    if len(type.shape) != 1 or not is_scanned(reducer, type.dtype):
        return None
    emitter, element = ctx.emitter, scalar(type.dtype)
    total, one, index, body = Var(element), Var(element), Var(scalar(INT64)), Block()
    after = body.emit(_OPS[reducer], total, one)
    # What changes no number, not even the sign of a zero.
    least = Literal(np.asarray(STARTS[reducer](type.dtype), type.dtype))
    trip = Literal(np.asarray(type.size, np.int64))
    atoms = (trip, least, atom)
    inputs = [*(emitter.constant(a.value, a.type) for a in (trip, least)), x]
    step = Program((index, total, one), tuple(body.equations), (after, after))
    params = {"body": step, "consts": 0, "carries": 1, "length": type.size}
    types = [a.type for a in atoms]
    loop = LoweringContext(emitter, inputs, atoms, types, [element, type], params, ctx.source)
    results = emitter.native(FOR, loop)
    return None if results is None else results[1]


# The types of numbers of which a loop keeps the total in a register, those of sums alone, and what each accumulation
# begins with.
_SCANNED, _SUMMED = "fdlqiLQI", "FD"
_OPS: dict[Reducer, Op] = {ADD: add, MULTIPLY: multiply, MINIMUM: minimum, MAXIMUM: maximum}
STARTS: dict[Reducer, Callable[[np.dtype], Any]] = {
    ADD: lambda dtype: {"f": -0.0, "c": complex(-0.0, -0.0)}.get(dtype.kind, 0),
    MULTIPLY: lambda dtype: 1,
    MINIMUM: highest,
    MAXIMUM: lowest,
}


def is_scanned(reducer: Reducer, dtype: np.dtype) -> bool:
    """Return whether a loop accumulates such numbers, with the total in a register."""
    return dtype.char in _SCANNED or (reducer is ADD and dtype.char in _SUMMED)


class _Line:
    """The emission of one accumulation: what its steps have in common."""

    def __init__(self, emitter: Emitter, type: ArrayType, axis: int, reducer: Reducer) -> None:
        self.emitter, self.type, self.axis, self.reducer = emitter, type, axis, reducer
        self.slab = ArrayType((*type.shape[:axis], 1, *type.shape[axis + 1 :]), type.dtype)
        self.unroll = _UNROLL if self.slab.size < _LONG else _UNROLL_LONG
        self.position = scalar(_INT32 if type.shape[axis] < 2**31 else INT64)

    def at(self, i: int) -> str:
        return self.emitter.constant(i, self.position)

    def _starts(self, i: str) -> list[str]:
        return [i if axis == self.axis else self.at(0) for axis in range(len(self.type.shape))]

    def read(self, x: str, i: str) -> str:
        """The slab of x at position i."""
        return self.emitter.block(x, self.type, self._starts(i), self.position, self.slab)

    def step(self, x: str, total: str, out: str, i: str) -> tuple[str, str]:
        """Combine the slab at i into the total, and write that."""
        total = self.reducer.emit(self.emitter, total, self.read(x, i), self.slab)
        return total, self.emitter.with_block(out, self.type, self._starts(i), self.position, total, self.slab)

    def loop(self, x: str, total: str, out: str, bounds: range) -> tuple[str, str]:
        """The steps at `bounds`, as many in a turn of the loop as its stride says."""
        types = [self.position, self.slab, self.type, self.type]

        def more(carry: list[str]) -> str:
            return self.emitter.compare(carry[0], self.at(bounds.stop), "LT", self.position)

        def turn(carry: list[str]) -> Sequence[str]:
            i, total, out, x = carry
            for _ in range(bounds.step):
                total, out = self.step(x, total, out, i)
                i = self.emitter.binary("add", i, self.at(1), self.position)
            return [i, total, out, x]

        _, total, out, _ = self.emitter.loop([self.at(bounds.start), total, out, x], types, more, turn)
        return total, out


def _accumulate(emitter: Emitter, x: str, type: ArrayType, axis: int, reducer: Reducer) -> str:
    line = _Line(emitter, type, axis, reducer)
    n = type.shape[axis]
    # What does not fill a turn comes first.
    head = 1 + (n - 1) % line.unroll
    total, out = line.read(x, line.at(0)), x
    for bounds in (range(1, head), range(head, n, line.unroll)):
        if bounds:
            total, out = line.loop(x, total, out, bounds)
    return out


cumsum = Cumulative("cumsum", ADD)
cumprod = Cumulative("cumprod", MULTIPLY)
cummin = Cumulative("cummin", MINIMUM)
cummax = Cumulative("cummax", MAXIMUM)
OPS: tuple[Op, ...] = (cumsum, cumprod, cummin, cummax)
