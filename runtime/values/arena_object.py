"""Objects that lie in an arena: each is its number among those of its class.

What stands for such an object is an instance of a class that is made of the user's: it has the same methods, and its
attributes are read from columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values.arena_contents import HostArena, HostColumn, InArenaStructure


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
    current().trace.identity.created.add(made)
    _own(made)["number_"] = number
    return made


def are_same(a: Value, b: Value) -> Value:
    """`a is b`, of objects in arenas."""
    return type(a).arena_ is type(b).arena_ and number_of(a) == number_of(b)


def _own(value: Any) -> dict[str, Any]:
    held: dict[str, Any] = type(value).own_(value)  # the class shows no `__dict__` to the user's code
    return held


@frozen
class ObjectStructure(InArenaStructure):
    """That of an object in an arena."""

    def children(self, value: Value) -> list[Value]:
        return [number_of(value)]

    def build(self, children: Sequence[Value]) -> Value:
        return of_number(self.cls, children[0])


def structure_of(value: Any) -> InArenaStructure:
    """The structure of what stands for an object of an arena."""
    return ObjectStructure(type(value), ("number",), type(value).arena_)


class HostObjects(HostArena):
    """The objects of an arena, whose columns are their attributes."""

    def __init__(self, columns: Sequence[HostColumn], original: type, names: Sequence[str]) -> None:
        super().__init__(columns)
        self._original, self._names = original, names

    def _empty(self) -> Any:
        cls: Any = self._original
        return object.__new__(cls)

    def _fill(self, made: Any, number: int, members: Sequence[Any]) -> None:
        for name, column in zip(self._names, self._columns, strict=True):
            (value,) = column.items(number, 1, members)
            object.__setattr__(made, name, value)
