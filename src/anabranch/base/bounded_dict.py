"""A mapping of bounded size."""

from __future__ import annotations

import collections
from typing import TypeVar

from anabranch.base.fork_locks import lock

K = TypeVar("K")
T = TypeVar("T")


class BoundedDict(collections.OrderedDict[K, T]):
    """A mapping in which the oldest entries make room for new ones."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = lock()

    def put(self, key: K, value: T, most: int) -> list[K]:
        """Make an entry the newest of at most so many; return the keys of those that had to go."""
        with self._lock:
            self[key] = value
            self.move_to_end(key)
            return [self.popitem(last=False)[0] for _ in range(len(self) - most)]
