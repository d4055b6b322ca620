"""Memory that may be shared: a name that is one array or another, depending on a run-time condition.

After `y = a if c else b` a write to y reaches a or b, and a write to a may be seen through y. Such a y has a storage
of its own with *links*: (predicate, handle) says that where the predicate holds, y and the handle are the same memory.
A write on either side is carried to the other under the predicate, so values agree with eager execution exactly. Where
y holds the elements in other places (`a` or `a[1:]`), the link knows where each is.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Protocol

from anabranch._frozen import frozen
from anabranch.runtime.errors import AliasError
from anabranch.runtime.ir import Atom
from anabranch.runtime.trace import Builder, Storage
from anabranch.runtime.values import atoms, views

if TYPE_CHECKING:
    from anabranch.runtime.values.array import Array


class Form(Protocol):
    """How an owner holds the elements of a handle, where not in the same places."""

    def held(self, handle: Array) -> Atom:
        """What the owner holds of the handle's memory."""

    def given_back(self, held: Atom, handle: Array) -> Atom:
        """The handle's value where its elements are what the owner holds."""

    def is_visible(self, builder: Builder) -> bool:
        """Whether a builder can see where the elements are."""

    @property
    def starts(self) -> tuple[int | Atom, ...] | None:
        """Where the elements begin on each axis of the handle; None where they do not lie side by side."""


@frozen
class Link:
    """Where `pred` holds, the owner and `handle` are the same memory; `pred` None means it is not known when."""

    pred: Atom | None
    handle: Array
    form: Form | None = None

    def held(self) -> Atom:
        """The owner's value as the handle has it."""
        return self.handle.atom if self.form is None else self.form.held(self.handle)

    def given_back(self, held: Atom) -> Atom:
        """The handle's value as the owner has it."""
        return held if self.form is None else self.form.given_back(held, self.handle)


def link(owner: Storage, pred: Atom | None, handle: Array, form: Form | None = None) -> None:
    """Record that `owner` may be the memory of `handle`."""
    owner.links.append(Link(pred, handle, form))
    if handle.storage.dependents is None:
        handle.storage.dependents = weakref.WeakSet()
    handle.storage.dependents.add(owner)


def memory(storage: Storage) -> set[Storage]:
    """The memory, and all that its contents may be of: an array given more room, or one that a branch has chosen."""
    found, pending = set[Storage](), [storage]
    while pending:
        above = pending.pop()
        if above not in found:
            found.add(above)
            pending += [link.handle.storage for link in above.links]
    return found


def write(builder: Builder, storage: Storage, value: Atom) -> None:
    """Write, and carry the write along every link."""
    builder.write(storage, value)
    if storage.links or storage.dependents:
        _propagate(builder, storage, {id(storage)})


def _propagate(builder: Builder, storage: Storage, done: set[int]) -> None:
    for entry in storage.links:
        target = entry.handle
        if id(target.storage) in done:
            continue
        pred = _known(entry)
        shared = atoms.select(pred, entry.given_back(builder.read(storage)), target.atom)
        whole = views.write(builder.read(target.storage), target.path, shared)
        builder.write(target.storage, whole)
        _propagate(builder, target.storage, done | {id(target.storage)})
    for owner in list(weakref.WeakSet(storage.dependents or ())):
        # What a branch, or a trace of a loop body that was given up, has left behind: nothing leads to it any more.
        ended = owner not in builder.env and not builder.outer_has(owner)
        if ended or id(owner) in done:
            continue
        for entry in owner.links:
            if entry.handle.storage is storage:
                pred = _known(entry)
                builder.write(owner, atoms.select(pred, entry.held(), builder.read(owner)))
        _propagate(builder, owner, done | {id(owner)})


def _known(entry: Link) -> Atom:
    if entry.pred is None:
        raise AliasError(
            "this array may share memory with another one, depending on what happens at run time; "
            "write to a copy (y = y.copy()) or bind the name only once"
        )
    return entry.pred
