"""The executables of one function, by signature: the least recently used make room for new ones.

The fast paths of the last few signatures stand before the mapping: asking each whether a call fits takes less time than
to describe the call.
"""

from __future__ import annotations

import contextlib
from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

from anabranch.base.bounded_dict import BoundedDict
from anabranch.base.fork_locks import lock
from anabranch.base.keyed_locks import KeyedLocks
from anabranch.runtime.call.execution import Execution
from anabranch.runtime.config import settings

_REMEMBERED = 4096

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

_MOST_FAST_PATHS = 4


class CacheInfo(NamedTuple):
    """Counts of a function's cache, as `functools.lru_cache` has them."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


class Origin(NamedTuple):
    """The number of a compilation among those of its function, and why it was made where its signature was not new."""

    number: int
    why: str = ""


class ExecutableCache(Generic[K, T]):
    """A mapping from signatures that holds at most `settings().cache_size` entries.

    Attributes
    ----------
    locks : KeyedLocks
        By signature: one thread compiles for it, the others that want it wait.
    """

    __slots__ = (
        "_dropped",
        "_entries",
        "_lock",
        "_origins",
        "_with_fast_path",
        "compiles",
        "hits",
        "locks",
        "misses",
        "with_fast_path",
    )

    def __init__(self) -> None:
        self.locks = KeyedLocks()
        self._lock = lock()
        self._dropped: set[int] = set()  # hashes, which keep nothing alive
        self._entries: BoundedDict[K, T] = BoundedDict()
        self._origins: dict[K, Origin] = {}
        self._with_fast_path: tuple[tuple[K, Execution], ...] = ()
        # Replaced as a whole, so that another thread can go through it meanwhile.
        self.with_fast_path: tuple[Execution, ...] = ()
        self.hits = 0
        self.misses = 0
        self.compiles = 0  # not forgotten when the cache is cleared

    def get(self, key: K) -> T | None:
        """The entry of a signature, which counts as used now."""
        found = self._entries.get(key)
        if found is not None:
            with contextlib.suppress(KeyError):  # another thread may have cleared the cache
                self._entries.move_to_end(key)
        return found

    def put(self, key: K, value: T, why: str = "") -> None:
        """Keep an entry, and let those go that have not been used for longest."""
        with self._lock:
            for used, _ in self._with_fast_path:
                self.get(used)
            self._forget_quick(key)
            for dropped in self._entries.put(key, value, settings().cache_size):
                self._forget_quick(dropped)
                self._dropped.add(hash(dropped))
                self._origins.pop(dropped, None)
            self._origins[key] = Origin(self.compiles, why)
            if len(self._dropped) > _REMEMBERED:
                self._dropped.clear()

    def was_dropped(self, key: K) -> bool:
        """Return whether there was an entry of the signature, which had to make room."""
        return hash(key) in self._dropped

    def put_fast_path(self, key: K, execution: Execution) -> None:
        """Keep the fast path of an entry, before those of others."""
        with self._lock:
            others = [(k, e) for k, e in self._with_fast_path if k != key]
            if key in self._entries:  # another thread may have cleared the cache
                self._set_quick((key, execution), *others[: _MOST_FAST_PATHS - 1])

    def _forget_quick(self, key: K) -> None:
        self._set_quick(*[(k, e) for k, e in self._with_fast_path if k != key])

    def _set_quick(self, *pairs: tuple[K, Execution]) -> None:
        self._with_fast_path, self.with_fast_path = pairs, tuple(e for _, e in pairs)

    def clear(self) -> None:
        """Forget all entries and counts."""
        with self._lock:
            self._entries.clear()
            self._origins.clear()
            self._dropped.clear()
            self._set_quick()
        self.hits = self.misses = 0

    def info(self, maxsize: int) -> CacheInfo:
        """The counts."""
        return CacheInfo(self.hits, self.misses, maxsize, len(self._entries))

    def keys(self) -> list[K]:
        """The signatures, the most recently used last."""
        with self._lock:
            return list(self._entries)

    def origins(self) -> list[tuple[K, T, Origin]]:
        """The entries with how each came about, the one compiled first first."""
        with self._lock:
            found = [(key, value, self._origins[key]) for key, value in self._entries.items()]
        return sorted(found, key=lambda row: row[2].number)

    def values(self) -> list[T]:
        """The entries, the most recently used last."""
        with self._lock:
            return list(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)
