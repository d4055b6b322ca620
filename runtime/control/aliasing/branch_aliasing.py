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
from anabranch.runtime.tracing import upper_layers
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
    own: list[dict[Storage, Atom | None]] = []
    for index, part in enumerate(packed):
        rows, inside = ([], {}) if part.handle is None else _memory_of(outer, index, part.handle)
        found.outside += (row for row in rows if not _is_never(row.pred))
        own.append(inside)
    found.aliased += (pair for pair in _aliased_outputs(packed, own) if not _is_never(pair.pred))
    return found


def _is_never(pred: Atom | None) -> bool:
    return isinstance(pred, Literal) and not pred.value


def _memory_of(outer: Builder, index: int, handle: TracedArray) -> tuple[list[MayAlias], dict[Storage, Atom | None]]:
    """The memory that an array of a branch may be, and when: that of the enclosing code, and the branch's own.

    Each memory is looked at once, however many ways lead there. None: a part of it, or it is not known when.
    """
    if _is_outer(outer, handle.storage):
        rows = [MayAlias(index, holds, one, None) for holds, one in _objects(outer, handle)]
        return rows + [MayAlias(index, _ALWAYS, handle, None, True)] * _is_hidden(outer, handle), {}
    rows = []
    # For each memory the parts of it, by the path and by whether it is a view, with when it is that.
    parts: dict[Storage, dict[tuple[views.Path, bool], Atom | None]] = {}
    parts[handle.storage] = {(handle.path, handle.is_view): _ALWAYS}
    own: dict[Storage, Atom | None] = {}
    for storage in reversed(list(aliasing.memory(handle.storage, lambda s: not _is_outer(outer, s)))):
        for (path, is_view), pred in parts.get(storage, {}).items():
            own[storage] = None if path else _either(own.get(storage, _NEVER), pred)
            for edge in storage.alias_edges:
                other = _along(edge, path, is_view)
                both: Atom | None = None
                if pred is not None and edge.pred is not None and (edge.form is None or not path):
                    both = atoms.logical_and(pred, edge.pred)
                if _is_outer(outer, other.storage):
                    rows += _outside(outer, index, edge, other, both)
                else:
                    known, part = parts.setdefault(other.storage, {}), (other.path, other.is_view)
                    known[part] = None if edge.form is not None else _either(known.get(part, _NEVER), both)
    return rows, own


def _either(one: Atom | None, other: Atom | None) -> Atom | None:
    return None if one is None or other is None else atoms.logical_or(one, other)


def _along(edge: upper_layers.MayAlias, path: views.Path, is_view: bool) -> TracedArray:
    """The part of an edge's handle that a part of its owner is."""
    handle: TracedArray = edge.handle
    if edge.form is not None or not (path or is_view):
        return handle
    other = handle.viewed(*path)
    current().trace.identity.stand_ins[id(other)] = other
    return other


def _outside(
    outer: Builder, index: int, edge: upper_layers.MayAlias, other: TracedArray, pred: Atom | None
) -> Iterator[MayAlias]:
    """The memory of the enclosing code that an edge leads to."""
    is_hidden = edge.form is None and _is_hidden(outer, other)
    is_seen = visibility.storage_visible(outer, other) and (edge.form is None or edge.form.is_visible(outer))
    if pred is None or not (is_hidden or is_seen):
        yield MayAlias(index, None, TracedArray(other.storage), None)
        return
    objects = _objects(outer, other) if edge.form is None and not is_hidden else ()
    yield from (MayAlias(index, atoms.logical_and(pred, holds), one, None) for holds, one in objects)
    if not objects:
        yield MayAlias(index, pred, other, edge.form, is_hidden)


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


def _aliased_outputs(packed: Sequence[Packed], own: Sequence[dict[Storage, Atom | None]]) -> Iterator[AliasedOutputs]:
    """Arrays that are, or may be, the same memory of the branch's own; `own` has that of each, and when it is that."""
    met: dict[Storage, list[tuple[int, Atom | None]]] = {}
    for index, (part, inside) in enumerate(zip(packed, own, strict=True)):
        for storage, pred in inside.items():
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


def _is_outer(outer: Builder, storage: Storage) -> bool:
    return storage in outer.env or outer.outer_has(storage)
