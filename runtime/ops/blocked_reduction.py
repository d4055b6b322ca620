"""Reductions of large arrays, in two steps: blocks first, then what these give.

XLA reduces a long axis one element after the other, mostly in one thread, and stores all of an operand first that it
could compute meanwhile. Blocks are of few steps with many elements side by side: XLA computes the operand in the same
loop, LLVM vectorises it, and threads share the blocks.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops.op import scalar, without
from anabranch.runtime.ops.reducers import ADD, MULTIPLY, Reducer
from anabranch.runtime.ops.shape import slice_of
from anabranch.runtime.ops.stablehlo_text import ints
from anabranch.runtime.ops.stablehlo_writer import Emitter

# Smaller arrays are reduced in less time than it takes to start a second loop.
_LARGE = 8 * 1024
# Elements side by side, of an axis that is not followed by others.
_WIDTH = 16
# Of more steps than 32 XLA makes windowed reductions, with which it fuses nothing; LLVM vectorises fewer across rows.
_MOST_STEPS = 32
_STEPS, _STEPS_OF_ROWS = range(32, 15, -1), range(25, 7, -1)


def reduced(emitter: Emitter, x: str, type: ArrayType, axes: Sequence[int], reducer: Reducer, initial: Any) -> str:
    """Emit the reduction of one array, from the reducer's neutral value."""
    axes = sorted(axes)
    first, last = axes[0], axes[-1] + 1
    reduction = _Reduction(emitter, reducer, initial)
    outer, count, inner = map(math.prod, (type.shape[:first], type.shape[first:last], type.shape[last:]))
    large = type.size >= _LARGE and count > _MOST_STEPS and len(axes) == last - first
    if not large or emitter.is_outlined or not _has_any_order(reducer, type):
        return reduction.whole(x, type, axes)
    # Without axes of one element: with them XLA's loop would be one, over the elements of all axes.
    before, after = _longer(outer), _longer(inner)
    flat = ArrayType((*before, count, *after), type.dtype)
    result = reduction.in_blocks(emitter.reshape(x, type, flat.shape), flat, len(before))
    return emitter.reshape(result, _without(flat, len(before)), (*type.shape[:first], *type.shape[last:]))


def _has_any_order(reducer: Reducer, type: ArrayType) -> bool:
    """Return whether elements may be combined in any order: the first complex NaN wins, and products may overflow."""
    return reducer is ADD or type.dtype.kind in "biu" or (type.dtype.kind != "c" and reducer is not MULTIPLY)


class _Reduction:
    """How elements of one dtype are combined, and emits that."""

    def __init__(self, emitter: Emitter, reducer: Reducer, initial: Any) -> None:
        self._emitter, self._reducer, self._initial = emitter, reducer, initial

    def in_blocks(self, x: str, type: ArrayType, axis: int) -> str:
        """Reduce one axis, each of its parts in two steps."""
        emitter, (count, *after) = self._emitter, type.shape[axis:]
        parts = []
        for start, end, steps, width in _blocks(count, 1 if after else _WIDTH):
            starts, ends = [0] * len(type.shape), list(type.shape)
            starts[axis], ends[axis] = start, end
            part = slice_of(emitter, x, type, starts, ends, [1] * len(ends))
            some = ArrayType((*ends[:axis], end - start, *after), type.dtype)
            blocks, side = _longer((end - start) // steps // width), _longer(width)
            split = ArrayType((*ends[:axis], *blocks, steps, *side, *after), type.dtype)
            part = self.whole(emitter.reshape(part, some, split.shape), split, [axis + len(blocks)])
            left = [axis + k for k in range(len(blocks) + len(side))]
            parts.append(self._second_step(part, _without(split, axis + len(blocks)), left) if left else part)
        out = _without(type, axis)
        return functools.reduce(lambda a, b: self._reducer.emit(emitter, a, b, out), parts)

    def _second_step(self, x: str, type: ArrayType, axes: Sequence[int]) -> str:
        """Reduce what blocks give."""
        if axes[-1] == len(type.shape) - 1 or type.shape[axes[0]] > _MOST_STEPS:
            # Without the barrier XLA would make one reduction of the two steps.
            return self.whole(self._emitter.fence(x, type), type, axes)
        # XLA would compute few blocks of rows, and what they give, element by element in one loop.
        (axis,) = axes
        element, sizes = scalar(type.dtype), [size if k == axis else 1 for k, size in enumerate(type.shape)]
        out = ArrayType(tuple(1 if k == axis else size for k, size in enumerate(type.shape)), type.dtype)
        region = self._emitter.region(
            [element] * 2, lambda xy: self._emitter.typed(self._combined(xy, element), [element])
        )
        attributes = f"window_dimensions = {ints(sizes)}, window_strides = {ints(sizes)}"
        inputs, types = [x, self._emitter.constant(self._initial, element)], [type, element]
        (found,) = self._emitter.multi("reduce_window", inputs, types, [out], [region], attributes)
        return self._emitter.reshape(found, out, _without(type, axis).shape)

    def whole(self, x: str, type: ArrayType, axes: Sequence[int]) -> str:
        """Reduce axes as XLA does it."""
        element = scalar(type.dtype)
        start = self._emitter.constant(self._initial, element)
        return self._emitter.reduce([x], [type], [start], axes, lambda xy: self._combined(xy, element))[0]

    def _combined(self, xy: Sequence[str], element: ArrayType) -> list[str]:
        return [self._reducer.emit(self._emitter, xy[0], xy[1], element)]


def _longer(size: int) -> list[int]:
    """An axis of this size, unless it is of one element."""
    return [size] if size > 1 else []


def _without(type: ArrayType, axis: int) -> ArrayType:
    return ArrayType(without(type.shape, [axis]), type.dtype)


def _blocks(count: int, width: int) -> Iterator[tuple[int, int, int, int]]:
    """Parts of an axis: where each starts and ends, the steps of its blocks, and how many elements side by side."""
    possible = _STEPS if width > 1 else _STEPS_OF_ROWS
    steps = next((steps for steps in possible if count % (steps * width) == 0), 2 * possible[-1])
    whole = count - count % (steps * width)
    wide = count - count % width
    if whole:
        yield 0, whole, steps, width
    if wide > whole:
        yield whole, wide, (wide - whole) // width, width
    if count > wide:
        yield wide, count, count - wide, 1
