"""Sums of products of one vector with the windows of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.ops import op
from anabranch.runtime.ops.op import BOOL, INT64, expect, scalar
from anabranch.runtime.ops.shape import pad_with, slice_of
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

_FLOAT32 = np.dtype(np.float32)
# From so many products on, NumPy's loop of dot products takes less time, the call of the host included.
_MANY = 64 * 1024
# In how many pieces the windows that stick out at an end are summed, each of the elements of v that some of its windows
# meet, and the least number of a piece.
_PIECES, _LEAST_PIECE = 4, 64
# Elements of v that meet their windows in one pass over the sums, of windows within a and of those that stick out.
_TAPS, _FEW_TAPS = 32, 4


class _Correlate(Op):
    """`correlate[mode](a, v)`: sums of products of v with the windows of a, which is no shorter.

    The windows lie within a (`valid`), or stick out so that there are as many as elements of a (`same`) or so that
    each has one element of a at least (`full`). What lies beyond the ends of a takes no part, not even where v is not
    finite. As in NumPy, bool is or-of-ands, and float16 is summed in float32.
    """

    __slots__ = ()
    is_materialized = True

    def type(self, a: ArrayType, v: ArrayType, *, mode: str) -> tuple[ArrayType, ...]:
        expect(len(a.shape) == len(v.shape) == 1 and a.dtype == v.dtype, self.name, f"of {a} and {v}")
        expect(0 < v.size <= a.size, self.name, f"windows of {v} on {a}")
        before, after = _beyond(mode, v.size)
        return (ArrayType((before + a.size + after - v.size + 1,), a.dtype),)

    def evaluate(self, a: np.ndarray, v: np.ndarray, *, mode: Any) -> tuple[np.ndarray, ...]:
        # np.correlate conjugates its second operand.
        conjugate: np.ndarray = np.conjugate(v) if v.dtype.kind == "c" else v
        return (np.correlate(a, conjugate, mode),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter, (a, v), (a_type, v_type), mode = ctx.emitter, ctx.inputs, ctx.in_types, ctx.params["mode"]
        if op.may_call(ctx, _MANY // v_type.size):
            return op.called(ctx, self)
        narrow = a_type.dtype == BOOL or (a_type.dtype.kind in "fV" and a_type.dtype.itemsize < 4)
        dtype = _FLOAT32 if narrow else a_type.dtype
        a, v = emitter.convert(a, a_type, dtype), emitter.convert(v, v_type, dtype)
        sums = _Windows(emitter, a, v, ArrayType(a_type.shape, dtype), ArrayType(v_type.shape, dtype), mode).sums()
        made = ArrayType(ctx.out_types[0].shape, dtype)
        if a_type.dtype == BOOL:
            return [emitter.compare(sums, emitter.constant(0, made), "NE", made)]
        return [emitter.convert(sums, made, a_type.dtype)]

    def bytes_touched(self, equation: Equation) -> int:
        """Those of all windows."""
        return equation.inputs[1].type.size * equation.outputs[0].type.nbytes


def _beyond(mode: str, m: int) -> tuple[int, int]:
    """How many elements the first window, and the last one, sticks out."""
    before = {"valid": 0, "same": m // 2, "full": m - 1}[mode]
    return before, 0 if mode == "valid" else m - 1 - (before if mode == "same" else 0)


def _pieces(first: int, count: int, most: int = _PIECES) -> list[tuple[int, int]]:
    """So many sums from one on in pieces, each by its first one and their number."""
    length = max(-(-count // most), min(count, _LEAST_PIECE), 1)
    return [(first + k, min(length, count - k)) for k in range(0, count, length)]


class _Windows:
    """The emission of one correlation: a pass over the sums adds what some elements of v contribute to each."""

    def __init__(self, emitter: Emitter, a: str, v: str, a_type: ArrayType, v_type: ArrayType, mode: str) -> None:
        self.emitter, self.v, self.v_type = emitter, v, v_type
        self.before, self.after = _beyond(mode, v_type.size)
        self.n, self.m = a_type.size, v_type.size
        self.dtype = a_type.dtype
        self.padded_type = ArrayType((self.before + self.n + self.after,), self.dtype)
        zero = emitter.constant(0, scalar(self.dtype))
        self.padded = pad_with(emitter, a, zero, a_type, self.padded_type, [self.before], [self.after], [0])

    def sums(self) -> str:
        """All sums."""
        inside = self.n - self.m + 1
        bounds = [*_pieces(0, self.before), *_pieces(self.before, inside, 1)]
        bounds += _pieces(self.before + inside, self.after)
        parts = [(self._part(first, count), ArrayType((count,), self.dtype)) for first, count in bounds]
        if len(parts) == 1:
            return parts[0][0]
        made = ArrayType((sum(type.size for _, type in parts),), self.dtype)
        return self.emitter.op("concatenate", [p for p, _ in parts], [t for _, t in parts], made, "dimension = 0 : i64")

    def _part(self, first: int, count: int) -> str:
        """So many sums from one on, of the elements of v that meet an element of a."""
        last, end = first + count - 1, self.before + self.n
        some = max(self.before - last, 0), min(end - first, self.m)
        low, high = (min(max(k, some[0]), some[1]) for k in (self.before - first, end - last))
        made = ArrayType((count,), self.dtype)
        total = self.emitter.constant(0, made)
        # In each window, and in some of them; there a NaN or an infinity of v does not meet the zeros beyond a.
        is_exact = self.dtype.kind not in "fc"
        for begin, stop, is_met in (
            (some[0], low, is_exact),
            (low, high, low <= high),
            (max(low, high), some[1], is_exact),
        ):
            if begin < stop:
                total = self._taps(first, total, made, begin, stop, not is_met)
        return total

    def _taps(self, first: int, total: str, made: ArrayType, begin: int, stop: int, is_masked: bool) -> str:
        """The sums from one on after what some elements of v contribute."""
        emitter, place = self.emitter, scalar(INT64)
        taps = _TAPS if first == self.before else _FEW_TAPS

        def step(tap: str, total: str, padded: str, v: str, width: int) -> str:
            at = emitter.binary("add", tap, emitter.constant(first, place), place)
            near = ArrayType((made.size + width - 1,), self.dtype)
            window = emitter.block(padded, self.padded_type, [at], place, near)
            mask = self._is_there(near, at) if is_masked else None
            factors = ArrayType((width,), self.dtype)
            return self._added(total, made, window, mask, emitter.block(v, self.v_type, [tap], place, factors), width)

        def more(state: list[str]) -> str:
            return emitter.compare(state[0], emitter.constant(stop, place), "LT", place)

        def turn(state: list[str]) -> Sequence[str]:
            tap, total, padded, v = state
            after = emitter.binary("add", tap, emitter.constant(taps, place), place)
            return [after, step(tap, total, padded, v, taps), padded, v]

        head = (stop - begin) % taps
        if head:
            total = step(emitter.constant(begin, place), total, self.padded, self.v, head)
        if head == stop - begin:
            return total
        state = [emitter.constant(begin + head, place), total, self.padded, self.v]
        return emitter.loop(state, [place, made, self.padded_type, self.v_type], more, turn)[1]

    def _added(self, total: str, made: ArrayType, window: str, mask: str | None, factors: str, width: int) -> str:
        """The sums after so many elements of v, which meet the elements of a window that the mask says."""
        emitter, element, one = self.emitter, scalar(self.dtype), ArrayType((1,), self.dtype)
        near, line = (ArrayType((made.size + width - 1,), t) for t in (self.dtype, BOOL))
        for i in range(width):
            factor = emitter.reshape(
                slice_of(emitter, factors, ArrayType((width,), self.dtype), [i], [i + 1], [1]), one, ()
            )
            moved = slice_of(emitter, window, near, [i], [i + made.size], [1])
            term = emitter.binary("multiply", moved, emitter.broadcast(factor, element, made.shape, ()), made)
            if mask is not None:
                there = slice_of(emitter, mask, line, [i], [i + made.size], [1])
                term = emitter.select(there, term, emitter.constant(0, made), made)
            total = emitter.binary("add", total, term, made)
        return total

    def _is_there(self, near: ArrayType, at: str) -> str:
        """Which of the padded elements from `at` on are of a."""
        emitter, places = self.emitter, ArrayType(near.shape, INT64)
        here = emitter.binary(
            "add", emitter.iota(0, places), emitter.broadcast(at, scalar(INT64), near.shape, ()), places
        )
        low = emitter.compare(here, emitter.constant(self.before, places), "GE", places)
        high = emitter.compare(here, emitter.constant(self.before + self.n, places), "LT", places)
        return emitter.binary("and", low, high, ArrayType(near.shape, BOOL))


correlate = _Correlate("correlate")
OPS: tuple[Op, ...] = (correlate,)
