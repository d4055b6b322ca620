"""Strips of arrays, computed in vector lanes: how `windowed_reduce` and `windowed_update` read and compute elements.

A body is a Program on scalars: it takes a position, an element of each strip, and operands that are the same at all
positions.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ir.program import Atom, Literal, Program, Var
from anabranch.runtime.ops.op import BOOL, INT64, expect, in_range, scalar
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

# With tables there are no vector instructions; a small chunk reads little in vain at the end of a short window.
_CHUNK_OF_LOOKUPS = 16
# What the choice of lowering counts for such an op, whatever its length.
CHUNKS_TOUCHED = 1024


@frozen
class Strip:
    """A strip of an array: elements along one of its axes, from a start on each axis, one at each position."""

    axis: int
    rank: int


def chunk(body: Program, length: int, size: int) -> int:
    """How many positions are computed at once, so that elements of the widest dtype take so many bytes.

    Too few are bad, too: LLVM unrolls a short loop before it has turned it into vector instructions, and leaves it at
    that.
    """
    if any(equation.op.whole_inputs for equation in body.equations):
        return min(length, _CHUNK_OF_LOOKUPS)
    widest = max((v.type.dtype.itemsize for v in (*body.inputs[1:], *body.outputs)), default=1)
    return min(length, size // widest)


T = TypeVar("T")


def split(rest: Sequence[T], strips: Sequence[Strip]) -> tuple[list[tuple[T, list[T]]], list[T]]:
    """Return an array and its starts for each strip, and the operands after them."""
    found, left = [], list(rest)
    for strip in strips:
        found.append((left[0], left[1 : 1 + strip.rank]))
        left = left[1 + strip.rank :]
    return found, left


def checked(op: str, operands: Sequence[ArrayType], strips: Sequence[Strip], body: Program, length: int) -> None:
    """Raise `TypeError` where the operands are not what the strips and the body take."""
    arrays, others = split(operands, strips)
    for strip, (array, starts) in zip(strips, arrays, strict=True):
        expect(len(array.shape) == strip.rank, op, f"a strip of rank {strip.rank} in {array}")
        expect(array.shape[strip.axis] >= length, op, f"{array} is shorter than the strip")
        expect(all(s == scalar(INT64) for s in starts), op, "starts are int64 scalars")
    wanted = (scalar(INT64), *(scalar(array.dtype) for array, _ in arrays), *others)
    expect(body.in_types == wanted, op, "the body's inputs do not fit")


def key(strip: Strip, array: np.ndarray, starts: Sequence[np.ndarray], low: int, high: int) -> tuple[int | slice, ...]:
    """Return the index of the elements at the positions from low up to high."""
    places = [min(max(int(s), 0), n - 1) for s, n in zip(starts, array.shape, strict=True)]
    first = places[strip.axis]
    return (*places[: strip.axis], slice(first + low, first + high), *places[strip.axis + 1 :])


def evaluated(
    body: Program, operands: Sequence[np.ndarray], strips: Sequence[Strip], low: int, high: int
) -> list[np.ndarray]:
    """The body's outputs at the positions from low up to high: its ops take arrays as they take scalars."""
    arrays, others = split(operands, strips)
    elements = [array[key(strip, array, s, low, high)] for strip, (array, s) in zip(strips, arrays, strict=True)]
    env: dict[Var, np.ndarray] = dict(zip(body.inputs, [np.arange(low, high), *elements, *others], strict=True))

    def read(atom: Atom) -> np.ndarray:
        return atom.value if isinstance(atom, Literal) else env[atom]

    for equation in body.equations:
        values = [read(a) for a in equation.inputs]
        if not equation.op.whole_inputs:
            values = list(np.broadcast_arrays(*values))
        env.update(zip(equation.outputs, equation.op.evaluate(*values, **equation.params), strict=True))
    return [np.broadcast_to(read(a), (high - low,)) for a in body.outputs]


Lane: TypeAlias = tuple[str, bool]
"""A name, and whether there is a value for each lane."""


class Lanes:
    """Emits a body at as many positions at once as there are lanes."""

    def __init__(
        self, emitter: Emitter, types: Sequence[ArrayType], body: Program, strips: Sequence[Strip], length: int
    ) -> None:
        self.emitter, self.types = emitter, list(types)
        self.body, self.strips, self.length = body, strips, length
        # Positions; narrow ones double the elements in a vector register.
        self.count = ArrayType((), np.dtype(np.int32) if length < 2**30 else INT64)

    def position(self, value: int) -> str:
        """A static position."""
        return self.emitter.constant(value, self.count)

    def window(self, low: str, high: str) -> tuple[str, str]:
        """The bounds, int64, as positions of the strip."""
        wide, emitter = scalar(INT64), self.emitter
        least, most = emitter.constant(0, wide), emitter.constant(self.length, wide)
        first = emitter.binary("minimum", emitter.binary("maximum", low, least, wide), most, wide)
        stop = emitter.binary("maximum", emitter.binary("minimum", high, most, wide), least, wide)
        return emitter.convert(first, wide, self.count.dtype), emitter.convert(stop, wide, self.count.dtype)

    def values(self, operands: Sequence[str], lanes: int, begin: str) -> list[str]:
        """The body's outputs at as many positions from `begin` on."""
        emitter = self.emitter
        arrays, others = split(operands, self.strips)
        types, _ = split(self.types, self.strips)
        at = emitter.convert(self._positions(lanes, begin), ArrayType((lanes,), self.count.dtype), INT64)
        arguments: list[Lane] = [(at, True)]
        for strip, (array, starts), (type, _) in zip(self.strips, arrays, types, strict=True):
            arguments.append((self.read(strip, array, starts, type, lanes, begin), True))
        arguments += [(name, False) for name in others]
        return _emit(emitter, self.body, arguments, lanes)

    def inside(self, lanes: int, begin: str, low: str, high: str) -> str:
        """The mask of the positions from `begin` on that lie in the window."""
        emitter, strip = self.emitter, ArrayType((lanes,), self.count.dtype)
        at = self._positions(lanes, begin)
        after = emitter.compare(at, emitter.broadcast(low, self.count, (lanes,), []), "GE", strip)
        before = emitter.compare(at, emitter.broadcast(high, self.count, (lanes,), []), "LT", strip)
        return emitter.binary("and", after, before, ArrayType((lanes,), BOOL))

    def read(self, strip: Strip, array: str, starts: Sequence[str], type: ArrayType, lanes: int, begin: str) -> str:
        """Elements of a strip, from a position on."""
        block = self.block(strip, type, lanes)
        part = self.emitter.block(array, type, self.places(strip, starts, begin), scalar(INT64), block)
        return self.emitter.reshape(part, block, (lanes,))

    def write(
        self, strip: Strip, array: str, starts: Sequence[str], type: ArrayType, value: str, lanes: int, begin: str
    ) -> str:
        """The array with the elements of a strip, from a position on, replaced."""
        block = self.block(strip, type, lanes)
        part = self.emitter.reshape(value, ArrayType((lanes,), type.dtype), block.shape)
        return self.emitter.with_block(array, type, self.places(strip, starts, begin), scalar(INT64), part, block)

    @staticmethod
    def block(strip: Strip, type: ArrayType, lanes: int) -> ArrayType:
        """The type of a part of a strip in its array."""
        return ArrayType(tuple(lanes if axis == strip.axis else 1 for axis in range(strip.rank)), type.dtype)

    def places(self, strip: Strip, starts: Sequence[str], begin: str) -> list[str]:
        """The offsets in its array at which a part of a strip begins."""
        places, begin = list(starts), self.emitter.convert(begin, self.count, INT64)
        places[strip.axis] = self.emitter.binary("add", places[strip.axis], begin, scalar(INT64))
        return places

    def _positions(self, lanes: int, begin: str) -> str:
        strip = ArrayType((lanes,), self.count.dtype)
        first = self.emitter.broadcast(begin, self.count, (lanes,), [])
        return self.emitter.binary("add", self.emitter.iota(0, strip), first, strip)


def _emit(emitter: Emitter, body: Program, arguments: Sequence[Lane], lanes: int) -> list[str]:
    """Emit the body in so many lanes; what is the same in all of them is computed once."""
    env: dict[Var, Lane] = dict(zip(body.inputs, arguments, strict=True))

    def read(atom: Atom, wide: bool) -> str:
        if isinstance(atom, Literal):
            return emitter.constant(atom.value, _typed(atom.type, wide, lanes))
        name, is_wide = env[atom]
        return emitter.broadcast(name, atom.type, (lanes,), []) if wide and not is_wide else name

    for equation in body.equations:
        wide = any(isinstance(a, Var) and env[a][1] for a in equation.inputs)
        spread = [wide and i not in equation.op.whole_inputs for i in range(len(equation.inputs))]
        names = [read(a, s) for a, s in zip(equation.inputs, spread, strict=True)]
        types = [_typed(a.type, s, lanes) for a, s in zip(equation.inputs, spread, strict=True)]
        outs = [_typed(v.type, wide, lanes) for v in equation.outputs]
        results = equation.op.lower(LoweringContext(emitter, names, equation.inputs, types, outs, equation.params))
        env.update((v, (r, wide)) for v, r in zip(equation.outputs, results, strict=True))
    return [read(a, True) for a in body.outputs]


def _typed(type: ArrayType, wide: bool, lanes: int) -> ArrayType:
    return ArrayType((lanes,), type.dtype) if wide else type


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
