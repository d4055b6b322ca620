"""Seconds by the user's lines: what passes until something of a line is there counts for that line."""

from __future__ import annotations

import contextlib
import contextvars
import time
from collections.abc import Iterator

from anabranch.runtime.ir.program import SourceLocation


class LineTimes:
    """A clock that is told, again and again, which line of the user's the time since the last telling was for."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self._seconds: dict[SourceLocation | None, float] = {}

    def begin(self) -> None:
        """Let what has passed since the last telling count for nothing."""
        self._last = time.perf_counter()

    def tick(self, source: SourceLocation | None) -> None:
        """Count what has passed since the last telling for a line; None for what is no line's."""
        now = time.perf_counter()
        self._seconds[source] = self._seconds.get(source, 0.0) + now - self._last
        self._last = now

    @property
    def total(self) -> float:
        """All seconds, those that are no line's among them."""
        return sum(self._seconds.values())

    def by_line(self) -> dict[tuple[str, int], float]:
        """The seconds of each line, by file and line."""
        found: dict[tuple[str, int], float] = {}
        for source, seconds in self._seconds.items():
            if source is not None:
                place = source.place[:2]
                found[place] = found.get(place, 0.0) + seconds
        return found

    @contextlib.contextmanager
    def of_traces(self) -> Iterator[None]:
        """Have traces within a `with` block tell of each equation; what comes after the last is no line's."""
        token = _asked.set(self)
        self.begin()
        try:
            yield
        finally:
            self.tick(None)
            _asked.reset(token)


_asked: contextvars.ContextVar[LineTimes | None] = contextvars.ContextVar("line_times", default=None)

asked = _asked.get  # the clock that a trace which begins now shall tell of its equations
