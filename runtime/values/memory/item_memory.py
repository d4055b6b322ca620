"""Memory that holds the elements of a list side by side, one along its first axis for each place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values import atoms


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


def shifted(buffer: Atom, low: Atom, high: Atom, by: int) -> Atom:
    """The memory with what stands one place further on (1) or before (-1) at the places from one up to another.

    There is such a place for each of them.
    """
    n, shape = buffer.type.shape[0], buffer.type.shape
    if n < 2:
        return buffer
    first = int(by > 0)
    piece = atoms.cut(buffer, first, n - 1 + first)
    moved = block_updated(_room(shape, buffer.type.dtype), piece, atoms.literal(1 - first, np.int64))
    return atoms.select(atoms.op("window", low, high, shape=shape, axis=0), moved, buffer)


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


def side_by_side(rows: Sequence[Atom], type: ArrayType) -> Atom:
    """Atoms of one type along a new first axis; parts of one whole are taken from it as they lie there."""
    groups = list(_runs(rows))
    if len(groups) > 1 and len(wholes := {r.whole for r in rows if isinstance(r, Part)}) == 1:
        parts = [r for r in rows if isinstance(r, Part)]
        if len(parts) == len(rows) and wholes:
            return _picked(parts)
    pieces = [_piece(run, type) for run in groups]
    return pieces[0] if len(pieces) == 1 else atoms.op("concatenate", *pieces, axis=0)


def _runs(rows: Sequence[Atom]) -> Iterator[list[Atom]]:
    """Atoms in groups: parts of one whole that follow one another, constants, single ones."""
    run: list[Atom] = []
    for row in rows:
        last = run[-1] if run else None
        follows = isinstance(last, Part) and isinstance(row, Part) and last.whole is row.whole
        if run and not (
            (follows and row.place == last.place + 1)  # type: ignore[union-attr]
            or (isinstance(last, Literal) and isinstance(row, Literal))
        ):
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def _flat(part: Part) -> Atom:
    """The whole that a part is of, with all parts along one axis."""
    shape, own = part.whole.type.shape, part.type.shape
    count = int(np.prod(shape[: len(shape) - len(own)], dtype=np.int64))
    return atoms.reshape(part.whole, (count, *own))


def _piece(run: Sequence[Atom], type: ArrayType) -> Atom:
    first = run[0]
    if isinstance(first, Part):
        return atoms.cut(_flat(first), first.place, first.place + len(run))
    if isinstance(first, Literal):
        return atoms.literal(np.stack([r.value for r in run if isinstance(r, Literal)]), type.dtype)
    return atoms.reshape(first, (1, *type.shape))


def _picked(parts: Sequence[Part]) -> Atom:
    places = atoms.literal([[p.place] for p in parts], np.int64)
    return atoms.op("gather", _flat(parts[0]), places)
