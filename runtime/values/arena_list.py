"""The base of lists that lie in an arena, and their structure: a list is its number among those of the arena."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.values.arena_object import HostMemberStructure, ObjectStructure, place_beside
from anabranch.runtime.values.attributes import StandIn
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure
from anabranch.runtime.values.pytrees import layout as layouts


class InArena(StandIn):
    """A list that is one of those of an arena; it is the same list wherever the number is the same."""

    __slots__ = ("arena_", "number_")

    def __init__(self, arena: Any, number: Value) -> None:
        self.arena_ = arena
        self.number_ = number

    def __anabranch_sample__(self) -> object:
        return []

    def __anabranch_structure__(self) -> Structure:
        return InArenaStructure(type(self), ("number",), self.arena_)

    @property
    def length_(self) -> Value:
        """How many elements it has: a traced Python int."""
        raise NotImplementedError

    def countable_(self) -> Any:
        """The elements, for a loop that counts over them."""
        raise NotImplementedError

    def contains_(self, value: Value) -> Value:
        """`value in self`."""
        raise NotImplementedError


@frozen
class InArenaStructure(Structure):
    """That of a list in an arena (`extra`): its part is the number."""

    mutable = False
    is_in_arena = True

    def children(self, value: Value) -> list[Value]:
        return [value.number_]

    def build(self, children: Sequence[Value]) -> Value:
        in_arena: Any = self.cls
        return in_arena(self.extra, children[0])

    def hosted(self, members: Mapping[int, int]) -> Structure:
        return HostMemberStructure(InArena, ("number",), place_beside(self.extra, members))


class ArenaContents:
    """All that is in an arena, beside a result that has lists of it."""

    def __init__(self, arena: Any) -> None:
        self.arena = arena

    def __anabranch_structure__(self) -> Structure:
        cells = self.arena.cells.as_items()
        return ArenaContentsStructure(
            type(self), tuple(range(len(cells.structure.layout.children) + 2)), cells.structure
        )


@frozen
class ArenaContentsStructure(Structure):
    """That of `ArenaContents`: where the lists begin, their lengths, and the parts of the cells, side by side."""

    mutable = False
    flat = True

    def children(self, value: Value) -> list[Value]:
        arena = value.arena
        tables = [_memory(items.as_items()) for items in (arena.starts, arena.lengths)]
        return [*tables, *self.extra.children(arena.cells.as_items())]

    def hosted(self, members: Mapping[int, int]) -> Structure:
        return HostArenaStructure(ArenaContents, self.keys, self.extra.hosted(members))


def _memory(items: Any) -> Value:
    return items.parts[-1]


@frozen
class HostArenaStructure(Structure):
    """That of an arena on the host; `extra` is the structure of its cells."""

    mutable = False
    flat = True

    def build(self, children: Sequence[Value]) -> Value:
        return HostArena(self.extra, *children)


class HostArena:
    """The lists of an arena as the caller gets them: each is built once."""

    def __init__(self, structure: ItemsStructure, starts: np.ndarray, lengths: np.ndarray, *cells: Value) -> None:
        self._structure, self._starts, self._lengths = structure, starts, lengths
        self._memory = [np.asarray(part) for part in cells[1:]]
        self._made: dict[int, list[Any]] = {}

    def member(self, number: int, members: Sequence[Any]) -> list[Any]:
        """The list of a number."""
        if number not in self._made:
            made = self._made[number] = list[Any]()
            start, length = int(self._starts[number]), int(self._lengths[number])
            if length:
                rows = [part[start : start + length] for part in self._memory]
                made += self._structure.on_host([np.int64(length), *rows], members)
        return self._made[number]


def in_arena(layout: layouts.Layout) -> list[Structure]:
    """The structures of what lies in arenas in a value, of the items of lists of run-time length, too."""
    match layout:
        case layouts.Node((InArenaStructure() | ObjectStructure()) as structure):
            return [structure]
        case layouts.Node(structure, children):
            return [found for part in (*children, *structure.variants) for found in in_arena(part)]
        case layouts.Union(options):
            return [found for option in options for found in in_arena(option)]
    return []
