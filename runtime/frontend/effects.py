"""Objects that a traced function has changed, among its arguments and outside."""

from __future__ import annotations

import os
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.grammar import a
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.frontend.bind_arguments import BoundArguments
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.values import containers
from anabranch.runtime.values.hashed import Hashed
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.heap.snapshot import Heap


def refuse_changes(statics: Heap) -> None:
    """Raise an error where the function has changed what a static argument holds."""
    for slot in statics.changes():
        raise UnsupportedOperationError(
            f"the function changes {a(type(slot.target).__name__)} that is, or is part of, a static argument, and the "
            "change would be lost; pass it as an ordinary argument, or return a new one"
        )


def put_back(guards: Guards) -> None:
    """Give what is outside, and holds run-time values that will never be known, what it held before."""
    for slot in guards.heap.changes():
        if containers.has_traced(slot.contents()):
            slot.restore(slot.before)


@frozen
class ObjectChanges:
    """Objects that the function changed: among the arguments (by their places), and outside; and what they hold."""

    written: tuple[int, ...]
    slots: tuple[Slot, ...]
    contents: tuple[Any, ...]

    @staticmethod
    def found(arguments: Heap, guards: Guards, given: BoundArguments) -> ObjectChanges:
        """Look for changes, and put the outside back."""
        places = {id(c): i for i, c in enumerate(given.containers)}
        changes = _of_whole_tables([s for s in arguments.changes() if s.target not in guards.heap], arguments, given)
        for slot in changes:
            if id(slot.target) not in places:
                raise UnsupportedOperationError(
                    f"the function changes {a(type(slot.target).__name__)} that is, or is part of, an argument and "
                    "cannot be written back; return a new one instead"
                )
        slots = guards.heap.changes()
        contents = tuple(map(_contents, (*changes, *slots)))
        guards.heap.restore()
        if any(s.target is vars(os.environ)["_data"] for s in slots):
            os.environ.update(os.environ.copy())  # the process's own environment, too
            raise UnsupportedOperationError(
                "the function changes os.environ, which would happen only while it is traced; change it outside"
            )
        return ObjectChanges(tuple(places[id(s.target)] for s in changes), tuple(slots), contents)


def _of_whole_tables(changes: list[Slot], arguments: Heap, given: BoundArguments) -> list[Slot]:
    """The changes, with those of a table's parts as its own: the caller has none of them."""
    tables = [c for c in given.containers if isinstance(c, Hashed)]
    owners = {id(part): table for table in tables for part in (table, *table.memory_)}
    found = {id(t): arguments.slots[id(t)] for t in (owners.get(id(s.target), s.target) for s in changes)}
    return list(found.values())


def _contents(slot: Slot) -> Any:
    return slot.target.written_() if isinstance(slot.target, Hashed) else slot.contents()
