"""Objects that a traced function has changed, among its arguments and outside."""

from __future__ import annotations

import os
from typing import Any

from anabranch.base.by_identity import IdentityDict, IdentitySet
from anabranch.base.frozen import frozen
from anabranch.base.grammar import a
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.frontend.bind_arguments import BoundArguments
from anabranch.runtime.guards.guards import Guards
from anabranch.runtime.values import containers
from anabranch.runtime.values.heap.slots import Slot, slot_of
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.run_time_container import RunTimeContainer


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
        places = IdentityDict((c, i) for i, c in enumerate(given.containers))
        changed = _of_whole_containers([s for s in arguments.changes() if s.target not in guards.heap], given)
        for one in changed:
            if one not in places:
                raise UnsupportedOperationError(
                    f"the function changes {a(type(one).__name__)} that is, or is part of, an argument and "
                    "cannot be written back; return a new one instead"
                )
        slots = guards.heap.changes()
        contents = (*map(_contents, changed), *[_contents(slot.target, slot) for slot in slots])
        guards.heap.restore()
        if any(s.target is vars(os.environ)["_data"] for s in slots):
            os.environ.update(os.environ.copy())  # the process's own environment, too
            raise UnsupportedOperationError(
                "the function changes os.environ, which would happen only while it is traced; change it outside"
            )
        return ObjectChanges(tuple(places[one] for one in changed), tuple(slots), contents)


def _of_whole_containers(changes: list[Slot], given: BoundArguments) -> list[Any]:
    """The changed containers; for parts of tables and arenas, of which the caller has none, the whole ones."""
    owners: IdentityDict[Any, list[Any]] = IdentityDict()
    for one in given.containers:
        if isinstance(one, RunTimeContainer):
            for part in (one, *one.memory_):
                owners.setdefault(part, []).append(one)
    return list(IdentitySet(t for s in changes for t in owners.get(s.target, [s.target])))


def _contents(target: Any, slot: Slot | None = None) -> Any:
    """The contents of a changed object; what lies in arenas has no slot of its own."""
    if isinstance(target, RunTimeContainer):
        return target.written_()
    slot = slot or slot_of(target)
    assert slot is not None
    return slot.contents()
