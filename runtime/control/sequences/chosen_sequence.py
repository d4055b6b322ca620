"""The items of a list or tuple that is one of several, where Python's own code goes over them."""

from __future__ import annotations

from anabranch.base.value import Value
from anabranch.runtime.control.columnar import array_lists
from anabranch.runtime.control.columnar.node_reads import NodeItems
from anabranch.runtime.control.staging import unpacking
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.union import UnionValue


def iterated(choice: UnionValue) -> list[Value] | None:
    """The items, where they are the very ones whichever it is; None where each of the alternatives has its own.

    That there are as many as names that they are unpacked to is checked at run time.

    Raises
    ------
    Restart
        Where lists of several lengths could have been such as have a length known only at run time.
    """
    expected = unpacking.targets()
    if not isinstance(choice, Reference):
        if expected is None:
            array_lists.demand_arena(choice.options)
        return None
    items = None if expected is None else NodeItems.of(choice)
    if items is None or expected is None:
        return None
    unpacking.check_length(items.length, expected)
    return [items.at(place) for place in range(expected)]
