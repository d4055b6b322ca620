"""Objects of the user's classes as keys of dicts and members of sets: what their hashes are made of.

A frozen dataclass is a value, as a tuple of its fields is. Any other object is asked by its class's `__hash__`, in
which `hash(…)` of a run-time value is a number that serves a search and has no other meaning.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import arena_classes
from anabranch.runtime.values.arena_object import ObjectInArena, are_same, number_of
from anabranch.runtime.values.containers import Structure, is_hashed_object, structure_of
from anabranch.runtime.values.hashed import Hashed
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.user_classes import own_method

_searches: contextvars.ContextVar[bool] = contextvars.ContextVar("searches", default=False)


def compared_of(key: Value) -> Value:
    """The value that the hash of an object is made of: the same for objects that are equal."""
    names = _hashed_fields(type(key))
    if names is not None:
        return tuple([getattr(key, name) for name in names])
    if is_by_identity(key):
        return _number(key)
    asked = own_method(key, "__hash__")
    if asked is None:
        return hash(key)
    with _searching():
        return asked()


def _number(key: Value) -> Value:
    """The number of an object that is equal to nothing but itself."""
    if isinstance(key, ObjectInArena):
        return number_of(key)
    arena_classes.need_of(key)
    raise UnsupportedOperationError(
        f"a {type(key).__name__}, which is equal to nothing but itself, is a key of a dict or a member of a set whose "
        "keys are known only at run time; give its class __eq__ and __hash__, or use a number of its as the key"
    )


def same_objects(a: Value, b: Value, equal: Callable[[Any, Any], Value]) -> Value:
    """Return whether two objects are one key: they are one, or their hashes are the same and they are equal."""
    if isinstance(a, ObjectInArena) and isinstance(b, ObjectInArena) and (is_by_identity(a) or is_by_identity(b)):
        return are_same(a, b)
    if any(own_method(one, "__hash__") is None or _hashed_fields(type(one)) is not None for one in (a, b)):
        return equal(a, b)
    return boolean.and_(equal(compared_of(a), compared_of(b)), lambda: equal(a, b))


def asks_users_code(key: Value) -> bool:
    """Return whether a comparison of a key with others runs methods of the user's, which may do anything."""
    if isinstance(key, tuple):
        return any(map(asks_users_code, key))
    if not is_hashed_object(key):
        return isinstance(key, UnionValue) and any(map(asks_users_code, key.options))
    names = _hashed_fields(type(key))
    if names is None:
        return not is_by_identity(key)
    return any(asks_users_code(getattr(key, name)) for name in names)


def is_by_identity(key: object) -> bool:
    """Return whether an object is equal to nothing but itself."""
    original = getattr(type(key), "original_", type(key))
    return bool(original.__hash__ is object.__hash__)


def lies_in_arena(key: Value) -> bool:
    """Return whether a key, or a part of it, is one of as many objects or sets as run-time values say."""
    if isinstance(key, tuple):
        return any(map(lies_in_arena, key))
    return isinstance(key, ObjectInArena) or (isinstance(key, Hashed) and key.arena_ is not None)


def out_of_arenas(key: Value) -> Value:
    """A key as an exception carries it, beside which no arena is; of objects that refer to others `NotImplemented`."""
    if isinstance(key, tuple):
        parts = tuple(map(out_of_arenas, key))
        return NotImplemented if NotImplemented in parts else parts
    if isinstance(key, ObjectInArena):
        return _copied(key)
    return key.free_() if lies_in_arena(key) else key


def _copied(key: Any) -> Value:
    """An object of the same attributes, where these are values of their own."""
    held = {name: getattr(key, name) for name in key.arena_.attributes}
    if any(structure_of(value) is not None for value in held.values()):
        return NotImplemented
    made: Any = object.__new__(key.original_)
    for name, value in held.items():
        object.__setattr__(made, name, value)
    return made


def hashes_as_tuple(structure: Structure) -> bool:
    """Return whether the hash of what has this structure is that of the tuple of its parts."""
    if issubclass(structure.cls, tuple):
        return structure.cls.__hash__ is tuple.__hash__
    return not structure.mutable and _hashed_fields(structure.cls) == structure.keys


def searches() -> bool:
    """Return whether the `__hash__` of an object is asked for the sake of a search."""
    return _searches.get()


@contextlib.contextmanager
def _searching() -> Iterator[None]:
    token = _searches.set(True)
    try:
        yield
    finally:
        _searches.reset(token)


def _hashed_fields(cls: type) -> tuple[str, ...] | None:
    """The fields of which the `__hash__` is made that `dataclass` has written; None for any other `__hash__`."""
    owner: Any = next((c for c in cls.__mro__ if "__hash__" in vars(c)), object)
    code = getattr(inspect.unwrap(vars(owner)["__hash__"]), "__code__", None)
    if code is None or code.co_filename != "<string>" or not dataclasses.is_dataclass(owner):
        return None
    return tuple(f.name for f in dataclasses.fields(owner) if (f.compare if f.hash is None else f.hash))
