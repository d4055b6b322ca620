"""What is seen of a compilation that takes long: a line in the log each few seconds, and one on a terminal."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from types import TracebackType
from typing import TextIO

from anabranch.runtime.config import settings

_log = logging.getLogger("anabranch.progress")
_TICK = 0.2
_WHEEL = "|/-\\"


class Progress:
    """While it is entered, a thread tells of a compilation, if that takes longer than `settings().progress`.

    Attributes
    ----------
    stage : str
        What is being done now.
    """

    def __init__(self, function: str) -> None:
        self.stage = "traced"
        self._function = function
        self._period = settings().progress
        self._start = time.monotonic()
        self._done = threading.Event()
        self._shown = False
        self._terminal = _terminal() if settings().progress_bar else None
        self._thread = threading.Thread(target=self._tell, name="anabranch progress", daemon=True)

    def __enter__(self) -> Progress:
        if self._period:
            with contextlib.suppress(RuntimeError):  # no more threads can be had, or the interpreter ends
                self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._done.set()
        if self._shown:
            self._thread.join()  # nothing may appear on the terminal after this

    def _tell(self) -> None:
        if self._done.wait(self._period):
            return
        self._shown = True
        told, ticks = 0.0, 0
        while True:
            seconds = time.monotonic() - self._start
            text = f"{self._function} has been compiled for {seconds:.0f} s, and is being {self.stage}"
            if seconds >= told + self._period:
                _log.info(text)
                told = seconds
            self._show(f"{_WHEEL[ticks % len(_WHEEL)]} {text}")
            ticks += 1
            if self._done.wait(_TICK if self._terminal else self._period):
                break
        self._show("")

    def _show(self, text: str) -> None:
        if self._terminal is None:
            return
        try:
            self._terminal.write(f"\r\x1b[K{text}")
            self._terminal.flush()
        except (OSError, ValueError):  # it was closed
            self._terminal = None


def _terminal() -> TextIO | None:
    stream = sys.stderr
    try:
        return stream if stream is not None and stream.isatty() else None
    except (AttributeError, ValueError):
        return None
