"""Progress bars that compiled code moves: the count is a number in memory, which a thread looks at.

So a loop with a bar stays the machine code that it is without one. The bars themselves are those of tqdm and rich.
"""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

import numpy as np

from anabranch.base.context_values import having
from anabranch.base.fork_locks import lock
from anabranch.runtime.host.stoppable_runs import Stopped, run_stoppably

T = TypeVar("T")

# How long the thread waits between two looks, and how many looks at nothing it takes before it ends.
_PERIOD, _IDLE = 0.1, 20


class Shown(Protocol):
    """A bar of a library."""

    def includes(self, other: object) -> bool:
        """Return whether another bar is shown by this one."""

    def advance(self, steps: int) -> None:
        """Note that so many more steps have been done, which may show."""

    def finish(self, count: int) -> None:
        """Show that so many steps were done in all, and end the bar."""

    def call(self, method: str, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        """Call a method of the library's own bar."""


def write_count(address: int, count: int) -> None:
    """Write the count of a bar to its place."""
    _words(address)[0] = count


def check_stop(address: int) -> None:
    """End a run that is to stop, as the word after the count of a bar says.

    Raises `Stopped`.
    """
    if _words(address)[1]:
        raise Stopped


def _words(address: int) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * 2).from_address(address)


class Slot:
    """The place in memory of the count of a bar, to which compiled code writes; and the bars that show it.

    There are several where the function that makes the bar calls itself, or makes it in a loop: the last one moves.
    """

    def __init__(self) -> None:
        self._memory = np.zeros(2, np.int64)
        # Of one int, which is given to compiled code at each call. After the count is whether the run is to stop.
        self.address = np.array(self._memory.ctypes.data, np.int64)
        self._bars: list[_Bar] = []

    @property
    def count(self) -> int:
        """The steps so far."""
        return int(self._memory[0])

    @count.setter
    def count(self, count: int) -> None:
        write_count(int(self.address), count)

    def open(self, make: Callable[[], Shown]) -> None:
        """Make a bar that shows the count from now on; where a run begins anew it is the one from before."""
        if self._bars:
            self._bars[-1].look()
        self._memory[:] = 0
        run = _run.get()
        bar = None if run is None else run.next_of_before()
        if bar is not None:
            bar.move(self)
            return
        bar = _Bar(self, make())
        self._bars.append(bar)
        if run is not None:
            run.add(bar)
        _watch(bar)

    @property
    def shown(self) -> Any:
        """The library's bar that shows the count."""
        return self._bars[-1].shown

    def moves(self, bar: _Bar) -> bool:
        """Return whether the count is this bar's, and not that of one which was made later."""
        return self._bars[-1:] == [bar]

    def stop(self) -> None:
        """Let the run stop where it writes the count next."""
        self._memory[1] = 1

    def take(self, bar: _Bar) -> None:
        """Take a bar of another slot."""
        self._bars.append(bar)

    def finish(self, count: int | None) -> None:
        """End the bar, where that has not been done; by default with what compiled code wrote last."""
        if self._bars:
            self._bars[-1].end(count)

    def call(self, method: str, count: int, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        """Call a method of the bar, which shows this count."""
        if self._bars:
            self._bars[-1].call(method, count, args, options)

    def forget(self, bar: _Bar) -> None:
        """Note that a bar has ended."""
        moved = self.moves(bar)
        if bar in self._bars:
            self._bars.remove(bar)
        if moved and self._bars:
            self.count = self._bars[-1].seen


class _Bar:
    """A bar that is shown."""

    def __init__(self, slot: Slot, shown: Shown) -> None:
        self._slot, self.shown = slot, shown
        self.seen = 0
        self._lock = threading.RLock()
        self._error: Exception | None = None
        self.is_open = True

    def look(self) -> None:
        """Show the count; what the library raises is raised where the bar ends, in the thread of the call."""
        with self._lock:
            if self.is_open and self._error is None and self._slot.moves(self):
                try:
                    self._advance(self._slot.count)
                except Exception as error:
                    self._error = error

    def _advance(self, count: int) -> None:
        if count != self.seen:
            before, self.seen = self.seen, count
            self.shown.advance(count - before)

    def call(self, method: str, count: int, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        """Call a method of the library's bar, which shows this count."""
        with self._lock:
            self._advance(count)
            self.shown.call(method, args, options)
            if method == "reset":
                self._slot.count = self.seen = 0
            if method == "close":
                self._ended()

    def end(self, count: int | None = None) -> None:
        """End the bar with this count, by default what compiled code wrote last."""
        with self._lock:
            if not self.is_open:
                return
            if count is None:
                count = self._slot.count if self._slot.moves(self) else self.seen
            self._ended()
            if self._error is not None:
                raise self._error
            for part in _parts(self.shown):
                part.end()
            self.shown.finish(count)

    def move(self, slot: Slot) -> None:
        """Show the count of another slot, where the bar has not ended."""
        with self._lock:
            if self.is_open:
                self._slot.forget(self)
                self._slot = slot
                slot.take(self)

    def stop(self) -> None:
        """Let the run stop where it moves the bar next."""
        self._slot.stop()

    def _ended(self) -> None:
        self.is_open = False
        self._slot.forget(self)
        with _lock:
            _open.discard(self)


class _Call:
    """The bars of a call, in the order in which they were opened; its run may begin anew, with larger buffers."""

    def __init__(self) -> None:
        self.bars: list[_Bar] = []
        self.may_stop = False  # whether its program moves bars, so that a signal may stop it
        self._is_stopping = False
        self._place = 0

    def stop(self) -> None:
        """Let the run stop where it moves or opens a bar next."""
        self._is_stopping = True
        for bar in tuple(self.bars):
            bar.stop()

    def begin_anew(self) -> None:
        """Note that a run begins."""
        self._place = 0

    def next_of_before(self) -> _Bar | None:
        """The bar that an earlier run has opened at this point; None where none came so far."""
        if self._is_stopping:
            raise Stopped
        if self._place == len(self.bars):
            return None
        self._place += 1
        return self.bars[self._place - 1]

    def add(self, bar: _Bar) -> None:
        """Note a new bar."""
        self.bars.append(bar)
        self._place += 1
        if self._is_stopping:
            raise Stopped

    def end(self) -> None:
        """End the bars that are left."""
        for bar in reversed(self.bars):
            bar.end()


# The call in progress.
_run: contextvars.ContextVar[_Call | None] = contextvars.ContextVar("bars", default=None)


def _parts(shown: Shown) -> list[_Bar]:
    """The bars of the call that another one shows."""
    call = _run.get()
    return [] if call is None else [bar for bar in call.bars if shown.includes(bar.shown)]


def call_display(display: Shown, method: str, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
    """Call a method of what shows several bars, which show their counts before."""
    for bar in _parts(display):
        bar.look()
    display.call(method, args, options)


def stoppable(run: Callable[[], T]) -> T:
    """Run a part of the call in progress, which a signal may stop if that moves bars."""
    call = _run.get()
    return run() if call is None or not call.may_stop else run_stoppably(run, call.stop)


@contextlib.contextmanager
def ending_bars() -> Iterator[None]:
    """Around a call: bars that are left when it ends, as where it fails, are ended."""
    call = _Call()
    with having(_run, call):
        try:
            yield
        finally:
            call.end()


@contextlib.contextmanager
def running_bars(*, may_stop: bool) -> Iterator[None]:
    """Around a run of a call, and around one that is no part of a call; where it moves bars a signal may stop it."""
    with contextlib.nullcontext() if _run.get() else ending_bars():
        call = _run.get()
        assert call is not None
        call.begin_anew()
        call.may_stop = may_stop
        yield


# ---- the thread that looks -------------------------------------------------------------------------------------------

_lock = lock()
_open: set[_Bar] = set()
_watching: threading.Thread | None = None


def _watch(bar: _Bar) -> None:
    global _watching
    with _lock:
        _open.add(bar)
        if _watching is None:
            _watching = threading.Thread(target=_look, name="anabranch progress bars", daemon=True)
            _watching.start()


def _look() -> None:
    global _watching
    idle = 0
    while True:
        time.sleep(_PERIOD)
        with _lock:
            bars = list(_open)
            idle = 0 if bars else idle + 1
            if idle > _IDLE:
                _watching = None
                return
        for bar in bars:
            bar.look()


def _forget() -> None:
    """In a forked process there is no such thread, and the bars are its parent's."""
    global _watching
    _watching = None
    _open.clear()


os.register_at_fork(after_in_child=_forget)
