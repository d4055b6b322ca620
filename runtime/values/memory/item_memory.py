"""Memory that holds the elements of a list side by side, one along its first axis for each place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.memory.rows import side_by_side


def iota(n: int) -> Atom:
    """The positions of n elements."""
    return atoms.op("iota", shape=(n,), dtype=np.dtype(np.int64), axis=0)


def filled(shape: tuple[int, ...], dtype: atoms.DType, value: object) -> Atom:
    """A line of one value."""
    return atoms.broadcast_to(atoms.literal(value, dtype), shape)


def zeros(shape: tuple[int, ...], dtype: atoms.DType) -> Atom:
    """Zeros."""
    return filled(shape, dtype, 0)


def _starts(buffer: Atom, place: Atom) -> list[Atom]:
    return [place, *[atoms.literal(0, np.int64)] * (len(buffer.type.shape) - 1)]


def row(buffer: Atom, place: Atom) -> Atom:
    """The element at a place."""
    sizes = (1, *buffer.type.shape[1:])
    return atoms.reshape(atoms.op("dynamic_slice", buffer, *_starts(buffer, place), sizes=sizes), sizes[1:])


def updated(buffer: Atom, row: Atom, place: Atom) -> Atom:
    """The memory after a place was written."""
    line = atoms.reshape(row, (1, *buffer.type.shape[1:]))
    return atoms.op("dynamic_update_slice", buffer, line, *_starts(buffer, place))


def block(buffer: Atom, place: Atom, count: int) -> Atom:
    """Return `count` rows of the buffer, from a place on."""
    return atoms.op("dynamic_slice", buffer, *_starts(buffer, place), sizes=(count, *buffer.type.shape[1:]))


def block_updated(buffer: Atom, line: Atom, place: Atom) -> Atom:
    """The memory after what stands at a place and after it was written."""
    return atoms.op("dynamic_update_slice", buffer, line, *_starts(buffer, place))


def gathered(buffer: Atom, places: Atom) -> Atom:
    """The elements at these places."""
    return atoms.op("gather", buffer, atoms.reshape(places, (*places.type.shape, 1)))


def fitted(buffer: Atom, capacity: int) -> Atom:
    """The memory cut, or with room after it."""
    n, *rest = buffer.type.shape
    if capacity <= n:
        return atoms.cut(buffer, 0, capacity)
    if not n:
        return _room((capacity, *rest), buffer.type.dtype)
    return atoms.op("concatenate", buffer, _room((capacity - n, *rest), buffer.type.dtype), axis=0)


def _room(shape: tuple[int, ...], dtype: np.dtype) -> Atom:
    """Memory for elements that there are none of yet."""
    return atoms.unspecified(ArrayType(shape, dtype))


def stacked(rows: Sequence[Atom], type: ArrayType, capacity: int) -> Atom:
    """Rows side by side, with room after them."""
    if not rows:
        return _room((capacity, *type.shape), type.dtype)
    whole = side_by_side(rows, type)
    return fitted(whole, capacity) if len(rows) != capacity else whole
