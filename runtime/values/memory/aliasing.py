"""Memory that may be shared: a name that is one array or another, depending on a run-time condition.

After `y = a if c else b` a write to y reaches a or b, and a write to a may be seen through y. Such a y has a storage
of its own with *may-alias edges*: (predicate, handle) says that where the predicate holds, y and the handle are the
same memory. A write on either side is carried to the other under the predicate, so values agree with eager execution
exactly. Where y holds the elements in other places (`a` or `a[1:]`), the edge knows where each is.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, KeysView, Sequence
from typing import Protocol

from anabranch.runtime.errors import AliasError, UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import Builder
from anabranch.runtime.tracing.storage import AliasEdge, ElsewhereStorage, Storage
from anabranch.runtime.values import atoms
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.memory.handle import Handle

# Of more parts of a memory that one write may have reached, all of it is read again: in steps of loops, as that takes
# the fewest equations anywhere else.
_MOST_PARTS = 4


class ElementForm(Protocol):
    """How an owner holds the elements of a handle, where not in the same places."""

    def to_owner(self, handle: Handle) -> Atom:
        """The owner's value of the handle's memory."""

    def to_handle(self, value: Atom, handle: Handle) -> Atom:
        """The handle's value where its elements are what the owner holds."""

    def is_visible(self, builder: Builder) -> bool:
        """Return whether a builder can see where the elements are."""

    @property
    def starts(self) -> tuple[int | Atom, ...] | None:
        """Where the elements begin on each axis of the handle; None where they do not lie side by side."""

    @property
    def is_whole(self) -> bool:
        """Return whether the elements are all of the handle's."""


def add_edge(owner: Storage, pred: Atom | None, handle: Handle, form: ElementForm | None = None) -> None:
    """Record that `owner` may be the memory of `handle`."""
    if isinstance(owner, ElsewhereStorage) or isinstance(handle.storage, ElsewhereStorage):
        raise UnsupportedOperationError(
            "an array that is an item of a list of run-time length, a dict or an object is one of several, or a part "
            "of it, depending on a run-time condition; take a copy of it (x.copy())"
        )
    owner.alias_edges.append(AliasEdge(pred, handle, form))
    if handle.storage.dependents is None:
        handle.storage.dependents = weakref.WeakKeyDictionary()
    handle.storage.dependents[owner] = None


def memory(storage: Storage, is_followed: Callable[[Storage], bool] | None = None) -> KeysView[Storage]:
    """The memory, and all that its contents may be of: an array of more capacity, or one that a branch has chosen.

    Where `is_followed` is False of some memory, what that may be of is left out.
    """
    following = _targets if is_followed is None else lambda s: _targets(s) if is_followed(s) else []
    return dict.fromkeys(_ordered([storage], following)).keys()


def connected(builder: Builder, storage: Storage) -> KeysView[Storage]:
    """All memory that a write to this may reach, and it."""
    return dict.fromkeys(_ordered([storage], lambda s: [*_targets(s), *_owners(builder, s)])).keys()


def write(builder: Builder, storage: Storage, path: views.Path, value: Atom) -> None:
    """Write a part of the memory, and carry the write along every edge."""
    builder.write(storage, views.write(builder.read(storage), path, value))
    if storage.alias_edges or storage.dependents:
        _Propagation(builder, storage, path).run()


class _Propagation:
    """A write on its way to all memory that edges lead to, each edge once.

    First up to what the storage may be the memory of, where it is that, then down to all that may be memory of those.
    By then each is what it will be: a storage comes before those that its edges lead to on the way up, and after them
    on the way down. Only the part that was written is read and written again: the work does not grow with the memory.
    """

    def __init__(self, builder: Builder, storage: Storage, path: views.Path) -> None:
        self.builder, self.storage = builder, storage
        # For each storage that may have been written, the condition under which it has.
        self.holds: dict[Storage, Atom] = {storage: atoms.literal(True)}
        # The parts that may have been written; None where these are not a few that are known.
        self.paths: dict[Storage, list[views.Path] | None] = {storage: [path]}

    def run(self) -> None:
        """Write all that shares memory with the storage."""
        above = list(reversed(_ordered([self.storage], _targets)))
        for owner in above:
            for edge in owner.alias_edges:
                self._up(owner, edge)
        reached = _ordered(above, lambda s: _owners(self.builder, s))
        changed = set(reached)
        for owner in _ordered(reached, _targets):
            if owner is self.storage or owner not in changed:
                continue
            for edge in owner.alias_edges:
                if edge.handle.storage in changed:
                    self._down(owner, edge)

    def _up(self, owner: Storage, edge: AliasEdge) -> None:
        """Write what the owner may be the memory of."""
        builder, target = self.builder, edge.handle.storage
        holds = atoms.logical_and(self.holds[owner], _known(edge))
        paths = self.paths[owner]
        if paths is None or edge.form is not None:
            shared = atoms.select(holds, edge.to_handle(builder.read(owner)), edge.handle.atom)
            builder.write(target, views.write(builder.read(target), edge.handle.path, shared))
            self._note(target, edge.handle.path)
        for path in paths or () if edge.form is None else ():
            part = (*edge.handle.path, *path)
            new, old = views.read(builder.read(owner), path), views.read(builder.read(target), part)
            builder.write(target, views.write(builder.read(target), part, atoms.select(holds, new, old)))
            self._note(target, part)
        self.holds[target] = atoms.logical_or(self.holds.get(target, atoms.literal(False)), holds)

    def _down(self, owner: Storage, edge: AliasEdge) -> None:
        """Write what may be the memory of a storage that has been written."""
        builder, known = self.builder, _known(edge)
        written = self.paths.get(edge.handle.storage)
        met = [views.within(path, edge.handle.path) for path in written or ()]
        if edge.form is not None or written is None or None in met:
            builder.write(owner, atoms.select(known, edge.to_owner(), builder.read(owner)))
            self.paths[owner] = None
            return
        for part in {part: None for parts in met for part in parts or ()}:
            new, old = views.read(edge.handle.atom, part), views.read(builder.read(owner), part)
            builder.write(owner, views.write(builder.read(owner), part, atoms.select(known, new, old)))
            self._note(owner, part)

    def _note(self, storage: Storage, part: views.Path) -> None:
        """Note that a part may have been written."""
        before = self.paths.get(storage, [])
        if before is not None and not any(views.same(path, part) for path in before):
            most = _MOST_PARTS if self.builder.in_loop else 1
            self.paths[storage] = [*before, part] if len(before) < most else None


def _targets(storage: Storage) -> list[Storage]:
    return [edge.handle.storage for edge in storage.alias_edges]


def _owners(builder: Builder, storage: Storage) -> list[Storage]:
    # What a branch, or a trace of a loop body that was given up, has left behind: nothing leads to it any more.
    found = list(storage.dependents or ())
    return [owner for owner in found if owner in builder.env or builder.outer_has(owner)]


def _ordered(starts: Iterable[Storage], following: Callable[[Storage], Sequence[Storage]]) -> list[Storage]:
    """All memory that can be reached, each after all that follows it."""
    found: dict[Storage, None] = {}
    seen: set[Storage] = set()
    pending = [(start, False) for start in reversed(list(starts))]
    while pending:
        storage, is_followed = pending.pop()
        if is_followed:
            found[storage] = None
        elif storage not in seen:
            seen.add(storage)
            pending.append((storage, True))
            pending += [(other, False) for other in reversed(following(storage))]
    return list(found)


def _known(edge: AliasEdge) -> Atom:
    if edge.pred is None:
        raise AliasError(
            "this array may share memory with another one, depending on a run-time condition; write to a copy (y = "
            "y.copy()), or assign the name only once"
        )
    return edge.pred
