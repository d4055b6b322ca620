"""Exceptions that end a trace, or an attempt within it, so that it is made again in another way."""

from __future__ import annotations


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
