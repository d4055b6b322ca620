"""Aliasing of the arrays that branches return: which memory they are.

What a branch gives is memory of the enclosing code, or new memory, or what conditions within the branch have chosen of
these. The array after the branches is linked with what it may be, where that is so; of conditions within a branch the
branch gives the truth, too. So are two arrays that a branch gives of one new memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from anabranch.base.frozen import frozen
from anabranch.runtime.control.aliasing import branch_identity
from anabranch.runtime.control.aliasing.adopt import adopt, moved
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.passes.load_forwarding import MOST_CHOSEN
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import atoms, visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import aliasing, views
from anabranch.runtime.values.pytrees.pack_unpack import Packed

_ALWAYS, _NEVER = atoms.literal(True), atoms.literal(False)


@frozen
class MayAlias:
    """An array that a branch returns is memory of the enclosing code where `pred` holds; None: it is not known when.

    `is_hidden` says that the branch alone knows the positions of the view that the handle is.
    """

    index: int  # of the array, among what the branch gives
    pred: Atom | None
    handle: TracedArray
    form: aliasing.ElementForm | None
    is_hidden: bool = False

    @property
    def given(self) -> list[Atom]:
        """The condition and the positions that the branch has to return."""
        preds = [] if self.pred is None or isinstance(self.pred, Literal) else [self.pred]
        return [*preds, *(views.positions(self.handle.path) if self.is_hidden else ())]

    def seen_outside(self, given: Iterator[Atom]) -> TracedArray:
        """The handle in the enclosing code, with the positions that the branch has returned."""
        if not self.is_hidden:
            return self.handle
        view = moved(self.handle, given)
        current().trace.identity.ambiguous[id(view)] = view
        return view


@frozen
class AliasedOutputs:
    """An array that a branch returns is another one that it returns where `pred` holds; None: it is not known when."""

    index: int
    other: int
    pred: Atom | None


@dataclasses.dataclass(slots=True)
class BranchAliases:
    """The memory of the arrays that a branch has made or chosen; `objects` says when which array of one memory."""

    outside: list[MayAlias] = dataclasses.field(default_factory=list)
    aliased: list[AliasedOutputs] = dataclasses.field(default_factory=list)
    objects: list[Atom] = dataclasses.field(default_factory=list)

    @property
    def given(self) -> list[Atom]:
        """The conditions and positions that the branch has to return beside its arrays."""
        given = [atom for row in self.outside for atom in row.given]
        preds = (pair.pred for pair in self.aliased)
        return [*given, *(pred for pred in preds if pred is not None and not isinstance(pred, Literal)), *self.objects]

    def follow(
        self,
        outer: Builder,
        arrays: Sequence[TracedArray | None],
        packed: Sequence[Packed],
        chosen: Atom,
        given: Iterator[Atom],
    ) -> None:
        """Link the arrays after the branches as this one has them: it was `chosen`, and its preds come next."""
        known = {row.index for row in self.outside}
        for index, (array, part) in enumerate(zip(arrays, packed, strict=False)):
            if index in known or array is None or part.handle is None:
                continue
            if _is_outer(outer, part.handle.storage):
                adopt(outer, array, chosen, part.handle)
        for row in self.outside:
            array, holds = arrays[row.index], _truth(row.pred, chosen, given)
            handle = row.seen_outside(given)
            if array is not None:
                current().trace.identity.chosen[id(array)] = array
                aliasing.add_edge(array.storage, holds, handle, row.form)
        for pair in self.aliased:
            array, other, holds = arrays[pair.index], arrays[pair.other], _truth(pair.pred, chosen, given)
            one, another = packed[pair.index].handle, packed[pair.other].handle
            if array is not None and other is not None and one is not None and another is not None:
                aliasing.add_edge(array.storage, holds, _aliased_object(one, another, array, other))


def _aliased_object(one: TracedArray, another: TracedArray, array: TracedArray, other: TracedArray) -> TracedArray:
    """Return what `array` is, where one that a branch returns as `array` shares memory with what it returns as `other`.

    That is `other` where these two are one object in the branch, and else a view of it.
    """
    identity = current().trace.identity
    unclear = identity.ambiguous.keys() | identity.either.keys() | identity.stand_ins.keys()
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
    found = BranchAliases()
    for index, part in enumerate(packed):
        if part.handle is not None:
            found.outside += (row for row in _may_alias(outer, index, part.handle) if not _is_never(row.pred))
    found.aliased += (pair for pair in _aliased_outputs(outer, packed) if not _is_never(pair.pred))
    return found


def _is_never(pred: Atom | None) -> bool:
    return isinstance(pred, Literal) and not pred.value


def _may_alias(
    outer: Builder, index: int, handle: TracedArray, pred: Atom | None = _ALWAYS, seen: tuple[Storage, ...] = ()
) -> Iterator[MayAlias]:
    """The memory of the enclosing code that an array of the branch's own may be, and when."""
    if _is_outer(outer, handle.storage):
        if not seen:
            yield from (MayAlias(index, holds, one, None) for holds, one in _objects(outer, handle))
            if _is_hidden(outer, handle):
                yield MayAlias(index, _ALWAYS, handle, None, is_hidden=True)
        return
    if handle.storage in seen:
        return
    for edge in handle.storage.alias_edges:
        both: Atom | None = None
        if pred is not None and edge.pred is not None and (edge.form is None or not handle.path):
            both = atoms.logical_and(pred, edge.pred)
        is_part = edge.form is None and (handle.path or handle.is_view)
        other = edge.handle.viewed(*handle.path) if is_part else edge.handle
        if is_part:
            current().trace.identity.stand_ins[id(other)] = other
        is_hidden = edge.form is None and _is_hidden(outer, other)
        seen_here = is_hidden or (
            visibility.storage_visible(outer, other) and (edge.form is None or edge.form.is_visible(outer))
        )
        if seen_here and both is not None:
            objects = _objects(outer, other) if edge.form is None and not is_hidden else ()
            yield from (MayAlias(index, atoms.logical_and(both, holds), one, None) for holds, one in objects)
            if not objects:
                yield MayAlias(index, both, other, edge.form, is_hidden)
        elif _is_outer(outer, other.storage):
            yield MayAlias(index, None, TracedArray(other.storage), None)
        else:
            further = both if edge.form is None else None
            yield from _may_alias(outer, index, other, further, (*seen, handle.storage))


def _is_hidden(outer: Builder, handle: TracedArray) -> bool:
    """Return whether an array is a view of memory of the enclosing code at a position that only the branch knows."""
    if not _is_outer(outer, handle.storage) or visibility.storage_visible(outer, handle):
        return False
    return all(visibility.atom_visible(current(), position) for position in views.positions(handle.path))


def _objects(outer: Builder, handle: TracedArray) -> Sequence[tuple[Atom, TracedArray]]:
    """Return which of several objects of one memory an array of a branch is, and when, if the branch alone can tell."""
    objects = branch_identity.objects_of(current(), handle)
    if objects is None or len(objects) < 2 or not all(visibility.storage_visible(outer, one) for _, one in objects):
        return ()
    return () if all(visibility.atom_visible(outer, holds) for holds, _ in objects) else objects


def _aliased_outputs(outer: Builder, packed: Sequence[Packed]) -> Iterator[AliasedOutputs]:
    """Arrays that are, or may be, the same memory of the branch's own."""
    met: dict[Storage, list[tuple[int, Atom | None]]] = {}
    for index, part in enumerate(packed):
        if part.handle is None:
            continue
        for storage, pred in _own(outer, part.handle).items():
            others = met.setdefault(storage, [])
            # Any of those that surely are this memory will do, but that one is the same object says more.
            always = [row for row in others if row[1] is _ALWAYS]
            always.sort(key=lambda row: packed[row[0]].handle is not part.handle)
            for other, before in always[:1] or others:
                yield AliasedOutputs(
                    index, other, None if before is None or pred is None else atoms.logical_and(before, pred)
                )
            others.append((index, pred))


def read_others(outer: Builder, arrays: Sequence[TracedArray | None], branches: Sequence[Sequence[Packed]]) -> None:
    """Let arrays that are memory of the enclosing code, whatever branch is taken, be read from there in steps of loops.

    So `passes/load_forwarding.py` finds where their elements come from, however the branches came to choose them.
    After loops an array is more often used as a whole, which a condition copies where a select reads them all.
    """
    in_loop = outer.in_loop
    for array, *parts in zip(arrays, *branches, strict=False):
        if array is None or not all(p.handle is not None and _is_another(outer, p.handle) for p in parts):
            continue
        array.storage.is_another = True
        edges = array.storage.alias_edges
        if not in_loop or not 1 < len(edges) <= MOST_CHOSEN or any(e.pred is None or e.form is not None for e in edges):
            continue
        value = edges[0].handle.atom
        for edge in edges[1:]:
            value = atoms.select(edge.pred, edge.handle.atom, value)
        outer.env[array.storage] = value


def _is_another(outer: Builder, handle: TracedArray) -> bool:
    """Return whether an array is surely memory of the enclosing code."""
    pending, seen = [handle], set[Storage]()
    while pending:
        one = pending.pop()
        if one.storage in seen or _is_outer(outer, one.storage):
            continue
        if one.path or not one.storage.is_another:
            return False
        seen.add(one.storage)
        pending += [edge.handle for edge in one.storage.alias_edges]
    return True


def _own(outer: Builder, handle: TracedArray) -> dict[Storage, Atom | None]:
    """The memory of the branch's own that an array may be, and when; None for a part, or where it is not known."""
    found: dict[Storage, Atom | None] = {handle.storage: None if handle.path else _ALWAYS}
    for storage in reversed(list(aliasing.memory(handle.storage))):
        pred = found.get(storage, _NEVER)
        for edge in storage.alias_edges:
            before, both = found.get(edge.handle.storage, _NEVER), None
            if pred is not None and edge.pred is not None and edge.form is None and not edge.handle.path:
                both = atoms.logical_and(pred, edge.pred)
            found[edge.handle.storage] = None if both is None or before is None else atoms.logical_or(before, both)
    return {storage: pred for storage, pred in found.items() if not _is_outer(outer, storage)}


def _is_outer(outer: Builder, storage: Storage) -> bool:
    return storage in outer.env or outer.outer_has(storage)
