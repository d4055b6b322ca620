"""Mappings and sets whose keys are objects by identity, whether or not these have a hash or are equal to others.

They keep their keys alive: the identity of an object that has gone may be that of the next one made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, ValuesView
from typing import Any, Generic, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class ByIdentity:
    """An object as a part of a key, by identity."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and self.value is other.value

    def __repr__(self) -> str:
        return object.__repr__(self.value)


class IdentityDict(Generic[K, V]):
    """A mapping from objects, in the order in which they came.

    Not a `Mapping`, whose `==` puts the keys into dicts.
    """

    __slots__ = ("_keys", "_values")

    def __init__(self, entries: Iterable[tuple[K, V]] = ()) -> None:
        self._keys: dict[int, K] = {}
        self._values: dict[int, V] = {}
        if entries:
            self.update(entries)

    def __getitem__(self, key: object) -> V:
        return self._values[id(key)]

    def __setitem__(self, key: K, value: V) -> None:
        self._keys[id(key)] = key
        self._values[id(key)] = value

    def __delitem__(self, key: object) -> None:
        del self._values[id(key)], self._keys[id(key)]

    def __contains__(self, key: object) -> bool:
        return id(key) in self._values

    def __iter__(self) -> Iterator[K]:
        return iter(self._keys.values())

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"IdentityDict({list(self.items())!r})"

    def values(self) -> ValuesView[V]:
        """Return the values."""
        return self._values.values()

    def items(self) -> Iterator[tuple[K, V]]:
        """Return the objects with their values."""
        return zip(self._keys.values(), self._values.values(), strict=True)

    @overload
    def get(self, key: object) -> V | None: ...
    @overload
    def get(self, key: object, default: V | T) -> V | T: ...
    def get(self, key: object, default: Any = None) -> Any:
        """Return the value of an object, or the default."""
        return self._values.get(id(key), default)

    def setdefault(self, key: K, default: V) -> V:
        """Return the value of an object, which gets the default where it had none."""
        self._keys.setdefault(id(key), key)
        return self._values.setdefault(id(key), default)

    def discard(self, key: object) -> None:
        """Remove an object if it is there."""
        self._values.pop(id(key), None)
        self._keys.pop(id(key), None)

    def clear(self) -> None:
        """Remove all objects."""
        self._values.clear()
        self._keys.clear()

    def update(self, entries: Iterable[tuple[K, V]]) -> None:
        """Give several objects their values."""
        for key, value in entries:
            self[key] = value

    def copy(self) -> IdentityDict[K, V]:
        """Return another mapping with the same entries."""
        made: IdentityDict[K, V] = IdentityDict()
        made._keys, made._values = self._keys.copy(), self._values.copy()
        return made


class IdentitySet(Generic[K]):
    """A set of objects, in the order in which they came."""

    __slots__ = ("_members",)

    def __init__(self, members: Iterable[K] = ()) -> None:
        self._members: dict[int, K] = {id(member): member for member in members} if members else {}

    def __contains__(self, member: object) -> bool:
        return id(member) in self._members

    def __iter__(self) -> Iterator[K]:
        return iter(self._members.values())

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"IdentitySet({list(self)!r})"

    def add(self, member: K) -> None:
        """Add an object."""
        self._members[id(member)] = member

    def admit(self, member: K) -> bool:
        """Add an object; return whether it was not there."""
        count = len(self._members)
        self._members[id(member)] = member
        return len(self._members) > count

    def discard(self, member: object) -> None:
        """Remove an object if it is there."""
        self._members.pop(id(member), None)

    def update(self, members: Iterable[K]) -> None:
        """Add several objects."""
        self._members.update((id(member), member) for member in members)


def reached(values: Iterable[Any], parts: Callable[[Any], Iterable[Any]]) -> Iterator[Any]:
    """Yield objects and those that they lead to, each once; `parts` returns what one leads to."""
    pending, seen = list(values), IdentitySet[Any]()
    while pending:
        value = pending.pop()
        if seen.admit(value):
            yield value
            pending += parts(value)
