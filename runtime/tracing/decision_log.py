"""A log of the decisions made while a function was traced, and why, for `f.explain`: kept only where somebody asks."""

from __future__ import annotations

import contextlib
import contextvars
import os
import re
from collections.abc import Iterator

from anabranch.base.frozen import frozen


@frozen
class Decision:
    """One thing that was decided."""

    # "argument", "specialised", "rewritten", "staged", "unrolled", "decided", "capacity", "array", "generator",
    # "large", "written", "host", "effect", "guarded", "executable".
    kind: str
    what: str  # what it was decided of
    why: str  # what became of it, and the reason
    file: str = ""
    line: int = 0  # the user's; "" and 0 for what stands nowhere

    @property
    def place(self) -> str:
        """The file's name and the line; empty for what stands nowhere."""
        return f"{os.path.basename(self.file)}:{self.line}" if self.line else ""


class Decisions:
    """Those of one trace, in the order in which they were made."""

    def __init__(self) -> None:
        self.made: list[Decision] = []

    def note(self, kind: str, what: str, why: str) -> None:
        """Note a decision; `what` may end with its place: "the if at file.py:12"."""
        found = _PLACE.fullmatch(what)
        name, file, line = (found[1], found[2], int(found[3])) if found else (what, "", 0)
        self.made.append(Decision(kind, name.removeprefix("the "), why, file, line))

    def listed(self) -> list[Decision]:
        """Each once, by place."""
        return sorted(dict.fromkeys(self.made), key=lambda d: (d.file, d.line))


_PLACE = re.compile(r"(.*) at (.*):(\d+)", re.DOTALL)
_asked: contextvars.ContextVar[Decisions | None] = contextvars.ContextVar("decisions", default=None)


def asked() -> Decisions | None:
    """Where the trace that begins now shall note its decisions; those of a trace before it are forgotten."""
    decisions = _asked.get()
    if decisions is not None:
        decisions.made.clear()
    return decisions


@contextlib.contextmanager
def noting() -> Iterator[Decisions]:
    """Note what traces decide within a `with` block; the last one counts."""
    decisions = Decisions()
    token = _asked.set(decisions)
    try:
        yield decisions
    finally:
        _asked.reset(token)
