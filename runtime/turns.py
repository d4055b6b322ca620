"""Locks by key: whoever wants one thing made waits for the one who makes it, and for nobody else."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator

from anabranch._locks import lock


class Turns:
    """A lock for each key that somebody holds or waits for. A thread may take its own turn again."""

    __slots__ = ("_all", "_turns")

    def __init__(self) -> None:
        self._all = lock()
        self._turns: dict[Hashable, _Turn] = {}

    @contextlib.contextmanager
    def turn(self, key: Hashable) -> Iterator[None]:
        """Be the only thread that has the turn of this key."""
        with self._all:
            turn = self._turns.setdefault(key, _Turn())
            turn.wanted += 1
        try:
            with turn.lock:
                yield
        finally:
            with self._all:
                turn.wanted -= 1
                if not turn.wanted:
                    del self._turns[key]


class _Turn:
    __slots__ = ("lock", "wanted")

    def __init__(self) -> None:
        self.lock = lock()
        self.wanted = 0
