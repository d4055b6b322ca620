"""Aliasing of the arrays that branches return: which memory they are.

What a branch gives is memory of the enclosing code, or new memory, or what conditions within the branch have chosen of
these. The array after the branches is linked with what it may be, where that is so; of conditions within a branch the
branch gives the truth, too. So are two arrays that a branch gives of one new memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from anabranch.base.by_identity import IdentityDict
from anabranch.runtime.control.aliasing.points_to import (
    ALWAYS,
    NEVER,
    Target,
    both,
    either,
    is_never,
    link,
    moved,
    points_to,
    select_last,
)
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.passes.load_forwarding import MOST_CHOSEN
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import aliasing, views
from anabranch.runtime.values.pytrees.pack_unpack import Packed


@dataclasses.dataclass(slots=True)
class BranchAliases:
    """The memory of the arrays that a branch has made or chosen."""

    outer: Builder  # the builder around the branch
    # Arrays, by their places among what the branch gives, each with memory of the enclosing code that it may be.
    outside: list[tuple[int, Target]] = dataclasses.field(default_factory=list)
    # Arrays with others that they share memory with where a condition holds (None: it is not known when), and whether
    # they are these, or views of them.
    aliased: list[tuple[int, int, Atom | None, bool]] = dataclasses.field(default_factory=list)
    another: set[int] = dataclasses.field(default_factory=set)  # arrays that are surely memory of the enclosing code
    # Arrays of which the edges do not tell which object they are.
    unclear: set[int] = dataclasses.field(default_factory=set)
    objects: Sequence[Atom] = ()  # the numbers of the objects that those are which are unclear in some branch
    elements: Sequence[Atom] = ()  # truths about elements of lists

    @property
    def given(self) -> list[Atom]:
        """The conditions and positions that the branch has to return beside its arrays."""
        found: list[Atom] = []
        for _, target in self.outside:
            found += _unsettled(target.pred)
            found += views.positions(target.handle.path) if self.is_hidden(target.handle) else ()
        return [*found, *(atom for _, _, pred, _ in self.aliased for atom in _unsettled(pred)), *self.elements]

    def is_hidden(self, handle: TracedArray) -> bool:
        """Return whether the branch alone knows the positions of a view."""
        return not visibility.storage_visible(self.outer, handle)

    def follow(self, arrays: Sequence[TracedArray | None], chosen: Atom, given: Iterator[Atom]) -> None:
        """Link the arrays after the branches as this one has them: it was `chosen`, and its preds come next."""
        for index, target in self.outside:
            array, holds, handle = arrays[index], _truth(target.pred, chosen, given), target.handle
            if self.is_hidden(handle):
                handle = moved(handle, given)
            if array is not None:
                link(array, holds, handle, target.form)
        for index, place, pred, is_view in self.aliased:
            array, other, holds = arrays[index], arrays[place], _truth(pred, chosen, given)
            if array is other:
                continue
            if array is not None and other is not None and is_view:
                aliasing.add_edge(array.storage, holds, other.viewed())
            elif array is not None and other is not None:
                link(array, holds, other)


def _unsettled(pred: Atom | None) -> Sequence[Atom]:
    """The condition where the branch has to return it: where it is known, and not known while tracing."""
    return () if pred is None or isinstance(pred, Literal) else (pred,)


def _truth(pred: Atom | None, chosen: Atom, given: Iterator[Atom]) -> Atom | None:
    """The condition on which an edge of a branch holds: always, or where the branch says."""
    if _unsettled(pred):
        return next(given)
    return None if pred is None else chosen


def aliases_of(outer: Builder, packed: Sequence[Packed]) -> BranchAliases:
    """Find what memory the arrays of a branch are; in the branch's builder."""
    found = BranchAliases(outer)
    # The branch's own, with the arrays that are it, when, and whether as the object that it was made for.
    met: dict[Storage, list[tuple[int, Atom | None, bool]]] = {}
    for index, array in ((index, part.handle) for index, part in enumerate(packed) if part.handle is not None):
        inside: dict[Storage, tuple[Atom | None, bool]] = {}
        is_another = True
        for target in points_to(array, lambda s: _is_outer(outer, s)):
            handle, storage, is_clear = target.handle, target.handle.storage, target.is_object
            if _is_outer(outer, storage):
                seen = _seen_outside(outer, target)
                found.outside.append((index, seen))
                is_clear = is_clear and not found.is_hidden(seen.handle)
            else:
                pred, is_plain = inside.get(storage, (NEVER, True))
                is_plain = is_plain and not (handle.path or handle.is_view)
                inside[storage] = None if handle.path else either(pred, target.pred), is_plain
                is_another = is_another and storage.is_another and not handle.path
            if not is_clear:
                found.unclear.add(index)
        if is_another:
            found.another.add(index)
        for storage, (pred, is_plain) in inside.items():
            others = met.setdefault(storage, [])
            # Any of those that surely are this memory will do, but that one is the same object says more.
            always = [row for row in others if row[1] is ALWAYS]
            always.sort(key=lambda row: packed[row[0]].handle is not array)
            for place, before, was_plain in always[:1] or others:
                other = packed[place].handle
                is_view = array is not other and not (is_plain and was_plain)
                if is_view and other is not None and array.storage is not other.storage:
                    found.unclear |= {index, place}
                found.aliased.append((index, place, both(before, pred), is_view))
            others.append((index, pred, is_plain))
    found.aliased = [row for row in found.aliased if not is_never(row[2])]
    return found


def same_arrays(branches: Sequence[Sequence[Packed]]) -> dict[int, int]:
    """The arrays that are an earlier one in each branch that gives them at all, by the places of both."""
    found: dict[int, int] = {}
    for branch in branches:
        first: IdentityDict[TracedArray, int] = IdentityDict()
        for place, part in enumerate(branch):
            if part.handle is not None and first.setdefault(part.handle, place) != place:
                found[place] = first[part.handle]
    return {place: other for place, other in found.items() if all(_are_one(b[place], b[other]) for b in branches)}


def _are_one(part: Packed, other: Packed) -> bool:
    if not (part.is_specified or other.is_specified):
        return part.atom.type == other.atom.type
    return part.handle is not None and part.handle is other.handle and part.atom.type == other.atom.type


def all_unclear(branches: Sequence[BranchAliases]) -> list[int]:
    """The arrays of which it is unclear in some branch which object they are, with those that may be these objects."""
    found = {index for branch in branches for index in branch.unclear}
    pairs = [{index, place} for branch in branches for index, place, *_ in branch.aliased]
    while more := {k for pair in pairs if pair & found for k in pair} - found:
        found |= more
    return sorted(found)


def _seen_outside(outer: Builder, target: Target) -> Target:
    """Memory of the enclosing code that an array may be, as the enclosing code sees it, or the branch can tell it."""
    handle, form = target.handle, target.form
    is_seen = visibility.storage_visible(outer, handle) and (form is None or form.is_visible(outer))
    is_told = form is None and all(visibility.atom_visible(current(), atom) for atom in views.positions(handle.path))
    return target if target.pred is not None and (is_seen or is_told) else Target(TracedArray(handle.storage), None)


def read_others(outer: Builder, arrays: Sequence[TracedArray | None], branches: Sequence[BranchAliases]) -> None:
    """Let arrays that are memory of the enclosing code, whatever branch is taken, be read from there in steps of loops.

    So `passes/load_forwarding.py` finds where their elements come from, however the branches came to choose them. After
    loops an array is more often used as a whole, which a condition copies where a select reads them all: there those
    alone are read so that are one part of one memory.
    """
    for index, array in enumerate(arrays):
        if array is None or not all(index in branch.another for branch in branches):
            continue
        array.storage.is_another = True
        edges = array.storage.alias_edges
        rows = [(e.pred, e.handle) for e in edges if e.pred is not None and e.form is None]
        if not 1 < len(edges) <= MOST_CHOSEN or len(rows) < len(edges):
            continue
        is_one = all(_is_one_part(rows[0][1], handle) for _, handle in rows)
        if is_one or outer.in_loop:
            rows = rows[:1] if is_one else rows
            outer.env[array.storage] = select_last((pred, handle.atom) for pred, handle in rows)


def _is_one_part(one: TracedArray, other: TracedArray) -> bool:
    return one.storage is other.storage and views.same(one.path, other.path)


def _is_outer(outer: Builder, storage: Storage) -> bool:
    return storage in outer.env or outer.outer_has(storage)
