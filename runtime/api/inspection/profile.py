"""`Profile`: how long each line of a function takes when it runs compiled."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from anabranch.base.coloured import coloured
from anabranch.base.frozen import frozen
from anabranch.base.html_text import element, table, text
from anabranch.base.shown_numbers import shown_seconds
from anabranch.runtime.api.inspection.columns import Place
from anabranch.runtime.api.inspection.flame_graph import Frame, TimeReport
from anabranch.runtime.api.inspection.line_frames import line_frames
from anabranch.runtime.api.inspection.memory_use import MemoryUse

_LEAST = 0.0005  # of a share, to be shown


class LineTime(NamedTuple):
    """A line of the user's, and the part of a call's time that it takes, from 0 to 1."""

    place: Place
    share: float

    @property
    def code(self) -> str:
        """The line's text."""
        return linecache.getline(*self.place).rstrip("\n")


@frozen
class Profile(TimeReport):
    """How long each line of a function takes when it runs compiled; `str` of it is a table.

    Attributes
    ----------
    function : str
    signature : str
    calls : int
        How often it was called.
    seconds : float
        The time of a call.
    lines : tuple of LineTime
        By file and line. What is left of a call is spent around the compiled code.
    measured : str
        How it was found out, and how fine it is.
    memory : MemoryUse
        What a call takes and copies.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import jit
    >>> @jit
    ... def total(x):
    ...     s = 0.0
    ...     for v in x:
    ...         s += np.sin(v)
    ...     return s
    >>> found = total.profile(np.ones(100_000), seconds=0.2)  # doctest: +SKIP
    >>> print(found)  # doctest: +SKIP
    total(x: float64[100000]): 950 µs a call, of 211 calls; 198 samples of machine code
        share       time │ line
       97.5 %     926 µs │    7         s += np.sin(v)
        2.5 %    23.8 µs │      around the compiled code
    memory: 800 kB of arguments, 8 B of results; nothing is copied
    """

    function: str
    signature: str
    calls: int
    seconds: float
    lines: tuple[LineTime, ...]
    measured: str
    memory: MemoryUse

    @property
    def around(self) -> float:
        """The share of the time that is spent around the compiled code."""
        return max(0.0, 1.0 - sum(line.share for line in self.lines))

    def __str__(self) -> str:
        rows = [f"{self._head()}", f"{'share':>9} {'time':>10} │ line"]
        lines = (f"{share:>9} {time:>10} │ {line}" for share, time, line in self._rows())
        return "\n".join([*rows, *lines, str(self.memory)])

    def frames(self) -> Frame:
        """The bars of a call: its lines, in the loops and branches that they stand in, and what is around the code."""
        lines = line_frames((line.place, line.share * self.seconds) for line in self.lines if line.share >= _LEAST)
        around = Frame("around the compiled code", self.around * self.seconds)
        return Frame(f"{self.function}({self.signature})", self.seconds, (*lines, around))

    def __rich__(self) -> Any:
        """The table in colours, for terminals."""
        return coloured(
            self, {r"\A.*": "bold", r"(?m)^ *[1-9]\d(?:\.\d)? %.*$": "red", r"\d[\d.]* (?:s|ms|µs|ns)\b": "cyan"}
        )

    def _repr_html_(self) -> str:
        rows = table(self._rows(), ("share", "time", "line"))
        return element("div", element("code", text(self._head())), rows, element("p", text(self.memory)))

    def _head(self) -> str:
        time = shown_seconds(self.seconds)
        return f"{self.function}({self.signature}): {time} a call, of {self.calls} calls; {self.measured}"

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        file = ""
        for line in self.lines:
            if line.share < _LEAST:
                continue
            if file and line.place[0] != file:
                yield "", "", f"     {os.path.basename(line.place[0])}"
            file = line.place[0]
            yield *self._times(line.share), f"{line.place[1]:>4} {line.code}"
        yield *self._times(self.around), "     around the compiled code"

    def _times(self, share: float) -> tuple[str, str]:
        return f"{share * 100:.1f} %", shown_seconds(share * self.seconds)
