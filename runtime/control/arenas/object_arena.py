"""The columns that objects of one class share, and what stands for one of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.arenas.list_arena import at, count_of, put
from anabranch.runtime.control.dynamic_lists import dynamic_list
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import ClassSite
from anabranch.runtime.values import arena_classes, arena_object, user_classes
from anabranch.runtime.values.arena_object import ObjectInArena, number_of


class ObjectArena:
    """The objects of a class that are made while it is traced: a column for each attribute.

    The class is that of the first object: where the function makes it, it is not there before.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.original: type = object
        self.attributes: dict[str, Any] = {name: dynamic_list.GrowableList() for name in names}
        self.callers: list[Any] = []

    def take(self, cls: type) -> bool:
        """Return whether the arena is that of a class; it is from now on, where it has been of none."""
        if self.original is object:
            self.original = cls
            self.on_host = (arena_object.HostObjects, cls, tuple(self.attributes))
            self.stand_in: Any = _stand_in(cls, self)
        return self.original is cls

    @property
    def columns(self) -> tuple[Any, ...]:
        """The lists that make up the objects."""
        return tuple(self.attributes.values())

    parts = columns  # all of them change

    def adopt(self, made: Any) -> None:
        """Have a new object, whose attributes are set, lie in the arena from now on."""
        held = user_classes.attributes(made)
        number = count_of(next(iter(self.attributes.values())))
        for name, column in self.attributes.items():
            column.append(held[name])
        if user_classes.has_dict(type(made)):
            made.__dict__.clear()
        made.__class__ = self.stand_in
        self.stand_in.set_number_(made, number)


def _stand_in(original: Any, arena: ObjectArena) -> type:
    """The class of what stands for an object of an arena."""
    attributes: dict[str, Any] = {name: _column(name) for name in arena.attributes}
    attributes |= arena_object.number_place(original)
    if user_classes.has_dict(original):
        attributes["__dict__"] = property(_refuse_dict)
    else:
        attributes["__slots__"] = ()  # an object may become an instance only of what lies in memory as it does
    attributes |= {
        "__copy__": _copy,
        "__deepcopy__": _deep_copy,
        "__reduce_ex__": _refuse_dict,
        "arena_": arena,
        "original_": original,
        "__module__": original.__module__,
        "__qualname__": original.__qualname__,
        "__anabranch_structure__": arena_object.structure_of,
        "__anabranch_slot__": _no_slot,
        "__setattr__": _set_attribute,
        "__delattr__": _delete_attribute,
    }
    if original.__eq__ is object.__eq__:
        attributes |= {"__eq__": _is_same, "__ne__": _is_other}
    if original.__hash__ is object.__hash__:
        # What stands for one object is not always the same: whether two are equal is asked of `__eq__`.
        attributes["__hash__"] = _hash
    made: type = type(original.__name__, (original, ObjectInArena), attributes)
    return made


def _column(name: str) -> property:
    def get(owner: Any) -> Value:
        return at(owner.arena_.attributes[name], number_of(owner))

    def put_(owner: Any, value: Value) -> None:
        put(owner.arena_.attributes[name], number_of(owner), value)

    return property(get, put_)


def _no_slot(_: object) -> None:
    """Nothing of such an object changes but its columns."""


def _set_attribute(owner: Any, name: str, value: Value) -> None:
    if name not in owner.arena_.attributes and not isinstance(getattr(type(owner), name, None), property):
        arena_classes.need(owner.original_, (name,))
    object.__setattr__(owner, name, value)


def _delete_attribute(owner: Any, name: str) -> None:
    if name not in owner.arena_.attributes:
        raise AttributeError(f"'{owner.original_.__name__}' object has no attribute '{name}'")
    raise UnsupportedOperationError(
        f"an attribute of a {owner.original_.__name__} is deleted, and how many of these objects there are is known "
        "only at run time; set it to a value that says so"
    )


def _refuse_dict(owner: Any, *_: object) -> Any:
    raise UnsupportedOperationError(
        f"the attributes of a {owner.original_.__name__} as a whole (vars, __dict__, pickling) are asked for, and how "
        "many of these objects there are is known only at run time; read the attributes by their names"
    )


def _copy(owner: Any) -> Any:
    return _with_values(owner, lambda value: value)


def _deep_copy(owner: Any, memo: dict[int, Any]) -> Any:
    return _with_values(owner, lambda value: copy.deepcopy(value, memo))


def _with_values(owner: Any, copied: Callable[[Any], Any]) -> Any:
    arena: ObjectArena = owner.arena_
    made: Any = object.__new__(arena.original)
    for name in arena.attributes:
        object.__setattr__(made, name, copied(getattr(owner, name)))
    current().trace.identity.created.add(made)
    arena.adopt(made)
    return made


def _hash(owner: Any) -> int:
    return object.__hash__(owner.arena_)


def _is_same(a: Any, b: object) -> Value:
    if not isinstance(b, ObjectInArena) or b.arena_ is not a.arena_:
        return NotImplemented
    return number_of(a) == number_of(b)


def _is_other(a: Any, b: object) -> Value:
    if not isinstance(b, ObjectInArena) or b.arena_ is not a.arena_:
        return NotImplemented
    return number_of(a) != number_of(b)


def adopt(made: Any) -> None:
    """Have a new object lie in the arena of its class, if it has one."""
    lists = current().trace.lists
    site, held = ClassSite.of(type(made)), tuple(user_classes.attributes(made))
    arena = lists.arenas.get(site)
    if not arena_classes.can_lie_in_one(type(made)) or not (arena is None or arena.take(type(made))):
        return
    if arena is None and held:
        (lists.made_before if current().parent is None else lists.made_in_bodies)[site] = held
    if arena is None:
        return
    if set(held) != set(arena.attributes):
        arena_classes.need(type(made), held)
        return
    arena.adopt(made)
