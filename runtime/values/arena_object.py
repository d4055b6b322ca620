"""Objects that lie in an arena: each is its number among those of its class.

What stands for such an object is an instance of a class that is made of the user's: it has the same methods, and its
attributes are read from columns.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values.arena_contents import HostArena, HostColumn, InArenaStructure
from anabranch.runtime.values.user_classes import slot_names


class ObjectInArena:
    """The base of the classes whose instances stand for objects of an arena."""

    __slots__ = ()
    arena_: Any
    original_: type
    get_number_: Any  # of an instance, which the user's code does not see as an attribute
    set_number_: Any


def number_of(value: Value) -> Value:
    """The number of an object in its arena."""
    return type(value).get_number_(value)


def of_number(cls: Any, number: Value) -> Any:
    """The stand-in for the object of a number."""
    made = object.__new__(cls)
    current().trace.identity.created.add(made)
    cls.set_number_(made, number)
    return made


def number_place(original: type) -> dict[str, Any]:
    """How the number of an instance is read and set: it lies in its `__dict__` or, where it has none, in a slot."""
    own = next((vars(c)["__dict__"] for c in original.__mro__ if "__dict__" in vars(c)), None)
    if own is None:
        name = slot_names(original)[0]
        slot = next(vars(c)[name] for c in original.__mro__ if name in vars(c))
        return {"get_number_": staticmethod(slot.__get__), "set_number_": staticmethod(slot.__set__)}
    own_of = own.__get__
    return {
        "get_number_": staticmethod(lambda value: own_of(value)["number_"]),
        "set_number_": staticmethod(lambda value, number: operator.setitem(own_of(value), "number_", number)),
    }


def are_same(a: Value, b: Value) -> Value:
    """`a is b`, of objects in arenas."""
    return type(a).arena_ is type(b).arena_ and number_of(a) == number_of(b)


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
