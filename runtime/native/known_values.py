"""The ranges of ints in registers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Var
from anabranch.runtime.passes.found_intervals import Intervals, Known


class KnownValues:
    """The ranges of the ints that have names, of those of the Program's.

    `intervals`: of the Program's values.
    """

    def __init__(self, intervals: Intervals) -> None:
        self._intervals = intervals
        self._known: dict[str, Interval] = {}
        self._before: list[tuple[str, Interval | None]] = []

    @property
    def intervals(self) -> Intervals:
        """Those of the Program's values."""
        return self._intervals

    def note(self, name: str, var: Var) -> None:
        """Take note that a name is that of a value of the Program, until the scope ends."""
        found = self._intervals.get(var)
        if found is not None and name.startswith("%"):
            self._before.append((name, self._known.get(name)))
            self._known[name] = found

    def outside(self, var: Var) -> Interval | None:
        """The range of a value of the Program."""
        return self._intervals.get(var)

    def operands(self, result: Var) -> Known:
        """The intervals of what a shift or a division is computed of; empty where nothing is known of it."""
        return self._intervals.operands.get(result, ())

    @contextlib.contextmanager
    def refined(self, intervals: Intervals) -> Iterator[None]:
        """A part of the Program, for whose values these are known besides."""
        before, self._intervals = self._intervals, self._intervals | intervals
        yield
        self._intervals = before

    def learn(self, name: str, known: Interval) -> None:
        """Take note of the range of a value that is none of the Program's."""
        self._known[name] = known

    def of(self, name: str) -> Interval | None:
        """The range of the value with a name."""
        return self._known.get(name)

    @contextlib.contextmanager
    def scope(self, is_outer: Callable[[str], bool]) -> Iterator[None]:
        """A sub-Program, in which more may be known of a value than outside, but for those that are its own."""
        start = len(self._before)
        yield
        for name, before in reversed(self._before[start:]):
            if not is_outer(name):
                continue
            if before is None:
                del self._known[name]
            else:
                self._known[name] = before
        del self._before[start:]
