"""The executables of one function, by signature: the least recently used make room for new ones.

The fast paths of the last few signatures stand before the mapping: asking each whether a call fits takes less time than
to describe the call. Of those that are called often machine code does the asking, too (`call.quick`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from anabranch.base.bounded_dict import BoundedDict
from anabranch.base.fork_locks import lock
from anabranch.base.keyed_locks import KeyedLocks
from anabranch.runtime.call.execution import Execution
from anabranch.runtime.call.quick.entry import Table
from anabranch.runtime.config import settings

_REMEMBERED = 4096

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

_MOST_FAST_PATHS = 4
_MOST_TABLES = 8  # of a signature there may be several, one for each form of call


class CacheInfo(NamedTuple):
    """Counts of a function's cache, as `functools.lru_cache` has them."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


class Entry(NamedTuple):
    """An executable of the function in memory: its signature, why it was compiled, by what, and whether it is this."""

    signature: str
    why: str
    compiler: str
    is_this: bool


class Origin(NamedTuple):
    """The number of a compilation among those of its function, and why it was made where its signature was not new."""

    number: int
    why: str = ""


class ExecutableCache(Generic[K, T]):
    """A mapping from signatures that holds at most `settings().cache_size` entries."""

    __slots__ = (
        "_dropped",
        "_entries",
        "_lock",
        "_origins",
        "_tables",
        "_with_fast_path",
        "compiles",
        "hits",
        "locks",
        "misses",
        "quick",
        "with_fast_path",
    )

    def __init__(self) -> None:
        self.locks = KeyedLocks()  # by signature: one thread compiles for it, the others that want it wait
        self._lock = lock()
        self._dropped: set[int] = set()  # hashes, which keep nothing alive
        self._entries: BoundedDict[K, T] = BoundedDict()
        self._origins: dict[K, Origin] = {}
        self._with_fast_path: tuple[tuple[K, Execution], ...] = ()
        # Replaced as a whole, so that another thread can go through it meanwhile.
        self.with_fast_path: tuple[Execution, ...] = ()
        self._tables: tuple[tuple[Execution, Table], ...] = ()
        # The entries of tables by which machine code answers calls; it reads them from here.
        self.quick: tuple[Any, ...] = ()
        self.hits = 0  # how many calls have found an executable, but for those that machine code has answered
        self.misses = 0
        self.compiles = 0  # not forgotten when the cache is cleared

    def __contains__(self, key: object) -> bool:
        return key in self._entries

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

    def drop_fast_path(self, execution: Execution) -> None:
        """Let the next call of an entry go the long way."""
        with self._lock:
            self._set_quick(*[(k, e) for k, e in self._with_fast_path if e is not execution])

    def _forget_quick(self, key: K) -> None:
        self._set_quick(*[(k, e) for k, e in self._with_fast_path if k != key])

    def _set_quick(self, *pairs: tuple[K, Execution]) -> None:
        self._with_fast_path, self.with_fast_path = pairs, tuple(e for _, e in pairs)
        self._set_tables([(e, table) for e, table in self._tables if e in self.with_fast_path])

    def put_table(self, execution: Execution, table: Table) -> None:
        """Let machine code answer the calls of an entry that are of one form."""
        with self._lock:
            if execution in self.with_fast_path:  # another thread may have cleared the cache
                same = [(e, t) for e, t in self._tables if e is execution and t.form == table.form]
                others = [pair for pair in self._tables if pair not in same]
                self._set_tables([(execution, table), *others[: _MOST_TABLES - 1]])

    def _set_tables(self, tables: Sequence[tuple[Execution, Table]]) -> None:
        dropped = [table for _, table in self._tables if all(table is not kept for _, kept in tables)]
        self._tables, self.quick = tuple(tables), tuple(table.entry for _, table in tables)
        self.hits += sum(table.calls for table in dropped)

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
        answered = sum(table.calls for _, table in self._tables)
        return CacheInfo(self.hits + answered, self.misses, maxsize, len(self._entries))

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
