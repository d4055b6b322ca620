"""Exceptions that end a trace, or an attempt within it, so that it is made again in another way."""

from __future__ import annotations

import contextlib
import contextvars
import time
from collections.abc import Iterator

from anabranch.base.context_values import having
from anabranch.base.signals import Interrupt


class Restart(BaseException):
    """Raised while tracing when a function must be rewritten in another way, and the whole be traced again.

    With `lists`, all of them: lists that they make have a length that is known only at run time.
    """

    def __init__(self, lists: bool = False) -> None:
        super().__init__()
        self.lists = lists


class Abandon(Restart):
    """Raised while tracing when an attempt has come to cost more than it may; what had begun it catches it."""

    def __init__(self, limit: object) -> None:
        super().__init__()
        self.limit = limit


_end: contextvars.ContextVar[float | None] = contextvars.ContextVar("end", default=None)


class OutOfTime(Interrupt):
    """Raised while tracing when an attempt has taken as long as it may."""


@contextlib.contextmanager
def tracing_for(seconds: float) -> Iterator[None]:
    """Let what is traced in the block take so long.

    Raises
    ------
    OutOfTime
        Where it takes longer.
    """
    with having(_end, time.monotonic() + seconds):
        yield


def is_attempt() -> bool:
    """Return whether what is traced now is given up where anything speaks against it, and made in another way."""
    return _end.get() is not None


def check_time() -> None:
    """Raise `OutOfTime` where an attempt has taken as long as it may."""
    end = _end.get()
    if end is not None and time.monotonic() > end:
        raise OutOfTime
