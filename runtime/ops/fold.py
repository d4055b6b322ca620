"""A reduction of elements that are computed as they are combined, of a window of the positions only.

In a native function it runs over the window in chunks of a few vector registers: what it costs grows with the window,
and nothing of the arrays that it reads is copied. Elsewhere it is the reduction of masked arrays, XLA's own kernel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from anabranch._frozen import frozen
from anabranch.runtime.ir import ArrayType, Atom, Literal, Program, Var
from anabranch.runtime.ops.checks import BOOL, INT64, scalar
from anabranch.runtime.ops.combine import ADD, AND, MAXIMUM, MINIMUM, MULTIPLY, OR, Combine, highest, lowest
from anabranch.runtime.ops.emitter import Emitter, ints
from anabranch.runtime.ops.op import NDArray, Op, expect
from anabranch.runtime.ops.shape import slice_of

# What is combined at once. LLVM unrolls shorter loops before it has turned them into vector instructions, and leaves it
# at that.
_CHUNK_BYTES = 512
# With tables there are no vector instructions; little is read in vain at the end of a short window.
_CHUNK_OF_LOOKUPS = 16

_COMBINES: Mapping[str, tuple[Combine, Any]] = {
    "add": (ADD, lambda _: 0),
    "multiply": (MULTIPLY, lambda _: 1),
    "minimum": (MINIMUM, highest),
    "maximum": (MAXIMUM, lowest),
    "and": (AND, lambda _: True),
    "or": (OR, lambda _: False),
}


def identity(combine: str, dtype: np.dtype[Any]) -> Any:
    """What combining leaves alone."""
    return _COMBINES[combine][1](dtype)


@frozen
class Line:
    """Elements of an array along one of its axes, from a start on each axis: one of them at each position."""

    axis: int
    rank: int


class _Fold(Op):
    """`fold[body, lines, combine, length](low, high, *operands)`: `body` at each position of a window, combined.

    The window goes from low up to high, within 0 up to length; where it is empty, the result is what `combine` begins
    with. The operands are an array and its starts (int64, within the array) for each of `lines`, then what is the same
    at all positions: scalars, and tables for `lookup`. The body, on scalars, takes the position, an element of each
    line, and the rest; it gives an element, or two factors of one, whose product need not be rounded.
    """

    def type(self, *inputs: ArrayType, **params: Any) -> tuple[ArrayType, ...]:
        body: Program = params["body"]
        low, high, *rest = inputs
        expect((low, high) == (scalar(INT64),) * 2, self.name, "the bounds are int64 scalars")
        lines, others = _operands(rest, params["lines"])
        for line, (array, starts) in zip(params["lines"], lines, strict=True):
            expect(len(array.shape) == line.rank, self.name, f"a line of rank {line.rank} in {array}")
            expect(array.shape[line.axis] >= params["length"], self.name, f"{array} is shorter than the line")
            expect(all(s == scalar(INT64) for s in starts), self.name, "starts are int64 scalars")
        wanted = (scalar(INT64), *(scalar(array.dtype) for array, _ in lines), *others)
        expect(body.in_types == wanted, self.name, "the body's inputs do not fit")
        outs = body.out_types
        expect(len(outs) in (1, 2) and outs[0] == outs[-1], self.name, "the body gives no element, and no two factors")
        expect(outs[0].shape == (), self.name, "the body gives no scalar")
        return outs[:1]

    def evaluate(self, *arrays: Any, **params: Any) -> tuple[Any, ...]:
        low, high, *rest = arrays
        lines, others = _operands(rest, params["lines"])
        start, stop = max(int(low), 0), min(int(high), params["length"])
        out = params["body"].out_types[0]
        combine, initial = _COMBINES[params["combine"]]
        if start >= stop:
            return (np.asarray(initial(out.dtype), out.dtype),)
        elements = [_elements(line, *x, start, stop) for line, x in zip(params["lines"], lines, strict=True)]
        made = math.prod(_evaluated(params["body"], [np.arange(start, stop), *elements, *others]))
        return (combine.ufunc.reduce(np.broadcast_to(made, (stop - start,)), dtype=out.dtype),)

    def lower(
        self,
        emitter: Emitter,
        inputs: Sequence[str],
        in_types: Sequence[ArrayType],
        out_types: Sequence[ArrayType],
        **params: Any,
    ) -> Sequence[str]:
        reading = _Reading(inputs[2:], in_types[2:], **params)
        low, high = inputs[:2]
        lanes = chunk(params["body"], params["length"])
        if not emitter.is_native or lanes == params["length"]:
            return [reading.at_once(emitter, low, high)]
        return [reading.in_chunks(emitter, low, high, lanes)]


def chunk(body: Program, length: int) -> int:
    """How many positions are combined at once."""
    if any(equation.op.name == "lookup" for equation in body.equations):
        return min(length, _CHUNK_OF_LOOKUPS)
    widest = max(v.type.dtype.itemsize for v in (*body.inputs[1:], *body.outputs))
    return min(length, _CHUNK_BYTES // widest)


def _operands(rest: Sequence[Any], lines: Sequence[Line]) -> tuple[list[tuple[Any, list[Any]]], list[Any]]:
    """An array and its starts for each line, and what is left."""
    found, left = [], list(rest)
    for line in lines:
        found.append((left[0], left[1 : 1 + line.rank]))
        left = left[1 + line.rank :]
    return found, left


def _elements(line: Line, array: NDArray, starts: Sequence[Any], low: int, high: int) -> NDArray:
    key: list[Any] = [min(max(int(s), 0), n - 1) for s, n in zip(starts, array.shape, strict=True)]
    first = key[line.axis]
    key[line.axis] = slice(first + low, first + high)
    taken: NDArray = array[tuple(key)]
    return taken


def _evaluated(body: Program, arguments: Sequence[Any]) -> list[Any]:
    """The body on a line of positions: its ops take arrays as they take scalars."""
    env: dict[Atom, Any] = dict(zip(body.inputs, arguments, strict=True))

    def read(atom: Atom) -> Any:
        return atom.value if isinstance(atom, Literal) else env[atom]

    for equation in body.equations:
        values = [read(a) for a in equation.inputs]
        if equation.op.name != "lookup":
            values = list(np.broadcast_arrays(*values))
        env.update(zip(equation.outputs, equation.op.evaluate(*values, **equation.params), strict=True))
    return [read(a) for a in body.outputs]


Lane: TypeAlias = tuple[str, bool]
"""A name, and whether there is a value for each lane."""


class _Reading:
    """The lowering of one fold."""

    def __init__(
        self,
        operands: Sequence[str],
        types: Sequence[ArrayType],
        *,
        body: Program,
        lines: Sequence[Line],
        combine: str,
        length: int,
    ) -> None:
        self.operands, self.types = list(operands), list(types)
        self.body, self.lines, self.length = body, lines, length
        self.element = body.out_types[0]
        self.combine, initial = _COMBINES[combine]
        self.initial = initial(self.element.dtype)
        self.count = ArrayType((), np.dtype(np.int32) if length < 2**30 else INT64)

    def at_once(self, emitter: Emitter, low: str, high: str) -> str:
        """All positions, those outside of the window masked."""
        first, window = emitter.constant(0, self.count), self._window(emitter, low, high)
        value = self._within(emitter, self.operands, self.length, first, *window)
        type = ArrayType((self.length,), self.element.dtype)
        start = emitter.constant(self.initial, self.element)

        def both(names: list[str]) -> list[str]:
            return [self._both(emitter, names[0], names[1], self.element)]

        return emitter.reduce([value], [type], [start], [0], both)[0]

    def in_chunks(self, emitter: Emitter, low: str, high: str, lanes: int) -> str:
        """A loop over the chunks of the window, each combined lane by lane with those before; then what is left."""
        wide = ArrayType((lanes,), self.element.dtype)
        first, stop = self._window(emitter, low, high)
        # Where the last whole chunk may begin.
        last = emitter.binary("subtract", stop, emitter.constant(lanes, self.count), self.count)
        state = [first, emitter.constant(self.initial, wide), last, *self.operands]
        types = [self.count, wide, self.count, *self.types]

        def test(names: list[str]) -> list[str]:
            return emitter.typed([emitter.compare(names[0], names[2], "LE", self.count)], [scalar(BOOL)])

        def step(names: list[str]) -> list[str]:
            at, total, end, *operands = names
            total = self._both(emitter, total, self._lanes(emitter, operands, lanes, at), wide)
            after = emitter.binary("add", at, emitter.constant(lanes, self.count), self.count)
            return emitter.typed([after, total, end, *operands], types)

        regions = [emitter.region(types, test), emitter.region(types, step)]
        left, total, *_ = emitter.multi("while", state, types, types, regions)
        # A chunk that ends with the line holds what was combined before, which is left out.
        begin = emitter.binary("minimum", left, emitter.constant(self.length - lanes, self.count), self.count)
        rest = self._within(emitter, self.operands, lanes, begin, left, stop)
        return self._across(emitter, self._both(emitter, total, rest, wide), lanes)

    def _across(self, emitter: Emitter, total: str, lanes: int) -> str:
        """All lanes combined: halves, and halves of halves, which takes few steps one after the other."""
        while lanes > 1:
            half = lanes // 2
            whole, part = (ArrayType((n,), self.element.dtype) for n in (lanes, half))
            first, second = (slice_of(emitter, total, whole, [at], [at + half], [1]) for at in (0, half))
            total, lanes = self._both(emitter, first, second, part), half
        return emitter.reshape(total, ArrayType((1,), self.element.dtype), ())

    def _window(self, emitter: Emitter, low: str, high: str) -> tuple[str, str]:
        """The bounds as positions of the line, which may be fewer bits than int64."""
        least, most = emitter.constant(0, scalar(INT64)), emitter.constant(self.length, scalar(INT64))
        first = emitter.binary("maximum", low, least, scalar(INT64))
        stop = emitter.binary("minimum", high, most, scalar(INT64))
        return (
            emitter.convert(emitter.binary("minimum", first, most, scalar(INT64)), scalar(INT64), self.count.dtype),
            emitter.convert(emitter.binary("maximum", stop, least, scalar(INT64)), scalar(INT64), self.count.dtype),
        )

    def _both(self, emitter: Emitter, x: str, y: str, type: ArrayType) -> str:
        return self.combine.emit(emitter, x, y, type)

    def _within(self, emitter: Emitter, operands: Sequence[str], lanes: int, begin: str, low: str, high: str) -> str:
        """The body at as many positions from `begin` on; what changes nothing where they are not in the window."""
        line, type = ArrayType((lanes,), self.count.dtype), ArrayType((lanes,), self.element.dtype)
        at = self._positions(emitter, lanes, begin)
        mask = emitter.binary(
            "and",
            emitter.compare(at, emitter.broadcast(low, self.count, (lanes,), []), "GE", line),
            emitter.compare(at, emitter.broadcast(high, self.count, (lanes,), []), "LT", line),
            ArrayType((lanes,), BOOL),
        )
        value = self._lanes(emitter, operands, lanes, begin)
        return emitter.select(mask, value, emitter.constant(self.initial, type), type)

    def _positions(self, emitter: Emitter, lanes: int, begin: str) -> str:
        line = ArrayType((lanes,), self.count.dtype)
        return emitter.binary("add", emitter.iota(0, line), emitter.broadcast(begin, self.count, (lanes,), []), line)

    def _lanes(self, emitter: Emitter, operands: Sequence[str], lanes: int, begin: str) -> str:
        """The body at as many positions from `begin` on."""
        lines, others = _operands(operands, self.lines)
        types, _ = _operands(self.types, self.lines)
        line = ArrayType((lanes,), self.count.dtype)
        arguments = [(emitter.convert(self._positions(emitter, lanes, begin), line, INT64), True)]
        for where, x, type in zip(self.lines, lines, types, strict=True):
            arguments.append((self._read(emitter, where, *x, type[0], lanes, begin), True))
        arguments += [(name, False) for name in others]
        values = _emit(emitter, self.body, arguments, lanes)
        if len(values) == 1:
            return values[0]
        return emitter.binary("multiply", values[0], values[1], ArrayType((lanes,), self.element.dtype))

    def _read(
        self, emitter: Emitter, line: Line, array: str, starts: Sequence[str], type: ArrayType, lanes: int, begin: str
    ) -> str:
        places = list(starts)
        places[line.axis] = emitter.binary(
            "add", places[line.axis], emitter.convert(begin, self.count, INT64), scalar(INT64)
        )
        block = ArrayType(tuple(lanes if axis == line.axis else 1 for axis in range(line.rank)), type.dtype)
        types = [type, *[scalar(INT64)] * line.rank]
        part = emitter.op("dynamic_slice", [array, *places], types, block, f"slice_sizes = {ints(block.shape)}")
        return emitter.reshape(part, block, (lanes,))


def _emit(emitter: Emitter, body: Program, arguments: Sequence[Lane], lanes: int) -> list[str]:
    """The body in so many lanes; what is the same in all of them is computed once."""
    env: dict[Var, Lane] = dict(zip(body.inputs, arguments, strict=True))

    def read(atom: Atom, wide: bool) -> str:
        if isinstance(atom, Literal):
            return emitter.constant(atom.value, _typed(atom.type, wide, lanes))
        name, is_wide = env[atom]
        return emitter.broadcast(name, atom.type, (lanes,), []) if wide and not is_wide else name

    for equation in body.equations:
        table = equation.op.name == "lookup"
        wide = any(isinstance(a, Var) and env[a][1] for a in equation.inputs)
        spread = [wide and not (table and i == 0) for i in range(len(equation.inputs))]
        names = [read(a, s) for a, s in zip(equation.inputs, spread, strict=True)]
        types = [_typed(a.type, s, lanes) for a, s in zip(equation.inputs, spread, strict=True)]
        outs = [_typed(v.type, wide, lanes) for v in equation.outputs]
        results = equation.op.lower(emitter, names, types, outs, **equation.params)  # type: ignore[attr-defined]
        env.update((v, (r, wide)) for v, r in zip(equation.outputs, results, strict=True))
    return [read(a, True) for a in body.outputs]


def _typed(type: ArrayType, wide: bool, lanes: int) -> ArrayType:
    return ArrayType((lanes,), type.dtype) if wide else type


fold = _Fold("fold")
