"""Lists, dicts and objects that a name stands for before, inside and after a loop.

A name that is bound to a new container in each step (`p = Point(...)`) is carried by the container's parts: its
container is *unboxed*. That is right as long as nothing is written into it in place, and no step hands it on; where the
body does, the container from before the loop and the new ones are a choice instead. After a loop that may not have run
a step the name stands for the container from before it or the new one.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from anabranch.base.by_identity import IdentitySet, reached
from anabranch.base.value import Value
from anabranch.runtime.control.aliasing import split_containers
from anabranch.runtime.errors import AliasError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms
from anabranch.runtime.values.containers import structure_of
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.pytrees import layout as layouts, pack_unpack
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.union import UnionValue


class Entries:
    """The new containers that a body sees at the start of a step, and whether it changes or hands them on."""

    def __init__(self, containers: Sequence[object]) -> None:
        self._containers = IdentitySet(containers)
        self._heap = Heap(())
        self._heap.extend(containers)

    @property
    def changed(self) -> bool:
        """Return whether the body wrote into one of them."""
        return bool(self._heap.changes())

    def are_in(self, value: object) -> bool:
        """Return whether a value is, may be or holds one of them."""
        return any(held in self._containers for held in reached([value], _held_by))


def _held_by(value: object) -> Sequence[Value]:
    if isinstance(value, UnionValue):
        return value.options
    structure = structure_of(value)
    return () if structure is None or structure.flat else structure.children(value)


def shared(values: Sequence[object]) -> bool:
    """Return whether one new container is, or may be, in two places of what a step returns."""
    seen: set[Hashable] = set()

    def twice(value: object) -> bool:
        if isinstance(value, Reference):
            return False  # it is a number
        if isinstance(value, UnionValue):
            # One option excludes the other, so each is looked at on what was seen before.
            before, found = set(seen), False
            for option in value.options:
                inside = set(before)
                seen.clear()
                seen.update(inside)
                found = twice(option) or found
                before |= seen
            seen.update(before)
            return found
        described = structure_of(value)
        if described is None:
            return False
        if described.mutable:
            one = split_containers.group_of(value)
            if one in seen:
                return True
            seen.add(one)
        return any(twice(c) for c in described.children(value))

    return any(twice(v) for v in values)


def refusal(what: str) -> AliasError:
    """The error for a container that two names share after a step, and that the body writes into."""
    return AliasError(
        f"the body of {what} changes a list, dict or object in place that two names or items may share after a step; "
        "make a copy where it gets its second name"
    )


def old_if_no_step_ran(
    value: object, before: object, layout: layouts.Layout, count: Atom, unread: bool = False
) -> Value:
    """The value in a place after a loop: the one from before it, where no step ran."""
    if unread or (isinstance(layout, layouts.Leaf) and not _is_of(before, layout)):
        return _unless_none_ran(value, before, count)
    if not isinstance(layout, layouts.Node) or isinstance(before, UnionValue):
        return value
    structure = layout.structure
    if structure.mutable:
        return _unless_none_ran(value, before, count)
    if structure.flat:
        return value
    rows = zip(structure.children(value), structure.children(before), layout.children, strict=True)
    return current().trace.identity.merge(structure.build([old_if_no_step_ran(v, b, t, count) for v, b, t in rows]))


def _is_of(value: object, layout: layouts.Layout) -> bool:
    """Return whether a number or array is of the layout's type."""
    return layouts.numeric(layouts.outline(value)) == layouts.numeric(layout)


def _unless_none_ran(value: object, before: object, count: Atom) -> Value:
    none = atoms.ufunc(np.equal, count, atoms.literal(0, np.int64))
    return pack_unpack.either(none, before, value)
