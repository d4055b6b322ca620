"""Dicts and sets of arenas in results: the arena on the host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from anabranch.runtime.values.arena_contents import HostArena, HostColumn
from anabranch.runtime.values.containers import update


class HostTables(HostArena):
    """The dicts or sets of an arena, whose columns are the keys, the values, the chains and their ends."""

    def __init__(self, columns: Sequence[HostColumn], native: Any, extra: tuple[Any, ...] | None) -> None:
        super().__init__(columns)
        self._native, self._extra = native, extra

    def _empty(self) -> Any:
        if self._extra is None:
            return self._native()
        return self._native(getattr(self._extra[0], "native", self._extra[0]))

    def _fill(self, made: Any, number: int, members: Sequence[Any]) -> None:
        for key, value in self._items(number, members):
            if isinstance(made, set):
                made.add(key)
            else:
                update(made, {key: value})

    def _items(self, number: int, members: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        keys, values, links, heads = self._columns
        ((place, *_),) = heads.items(number, 1, members)
        while place >= 0:
            ((_, key),) = keys.items(place, 1, members)
            (value,) = values.items(place, 1, members)
            yield key, value
            ((_, place, _),) = links.items(place, 1, members)


class HostFrozensets(HostTables):
    """The frozensets of an arena, none of which holds itself."""

    def member(self, number: int, members: Sequence[Any]) -> Any:
        if number not in self.known:
            self.known[number] = frozenset([key for key, _ in self._items(number, members)])
        return self.known[number]
