"""Atoms of one type side by side, as rows of one array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values import atoms


def side_by_side(rows: Sequence[Atom], type: ArrayType) -> Atom:
    """Atoms of one type along a new first axis; parts of one whole are taken from it as they lie there."""
    groups = list(runs(rows))
    if len(groups) > 1 and len(wholes := {id(r.whole) for r in rows if isinstance(r, Part)}) == 1:
        parts = [r for r in rows if isinstance(r, Part)]
        if len(parts) == len(rows) and wholes:
            return _picked(parts)
    pieces = [_piece(run, type) for run in groups]
    return pieces[0] if len(pieces) == 1 else atoms.op("concatenate", *pieces, axis=0)


def runs(rows: Sequence[Atom]) -> Iterator[list[Atom]]:
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
