"""Memory that calls keep for one another: that of results that nobody has any more, and of copies of arguments.

Fresh memory costs page faults, for large arrays several times what the computation takes.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from typing import Generic, TypeVar

from anabranch.runtime.config import DEFAULT, settings_or_none
from anabranch.runtime.host.buffer_types import BufferType

T = TypeVar("T")


class KeptMemory(Generic[T]):
    """Memory of one kind that nothing uses now, by type, of half as many bytes as `Settings.kept_memory`.

    Results are given back by the collector, too, which may come while this thread, or another one, is in here: what
    then comes too early is let go.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.limit = 0  # of the bytes that are kept
        self.most = 0  # no fewer than are kept: those that are taken again are not counted at once
        self.filled: dict[Shelf[T], None] = {}  # the shelves with some memory, and others
        self._shelves: weakref.WeakValueDictionary[BufferType, Shelf[T]] = weakref.WeakValueDictionary()
        self.times = itertools.count()

    def shelf(self, kind: BufferType) -> Shelf[T]:
        """The memory of a type."""
        found = self._shelves.get(kind)
        if found is None:
            found = self._shelves.setdefault(kind, Shelf(self, kind.nbytes))
        return found

    def release(self) -> None:
        """Let go of all that is kept now."""
        with self.lock:
            self.shrink(0)

    def close(self) -> None:
        """Keep nothing any more, and never wait: a process that was forked has no use for its parent's buffers."""
        self.limit = self.most = 0
        self.lock = threading.Lock()
        filled, self.filled = self.filled, {}
        for shelf in filled:
            shelf.free.clear()

    @property
    def stats(self) -> dict[str, int]:
        """How many arrays' memory is kept, and of how many bytes."""
        with self.lock:
            return {"buffers": sum(len(shelf.free) for shelf in self.filled), "bytes": self._bytes()}

    def _bytes(self) -> int:
        return sum(len(shelf.free) * shelf.nbytes for shelf in self.filled)

    def shrink(self, limit: int) -> None:
        """Keep no more bytes than a limit."""
        kept = self._bytes()
        for shelf in sorted(self.filled, key=lambda shelf: shelf.given):
            while kept > limit and shelf.free:
                del shelf.free[:1]
                kept -= shelf.nbytes
            if not shelf.free:
                del self.filled[shelf]
        self.most = kept


class Shelf(Generic[T]):
    """The memory of one type."""

    __slots__ = ("__weakref__", "_kept", "free", "given", "nbytes")

    def __init__(self, kept: KeptMemory[T], nbytes: int) -> None:
        # `nbytes`: of an array of this type.
        # `given`: when it was last given some.
        self._kept, self.nbytes, self.given = kept, nbytes, 0
        self.free: list[T] = []

    def take(self) -> T | None:
        """Return memory, with any contents, if some is kept."""
        self._kept.limit = (settings_or_none() or DEFAULT).kept_memory // 2
        try:
            return self.free.pop()
        except IndexError:  # another thread may have taken the last one
            return None

    def give(self, memory: T) -> None:
        """Keep what nothing uses any more; what is of types that were not given for longest goes for it."""
        kept = self._kept
        if not 0 < self.nbytes <= kept.limit or not kept.lock.acquire(False):
            return
        try:
            self.free.append(memory)
            self.given = next(kept.times)
            kept.filled[self] = None
            kept.most += self.nbytes
            if kept.most > kept.limit:
                kept.shrink(kept.limit)
        finally:
            kept.lock.release()


class Lent(Generic[T]):
    """Memory that stands behind an ndarray, and is given back when that is gone."""

    __slots__ = ("_memory", "_shelf")

    def __init__(self, shelf: Shelf[T], memory: T) -> None:
        self._shelf, self._memory = shelf, memory

    def __del__(self) -> None:
        self._shelf.give(self._memory)
