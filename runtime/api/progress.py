"""The display of a compilation that takes long: lines on stderr, in the log, and on a terminal."""

from __future__ import annotations

import collections
import contextlib
import logging
import sys
import threading
import time
import types
from typing import TextIO

from anabranch.runtime.config import settings
from anabranch.runtime.ir.program import Program, SourceLocation
from anabranch.runtime.tracing.source_frames import standard, users

_log = logging.getLogger("anabranch.progress")
_TICK = 0.2
_WHEEL = "|/-\\"


class ProgressDisplay:
    """While it is entered, a thread tells of a compilation that takes long."""

    def __init__(self, function: str, place: str) -> None:
        self.stage = "traced"  # what is being done now
        self.program: Program | None = None  # what is compiled, once it is traced
        self._function = function
        self._place = place
        self._period = settings().progress
        self._notice = settings().progress_notice
        self._start = time.monotonic()
        self._done = threading.Event()
        self._shown = False
        self._terminal = _terminal() if settings().progress_bar and self._period else None
        self._compiling = threading.get_ident()
        self._thread = threading.Thread(target=self._tell, name="anabranch progress", daemon=True)

    def __enter__(self) -> ProgressDisplay:
        if self._period or self._notice:
            with contextlib.suppress(RuntimeError):  # no more threads can be had, or the interpreter ends
                self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: object) -> None:
        self._done.set()
        if self._shown:
            self._thread.join()  # nothing may appear on the terminal after this

    def _tell(self) -> None:
        if self._done.wait(min(seconds for seconds in (self._period, self._notice) if seconds)):
            return
        self._shown = True
        logged, ticks, noticed = 0.0, 0, not self._notice
        while True:
            seconds = time.monotonic() - self._start
            text = f"{self._function} has been compiled for {seconds:.0f} s, and is being {self.stage}"
            if not noticed and seconds >= self._notice:
                noticed = True
                self._show("")
                _print(f"anabranch: {text}{self._where()}")
            if self._period and seconds >= max(logged + self._period, self._period):
                _log.info(text)
                logged = seconds
            self._show(f"{_WHEEL[ticks % len(_WHEEL)]} {text}")
            ticks += 1
            if self._done.wait(self._pause(seconds, logged, noticed)):
                break
        self._show("")

    def _pause(self, seconds: float, logged: float, noticed: bool) -> float | None:
        """How long until there is something to tell; None for no more."""
        if self._terminal is not None:
            return _TICK
        times = [logged + self._period] if self._period else []
        times += [] if noticed else [self._notice]
        return max(min(times) - seconds, 0.01) if times else None

    def _where(self) -> str:
        """The line of the user's code that is being traced, or that most of the Program comes from."""
        if self.program is None:
            line = _line_of(sys._current_frames().get(self._compiling))
            return f", now {line}" if line else f" ({self._place})"
        count, most = _largest(self.program)
        if most is None:
            return f" ({self._place})"
        return f": {count[most]} of its {count.total()} equations come from {most}"

    def _show(self, text: str) -> None:
        if self._terminal is None:
            return
        try:
            self._terminal.write(f"\r\x1b[K{text}")
            self._terminal.flush()
        except (OSError, ValueError):  # it was closed
            self._terminal = None


def _line_of(frame: types.FrameType | None) -> str:
    """The innermost of the user's lines that run in a trace."""
    for own in users(frame, until="trace_call"):
        file = own.f_code.co_filename
        if not (
            standard(file) or file.startswith(("<string>", "<frozen"))
        ):  # what the trace has called, imports among it
            return f"{file}:{own.f_lineno}"
    return ""


def _largest(program: Program) -> tuple[collections.Counter[str], str | None]:
    """The equations of a Program counted by the user's lines, and the line with the most."""
    count: collections.Counter[SourceLocation | None] = collections.Counter()
    pending = [program]
    while pending:
        for equation in pending.pop().equations:
            count[equation.source] += 1
            pending += equation.programs()
    lines: collections.Counter[str] = collections.Counter()
    for source, number in count.items():
        if source is not None:
            lines[str(source)] += number
    return lines, max(lines, key=lines.__getitem__, default=None)


def _print(line: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):  # there is no stderr, or it was closed
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def _terminal() -> TextIO | None:
    stream = sys.stderr
    try:
        return stream if stream is not None and stream.isatty() else None
    except (AttributeError, ValueError):
        return None
