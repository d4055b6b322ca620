"""Objects that lie in an arena: each is its number among those of its class.

What stands for such an object is an instance of a class that is made of the user's: it has the same methods, and its
attributes are read from columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure


class ObjectInArena:
    """The base of the classes whose instances stand for objects of an arena."""

    __slots__ = ()
    arena_: Any
    original_: type
    own_: Any  # returns the `__dict__` that an instance has


def number_of(value: Value) -> Value:
    """The number of an object in its arena."""
    return _own(value)["number_"]


def of_number(cls: Any, number: Value) -> Any:
    """The stand-in for the object of a number."""
    made = object.__new__(cls)
    current().trace.identity.note_created(made)
    _own(made)["number_"] = number
    return made


def are_same(a: Value, b: Value) -> Value:
    """`a is b`, of objects in arenas."""
    return type(a).arena_ is type(b).arena_ and number_of(a) == number_of(b)


def _own(value: Any) -> dict[str, Any]:
    held: dict[str, Any] = type(value).own_(value)  # the class shows no `__dict__` to the user's code
    return held


@frozen
class ObjectStructure(Structure):
    """That of an object in an arena: its part is the number. `extra` is the arena."""

    mutable = False
    is_in_arena = True

    def children(self, value: Value) -> list[Value]:
        return [number_of(value)]

    def build(self, children: Sequence[Value]) -> Value:
        return of_number(self.cls, children[0])

    def hosted(self, members: Mapping[int, int]) -> Structure:
        return HostMemberStructure(ObjectInArena, ("number",), place_beside(self.extra, members))


def place_beside(arena: object, members: Mapping[int, int]) -> int:
    """The place of an arena among what stands beside a result.

    Raises
    ------
    UnsupportedOperationError
        Where there is no such: what is built is no result, but printed, or an argument of a host function.
    """
    if id(arena) not in members:
        raise UnsupportedOperationError(
            "a list or an object of which there are as many as run-time values say is printed, or handed to a host "
            "function; do so with its numbers"
        )
    return members[id(arena)]


@frozen
class HostMemberStructure(Structure):
    """That of an object or a list in an arena on the host; `extra` is the place of the arena beside the result."""

    mutable = False
    flat = True
    is_beside = True

    def on_host(self, children: Sequence[Value], members: Sequence[Value]) -> Value:
        return members[self.extra].member(int(children[0]), members)


class ObjectContents:
    """All that is in an arena of objects, beside a result that has some of them."""

    def __init__(self, arena: Any) -> None:
        self.arena = arena

    def __anabranch_structure__(self) -> Structure:
        columns = [column.as_items().structure for column in self.arena.columns.values()]
        widths = [len(c.layout.children) for c in columns]
        return ObjectContentsStructure(
            type(self), tuple(range(sum(widths))), (self.arena.original, tuple(self.arena.columns), tuple(columns))
        )


@frozen
class ObjectContentsStructure(Structure):
    """That of `ObjectContents`: the parts of the columns one after the other."""

    mutable = False
    flat = True

    def children(self, value: Value) -> list[Value]:
        found: list[Value] = []
        for column, structure in zip(value.arena.columns.values(), self.extra[2], strict=True):
            found += structure.children(column.as_items())
        return found

    def hosted(self, members: Mapping[int, int]) -> Structure:
        original, names, columns = self.extra
        return HostObjectsStructure(
            ObjectContents, self.keys, (original, names, tuple(c.hosted(members) for c in columns))
        )


@frozen
class HostObjectsStructure(Structure):
    """That of an arena of objects on the host."""

    mutable = False
    flat = True

    def build(self, children: Sequence[Value]) -> Value:
        original, names, columns = self.extra
        return HostObjects(original, names, columns, children)


class HostObjects:
    """The objects of an arena as the caller gets them: each is built once."""

    def __init__(
        self, original: type, names: Sequence[str], columns: Sequence[ItemsStructure], parts: Sequence[Any]
    ) -> None:
        self._original = original
        self._columns = {}
        left = list(parts)
        for name, structure in zip(names, columns, strict=True):
            width = len(structure.layout.children)
            self._columns[name] = (structure, left[1:width])  # the first is the length
            del left[:width]
        self._made: dict[int, Any] = {}

    def member(self, number: int, members: Sequence[Any]) -> Any:
        """The object of a number."""
        if number not in self._made:
            cls: Any = self._original
            made = self._made[number] = object.__new__(cls)
            for name, (structure, memory) in self._columns.items():
                rows = [part[number : number + 1] for part in memory]
                (value,) = structure.on_host([1, *rows], members)
                object.__setattr__(made, name, value)
        return self._made[number]


def structure_of(value: Any) -> Structure:
    """The structure of what stands for an object of an arena."""
    return ObjectStructure(type(value), ("number",), type(value).arena_)
