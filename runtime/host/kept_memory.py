"""Memory that calls keep for one another: that of results that nobody has any more, and of copies of arguments.

Fresh memory costs page faults, for large arrays several times what the computation takes.
"""

from __future__ import annotations

import collections
import threading
from typing import Generic, TypeVar

from anabranch.runtime.config import settings
from anabranch.runtime.host.buffer_types import BufferType

T = TypeVar("T")


class KeptMemory(Generic[T]):
    """Memory of one kind that nothing uses now, by type, of half as many bytes as `Settings.kept_memory`.

    Results are given back by the collector, too, which may come while this thread, or another one, is in here: what
    then comes too early is let go.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: collections.OrderedDict[BufferType, list[T]] = collections.OrderedDict()
        self._bytes = 0
        self._limit = 0

    def take(self, kind: BufferType) -> T | None:
        """Return memory of this type, with any contents, if some is kept."""
        with self._lock:
            self._limit = settings().kept_memory // 2
            found = self._free.get(kind)
            if not found:
                return None
            self._bytes -= kind.nbytes
            memory = found.pop()
            if not found:
                del self._free[kind]
            return memory

    def give(self, kind: BufferType, memory: T) -> None:
        """Keep what nothing uses any more; what is of types that were not given for longest goes for it."""
        if kind.nbytes > self._limit or not self._lock.acquire(blocking=False):
            return
        try:
            self._free.setdefault(kind, []).append(memory)
            self._free.move_to_end(kind)
            self._bytes += kind.nbytes
            self._shrink(self._limit)
        finally:
            self._lock.release()

    def release(self) -> None:
        """Let go of all that is kept now."""
        with self._lock:
            self._shrink(0)

    def close(self) -> None:
        """Keep nothing any more, and never wait: a process that was forked has no use for its parent's buffers."""
        self._limit = 0
        self._lock = threading.Lock()
        self._free, self._bytes = collections.OrderedDict(), 0

    @property
    def stats(self) -> dict[str, int]:
        """How many arrays' memory is kept, and of how many bytes."""
        with self._lock:
            return {"buffers": sum(map(len, self._free.values())), "bytes": self._bytes}

    def _shrink(self, limit: int) -> None:
        while self._bytes > limit:
            kind, found = next(iter(self._free.items()))
            found.pop(0)
            self._bytes -= kind.nbytes
            if not found:
                del self._free[kind]


class Lent(Generic[T]):
    """Memory that stands behind an ndarray, and is given back when that is gone."""

    __slots__ = ("_kept", "_kind", "_memory")

    def __init__(self, kept: KeptMemory[T], kind: BufferType, memory: T) -> None:
        self._kept, self._kind, self._memory = kept, kind, memory

    def __del__(self) -> None:
        self._kept.give(self._kind, self._memory)
