"""The base of lists that lie in an arena: a list is its number among those of the arena."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.values.arena_contents import (
    HostArena,
    HostMemberContents,
    HostMemberStructure,
    InArenaStructure,
)
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.run_time_container import RunTimeContainer


class InArena(RunTimeContainer):
    """A list that is one of those of an arena; it is the same list wherever the number is the same."""

    __slots__ = ("arena_", "number_")
    native = list

    def __init__(self, arena: Any, number: Value) -> None:
        self.arena_ = arena
        self.number_ = number

    def __anabranch_structure__(self) -> Structure:
        return InArenaStructure(type(self), ("number",), self.arena_)

    def grown_(self) -> Any:
        """A list of its own with the same elements, which is in no arena."""
        raise NotImplementedError

    def copied_(self) -> InArena:
        """A new list with the same elements in the arena."""
        made: InArena = self.arena_.holding(self.grown_())
        return made


class ArenaItems:
    """The contents of a list of the caller's that lies in an arena, as they are after the call."""

    def __init__(self, owner: RunTimeContainer) -> None:
        self.owner = owner

    def __anabranch_structure__(self) -> Structure:
        return ArenaItemsStructure(ArenaItems, ("number",), self.owner.arena_)


@frozen
class ArenaItemsStructure(InArenaStructure):
    """That of such contents."""

    @property
    def host_structure(self) -> type[HostMemberStructure]:
        return HostMemberContents

    def children(self, value: Value) -> list[Value]:
        return [value.owner.number_]


class HostLists(HostArena):
    """The lists of an arena, whose columns are the elements, and where each list begins, and its length."""

    def _empty(self) -> list[Any]:
        return []

    def _fill(self, made: list[Any], number: int, members: Sequence[Any]) -> None:
        cells, *places = self._columns
        start, length = [column.items(number, 1, members)[0] for column in places]
        if length:
            made += cells.items(start, length, members)
