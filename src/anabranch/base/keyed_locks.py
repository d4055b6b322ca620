"""Locks by key: whoever wants one thing made waits for the one who makes it, and for nobody else."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Hashable

from anabranch.base.fork_locks import lock


class KeyedLocks:
    """A lock for each key that somebody holds or waits for. A thread may take its own again."""

    __slots__ = ("_all", "_locks")

    def __init__(self) -> None:
        self._all = lock()
        self._locks: weakref.WeakValueDictionary[Hashable, threading.RLock] = weakref.WeakValueDictionary()

    def of(self, key: Hashable) -> threading.RLock:
        """Return the lock of this key: a `with` block that holds it is alone.

        It is a lock itself, since a signal cannot come between acquiring a lock and the block.
        """
        with self._all:
            return self._locks.setdefault(key, lock())
