"""Objects and lists of arenas in results: each is a number, and the arena stands beside the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentitySet
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values.containers import Structure, update
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.run_time_container import RunTimeContainer

# ---- one object or list ----------------------------------------------------------------------------------------------


@frozen
class InArenaStructure(Structure):
    """That of an object, a list, a dict or a set in an arena (`extra`): its part is the number."""

    mutable = False
    is_in_arena = True

    def children(self, value: Value) -> list[Value]:
        return [value.number_]

    def build(self, children: Sequence[Value]) -> Value:
        in_arena: Any = self.cls
        return in_arena(self.extra, children[0])

    @property
    def host_structure(self) -> type[HostMemberStructure]:
        """The class of its structure on the host."""
        return HostMemberStructure

    def hosted(self, members: Mapping[object, int]) -> Structure:
        if self.extra not in members:
            # What is built is neither a result nor printed, but an argument of a host function, or in an exception.
            raise UnsupportedOperationError(
                "a list or an object of which there are as many as run-time values say is handed to a host function or "
                "an exception; give it the numbers"
            )
        return self.host_structure(HostArena, ("number",), members[self.extra])


@frozen
class HostMemberStructure(Structure):
    """That of an object or a list in an arena on the host; `extra` is the place of the arena beside the result."""

    mutable = False
    flat = True
    is_beside = True

    def on_host(self, children: Sequence[Value], members: Sequence[Value]) -> Value:
        return members[self.extra].member(int(children[0]), members)


@frozen
class HostMemberContents(HostMemberStructure):
    """That of the contents of such a list, which is the caller's."""

    def on_host(self, children: Sequence[Value], members: Sequence[Value]) -> Value:
        return members[self.extra].contents(int(children[0]), members)


def in_arenas(layout: layouts.Layout) -> list[InArenaStructure]:
    """The structures of what lies in arenas in a value, of the items of lists of run-time length, too."""
    if isinstance(layout, layouts.Node) and isinstance(layout.structure, InArenaStructure):
        return [layout.structure]
    variants = layout.structure.variants if isinstance(layout, layouts.Node) else ()
    return [found for part in (*layouts.parts(layout), *variants) for found in in_arenas(part)]


def arenas_in(layout: layouts.Layout) -> list[Any]:
    """The arenas whose lists and objects a value has, or these have, in turn."""
    found: IdentitySet[Any] = IdentitySet()
    pending = [s.extra for s in in_arenas(layout)]
    while pending:
        arena = pending.pop()
        if found.admit(arena):
            kinds = [k for part in arena.columns for k in part.as_items().structure.variants]
            pending += [s.extra for kind in kinds for s in in_arenas(kind)]
    return list(found)


class CallersMember:
    """A list, dict or set of the caller's that lies in an arena."""

    def __init__(self, stand_in: Any) -> None:
        self.stand_in = stand_in


# ---- a whole arena ---------------------------------------------------------------------------------------------------


class ArenaContents:
    """All that is in an arena, beside a value that has something of it; `callers` are the caller's own in it."""

    def __init__(self, arena: Any, callers: Sequence[Any]) -> None:
        self.arena, self.callers = arena, callers

    def __anabranch_structure__(self) -> Structure:
        columns = tuple([column.as_items().structure for column in self.arena.columns])
        count = sum(len(c.layout.children) for c in columns) + len(self.callers)
        return ContentsStructure(type(self), tuple(range(count)), (self.arena.on_host, columns))


@frozen
class ContentsStructure(Structure):
    """That of `ArenaContents`: the parts of the columns one after the other; `extra` has the columns' structures.

    What is the caller's stands at the end. Before the structures `extra` has the class of the arena on the host, with
    what it is made of beside the columns.
    """

    mutable = False
    flat = True

    @property
    def variants(self) -> tuple[Value, ...]:
        return tuple([kind for column in self.extra[1] for kind in column.variants])

    def children(self, value: Value) -> list[Value]:
        columns = zip(value.arena.columns, self.extra[1], strict=True)
        parts = [part for column, structure in columns for part in structure.children(column.as_items())]
        return [*parts, *value.callers]

    def hosted(self, members: Mapping[object, int]) -> Structure:
        on_host, columns = self.extra
        return HostContentsStructure(self.cls, self.keys, (on_host, tuple([c.hosted(members) for c in columns])))


@frozen
class HostContentsStructure(Structure):
    """That of an arena on the host."""

    mutable = False
    flat = True

    def build(self, children: Sequence[Value]) -> Value:
        (cls, *more), structures = self.extra
        columns, left = [], list(children)
        for structure in structures:
            width = len(structure.layout.children)
            columns.append(HostColumn(structure, tuple(map(np.asarray, left[1:width]))))  # the first is the length
            del left[:width]
        made = cls(columns, *more)
        made.known = dict(enumerate(left))
        return made


@frozen
class HostColumn:
    """A column of an arena as the caller's process has it."""

    structure: ItemsStructure
    memory: tuple[np.ndarray, ...]

    def items(self, start: int, count: int, members: Sequence[Any]) -> list[Any]:
        """Some of its items."""
        found: list[Any] = self.structure.on_host(
            [count, *(part[start : start + count] for part in self.memory)], members
        )
        return found


class HostArena:
    """The contents of an arena as the caller gets them: each object and each list is built once."""

    def __init__(self, columns: Sequence[HostColumn]) -> None:
        self._columns = columns
        self.known: dict[int, Any] = {}  # by number: what is the caller's, and what has been built

    def member(self, number: int, members: Sequence[Any]) -> Any:
        """The object or list of a number."""
        if number not in self.known:
            made = self.known[number] = self._empty()
            self._fill(made, number, members)
        return self.known[number]

    def contents(self, number: int, members: Sequence[Any]) -> Any:
        """The contents that the object or list of a number has after the call, in a container that is new."""
        made = self._empty()
        self._fill(made, number, members)
        return made

    def _empty(self) -> Any:
        raise NotImplementedError

    def _fill(self, made: Any, number: int, members: Sequence[Any]) -> None:
        raise NotImplementedError


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
        return _ArenaItemsStructure(ArenaItems, ("number",), self.owner.arena_)


@frozen
class _ArenaItemsStructure(InArenaStructure):
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
