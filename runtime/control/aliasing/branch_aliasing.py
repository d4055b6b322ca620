"""Aliasing of the arrays that branches return: which memory they are.

What a branch gives is memory of the enclosing code, or new memory, or what conditions within the branch have chosen of
these. The array after the branches is linked with what it may be, where that is so; of conditions within a branch the
branch gives the truth, too. So are two arrays that a branch gives of one new memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

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
    """The memory of the arrays that a branch has made or chosen.

    Attributes
    ----------
    outer : Builder
        The builder around the branch.
    outside : list of tuple
        Arrays, by their places among what the branch gives, each with memory of the enclosing code that it may be.
    aliased : list of tuple
        Arrays with others that they are where a condition holds; None: it is not known when.
    another : set of int
        Arrays that are surely memory of the enclosing code.
    elements : sequence of Atom
        Truths about elements of lists.
    """

    outer: Builder
    outside: list[tuple[int, Target]] = dataclasses.field(default_factory=list)
    aliased: list[tuple[int, int, Atom | None]] = dataclasses.field(default_factory=list)
    another: set[int] = dataclasses.field(default_factory=set)
    elements: Sequence[Atom] = ()

    @property
    def given(self) -> list[Atom]:
        """The conditions and positions that the branch has to return beside its arrays."""
        found: list[Atom | None] = []
        for _, target in self.outside:
            found += [target.pred, *(views.positions(target.handle.path) if self._is_hidden(target.handle) else ())]
        found += [pred for *_, pred in self.aliased]
        return [*(atom for atom in found if atom is not None and not isinstance(atom, Literal)), *self.elements]

    def _is_hidden(self, handle: TracedArray) -> bool:
        """Return whether the branch alone knows the positions of a view."""
        return not visibility.storage_visible(self.outer, handle)

    def follow(
        self, arrays: Sequence[TracedArray | None], packed: Sequence[Packed], chosen: Atom, given: Iterator[Atom]
    ) -> None:
        """Link the arrays after the branches as this one has them: it was `chosen`, and its preds come next."""
        for index, target in self.outside:
            array, holds, handle = arrays[index], _truth(target.pred, chosen, given), target.handle
            if self._is_hidden(handle):
                handle = moved(handle, given)
                current().trace.identity.ambiguous[id(handle)] = handle
            if array is not None:
                link(array, holds, handle, target.form)
        for index, place, pred in self.aliased:
            array, other, holds = arrays[index], arrays[place], _truth(pred, chosen, given)
            one, another = packed[index].handle, packed[place].handle
            if array is not None and other is not None and one is not None and another is not None:
                aliasing.add_edge(array.storage, holds, _aliased_object(one, another, array, other))


def _aliased_object(one: TracedArray, another: TracedArray, array: TracedArray, other: TracedArray) -> TracedArray:
    """Return what `array` is, where one that a branch returns as `array` shares memory with what it returns as `other`.

    That is `other` where these two are one object in the branch, and else a view of it.
    """
    identity = current().trace.identity
    unclear = identity.ambiguous.keys() | identity.stand_ins.keys()
    if one is another or not ({id(one), id(another)} & unclear or _is_of_views(one) or _is_of_views(another)):
        identity.chosen[id(array)] = array
        return other
    view = TracedArray(other.storage)
    view.is_view = True
    if one.storage is not another.storage or {id(one), id(another)} & unclear:
        identity.ambiguous[id(view)] = view
        identity.chosen[id(array)] = array
    return view


def _is_of_views(array: TracedArray) -> bool:
    """Return whether an array is, or may be, another object than the one that its memory was made for."""
    edges = (edge for storage in aliasing.memory(array.storage) for edge in storage.alias_edges)
    return any(one.path or one.is_view for one in (array, *(edge.handle for edge in edges)))


def _truth(pred: Atom | None, chosen: Atom, given: Iterator[Atom]) -> Atom | None:
    """The condition on which an edge of a branch holds: always, or where the branch says."""
    if pred is None or isinstance(pred, Literal):
        return None if pred is None else chosen
    return next(given)


def aliases_of(outer: Builder, packed: Sequence[Packed]) -> BranchAliases:
    """Find what memory the arrays of a branch are; in the branch's builder."""
    found = BranchAliases(outer)
    met: dict[Storage, list[tuple[int, Atom | None]]] = {}  # the branch's own, with the arrays that are it
    for index, part in enumerate(packed):
        inside: dict[Storage, Atom | None] = {}
        is_another = part.handle is not None
        for target in () if part.handle is None else points_to(part.handle, lambda s: _is_outer(outer, s)):
            storage, path = target.handle.storage, target.handle.path
            if _is_outer(outer, storage):
                found.outside.append((index, _seen_outside(outer, target)))
            else:
                inside[storage] = None if path else either(inside.get(storage, NEVER), target.pred)
                is_another &= storage.is_another and not path
        if is_another:
            found.another.add(index)
        for storage, pred in inside.items():
            others = met.setdefault(storage, [])
            # Any of those that surely are this memory will do, but that one is the same object says more.
            always = [row for row in others if row[1] is ALWAYS]
            always.sort(key=lambda row: packed[row[0]].handle is not part.handle)
            found.aliased += ((index, other, both(before, pred)) for other, before in always[:1] or others)
            others.append((index, pred))
    found.aliased = [row for row in found.aliased if not is_never(row[-1])]
    return found


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
