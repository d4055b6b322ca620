"""Moving the elements of an array of run-time size: to the front of an axis, and from there to where a part is."""

from __future__ import annotations

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Var
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.dynamic_shapes.valid_region import Masked, ValidRegion, Window


def taken(value: Atom, axis: int, places: Atom) -> Atom:
    """`np.take(value, places, axis)`, of places that are clamped to the axis, which their axes replace."""
    rank, shape = len(value.type.shape), places.type.shape
    order = (axis, *(i for i in range(rank) if i != axis))
    found = atoms.op("gather", atoms.transpose(value, order), atoms.reshape(places, (*shape, 1)))
    k = len(shape)
    return atoms.transpose(found, [*range(k, k + axis), *range(k), *range(k + axis, k + rank - 1)])


def compacted(value: Atom, axis: int, region: Masked) -> Atom:
    """The elements of a region of an axis, from its front on.

    Behind them stands what stood there: they may be written to the array's own memory, and cost what they are.
    """
    if _are_positions(value):
        return region.positions()
    front = size_arithmetic.window(value.type.shape, axis, 0, region.size)
    return atoms.select(front, taken(value, axis, region.positions()), value)


def compacted_alone(value: Atom, axis: int, region: Masked) -> tuple[Atom, Bound]:
    """The same with anything behind the elements, in memory of its own; and how many they are."""
    positions, size = region.counted_positions()
    if _are_positions(value):
        return positions, size
    front = size_arithmetic.window(value.type.shape, axis, 0, size)
    return atoms.select(front, taken(value, axis, positions), atoms.unspecified(value.type)), size


def _are_positions(value: Atom) -> bool:
    """Return whether the elements of a vector are their own positions."""
    maker = current().maker(value) if isinstance(value, Var) else None
    return (
        maker is not None
        and maker.op is OPS["iota"]
        and value.type == ArrayType(value.type.shape[:1], np.dtype(np.int64))
    )


def extended(value: Atom, axis: int, before: int, after: int) -> Atom:
    """An array with room before and after it along an axis."""

    def padding(count: int) -> list[Atom]:
        shape = (*value.type.shape[:axis], count, *value.type.shape[axis + 1 :])
        return [atoms.unspecified(ArrayType(shape, value.type.dtype))] if count else []

    parts = [*padding(before), value, *padding(after)]
    return value if len(parts) == 1 else atoms.op("concatenate", *parts, axis=axis)


def resized(value: Atom, axis: int, size: int) -> Atom:
    """The first `size` places along an axis, more or fewer than there are."""
    n = value.type.shape[axis]
    if size > n:
        return extended(value, axis, 0, size - n)
    return atoms.cut(value, 0, size, axis)


def _block(value: Atom, axis: int, start: Bound, size: int) -> Atom:
    shape = value.type.shape
    starts = [size_arithmetic.atom_of(start if i == axis else 0) for i in range(len(shape))]
    return atoms.op("dynamic_slice", value, *starts, sizes=(*shape[:axis], size, *shape[axis + 1 :]))


def shifted(value: Atom, axis: int, start: Bound, size: int) -> Atom:
    """`size` places of an axis from `start` on; what lies beyond the end is unspecified."""
    known = size_arithmetic.interval_of(start)
    beyond = max(0, min(known.high, value.type.shape[axis]) + size - value.type.shape[axis])
    return _block(extended(value, axis, 0, beyond), axis, start, size)


def placed(value: Atom, axis: int, extent: ValidRegion | None, size: int) -> Atom:
    """Elements that lie from the front on, put to the positions of an extent on an axis of `size` places."""
    if isinstance(extent, Masked):
        return taken(value, axis, extent.ranks()) if value.type.shape[axis] else resized(value, axis, size)
    if not isinstance(extent, Window) or (isinstance(extent.start, int) and extent.start == 0):
        return resized(value, axis, size)
    # Position p gets what was at p - start: a block of the array with as much room before it as start may be.
    most = min(size_arithmetic.interval_of(extent.start).high, size)
    widened = extended(value, axis, most, max(0, size - value.type.shape[axis]))
    return _block(widened, axis, size_arithmetic.subtract(most, extent.start), size)
