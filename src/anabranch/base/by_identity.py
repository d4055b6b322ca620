"""Mappings and sets whose keys are objects by identity, whether or not these have a hash or are equal to others.

They keep their keys alive: the identity of an object that has gone may be that of the next one made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any, Generic, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class IdentityDict(MutableMapping[K, V], Generic[K, V]):
    """A mapping from objects, in the order in which they came."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Iterable[tuple[K, V]] = ()) -> None:
        self._entries: dict[int, tuple[K, V]] = {id(entry[0]): entry for entry in entries}

    def __getitem__(self, key: object) -> V:
        return self._entries[id(key)][1]

    def __setitem__(self, key: K, value: V) -> None:
        self._entries[id(key)] = key, value

    def __delitem__(self, key: object) -> None:
        del self._entries[id(key)]

    def __contains__(self, key: object) -> bool:
        return id(key) in self._entries

    def __iter__(self) -> Iterator[K]:
        return iter([key for key, _ in self._entries.values()])

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"IdentityDict({list(self._entries.values())!r})"

    @overload
    def get(self, key: object) -> V | None: ...
    @overload
    def get(self, key: object, default: V | T) -> V | T: ...
    def get(self, key: object, default: Any = None) -> Any:
        """Return the value of an object, or the default."""
        entry = self._entries.get(id(key))
        return default if entry is None else entry[1]

    def setdefault(self, key: K, default: V) -> V:
        """Return the value of an object, which gets the default where it had none."""
        return self._entries.setdefault(id(key), (key, default))[1]

    def copy(self) -> IdentityDict[K, V]:
        """Return another mapping with the same entries."""
        made: IdentityDict[K, V] = IdentityDict()
        made._entries = dict(self._entries)
        return made


class IdentitySet(MutableSet[K], Generic[K]):
    """A set of objects, in the order in which they came."""

    __slots__ = ("_members",)

    def __init__(self, members: Iterable[K] = ()) -> None:
        self._members: dict[int, K] = {id(member): member for member in members}

    def __contains__(self, member: object) -> bool:
        return id(member) in self._members

    def __iter__(self) -> Iterator[K]:
        return iter(list(self._members.values()))

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"IdentitySet({list(self._members.values())!r})"

    def add(self, member: K) -> None:
        """Add an object."""
        self._members[id(member)] = member

    def discard(self, member: K) -> None:
        """Remove an object if it is there."""
        self._members.pop(id(member), None)

    def update(self, members: Iterable[K]) -> None:
        """Add several objects."""
        self._members.update((id(member), member) for member in members)
