"""Lists of run-time length as results: the objects that they began with stay the very objects."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.dynamic_lists.items import Items, Past, prefix_objects


class ListWithPrefix(Items):
    """The elements of a list that is a result: first those that are objects from before a loop or a branch."""

    __slots__ = ("head",)

    def __init__(self, items: Items, head: Sequence[object]) -> None:
        super().__init__(items.structure, items.parts)
        self.head = tuple(head)

    def __anabranch_structure__(self) -> Structure:
        return ListWithPrefixStructure(type(self), tuple(range(len(self.head) + 1)))


@frozen
class ListWithPrefixStructure(Structure):
    """The structure of `ListWithPrefix`: the objects, then all elements side by side, those objects among them."""

    @property
    def mutable(self) -> bool:
        return False

    def children(self, value: Value) -> list[Value]:
        return [*value.head, Items(value.structure, value.parts)]

    def build(self, children: Sequence[Value]) -> list[Value]:
        *head, items = children
        return [*head, *items[len(head) :]]


def note_prefix(items: Items, ways: Sequence[tuple[Value, ...] | Items]) -> None:
    """Note which objects a list begins with after branches, where each of them has left the same ones there.

    Parameters
    ----------
    items : Items
        The list's elements after the branches.
    ways : sequence of tuple or Items
        The elements after each branch.
    """
    heads = [prefix_objects(way) for way in ways]
    same = [row[0] for row in itertools.takewhile(_is_one_object, zip(*heads, strict=False))]
    if same and items.past is None:
        items.past = Past(tuple(same), len(same), ())
        current().trace.lists.has_heads = True


def _is_one_object(row: Sequence[object]) -> bool:
    return all(value is row[0] for value in row)


def with_prefixes(lists: Iterable[object]) -> None:
    """Let lists that are given back have the very arrays that were in them before a loop or a branch."""
    for found in lists:
        # A row of a table has no elements of its own.
        if not isinstance(found, Growable) or found.row_binding is not None:
            continue
        if found.items is None or found.items.past is None:
            continue
        head = found.items.past.objects
        if any(isinstance(v, (TracedArray, np.ndarray)) for v in head):
            found.become(ListWithPrefix(found.items, head))  # type: ignore[attr-defined]
