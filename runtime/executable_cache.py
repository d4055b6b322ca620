"""The executables of one function, by signature: the least recently used make room for new ones."""

from __future__ import annotations

import collections
import contextlib
from typing import Any, Generic, NamedTuple, TypeVar

from anabranch.runtime.config import settings

T = TypeVar("T")


class CacheInfo(NamedTuple):
    """Counts of a function's cache, as `functools.lru_cache` has them."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


class ExecutableCache(Generic[T]):
    """A mapping from signatures that holds at most `settings().cache_size` entries."""

    __slots__ = ("_entries", "compiles", "hits", "misses")

    def __init__(self) -> None:
        self._entries: collections.OrderedDict[Any, T] = collections.OrderedDict()
        self.hits = 0
        self.misses = 0
        self.compiles = 0  # not forgotten when the cache is cleared

    def get(self, key: Any) -> T | None:
        """The entry of a signature, which counts as used now."""
        found = self._entries.get(key)
        if found is not None:
            with contextlib.suppress(KeyError):  # another thread may have cleared the cache
                self._entries.move_to_end(key)
        return found

    def put(self, key: Any, value: T) -> None:
        """Keep an entry, and let those go that have not been used for longest."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        while len(self._entries) > settings().cache_size:
            self._entries.popitem(last=False)

    def clear(self) -> None:
        """Forget all entries and counts."""
        self._entries.clear()
        self.hits = self.misses = 0

    def info(self, maxsize: int) -> CacheInfo:
        """The counts."""
        return CacheInfo(self.hits, self.misses, maxsize, len(self._entries))

    def keys(self) -> list[Any]:
        """The signatures, the most recently used last."""
        return list(self._entries)

    def values(self) -> list[T]:
        """The entries, the most recently used last."""
        return list(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)
