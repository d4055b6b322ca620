"""`Profile`: how long each line of a function takes when it runs compiled."""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from anabranch.base.coloured import coloured
from anabranch.base.frozen import frozen
from anabranch.base.html_text import element, table, text
from anabranch.base.shown_numbers import shown_seconds
from anabranch.runtime.api.inspection.columns import Place
from anabranch.runtime.api.inspection.flame_graph import Frame, TimeReport
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
    calls: int  # how often it was called
    seconds: float  # the time of a call
    # By file and line. What is left of a call is spent around the compiled code.
    lines: tuple[LineTime, ...]
    measured: str  # how it was found out, and how fine it is
    memory: MemoryUse  # what a call takes and copies

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


# A statement that others stand in: its line, and the last one of it.
_Block = tuple[int, int]
_COMPOUND = (
    ast.FunctionDef, ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match,
)  # fmt: skip


def line_frames(times: Iterable[tuple[Place, float]]) -> Iterator[Frame]:
    """The bars of lines, each with its seconds; those of one file follow one another."""
    by_file: dict[str, list[tuple[int, float]]] = {}
    for (file, line), seconds in times:
        by_file.setdefault(file, []).append((line, seconds))
    for file, lines in by_file.items():
        yield from _nested(file, sorted(lines), _blocks(file), 0)


def _blocks(file: str) -> list[_Block]:
    """The statements of a file that others stand in, those around before those within."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:  # a notebook's cell with commands of its own
        return []
    found = [(node.lineno, node.end_lineno or node.lineno) for node in ast.walk(tree) if isinstance(node, _COMPOUND)]
    return sorted(found, key=lambda block: (block[0], -block[1]))


def _nested(file: str, lines: Sequence[tuple[int, float]], blocks: Sequence[_Block], depth: int) -> Iterator[Frame]:
    """The bars of lines that stand in the same statements, so many; one that others stand in has these within it."""
    rest = list(lines)
    while rest:
        line, seconds = rest[0]
        around = [block for block in blocks if block[0] <= line <= block[1]]
        if len(around) <= depth:
            yield Frame(_text(file, line), seconds)
            del rest[0]
            continue
        block = around[depth]
        within = [found for found in rest if found[0] <= block[1]]
        own = sum(seconds for line, seconds in within if line == block[0])
        inner = [found for found in within if found[0] != block[0]]
        children = tuple(_nested(file, inner, blocks, depth + 1))
        yield Frame(_text(file, block[0]), own + sum(child.seconds for child in children), children)
        del rest[: len(within)]


def _text(file: str, line: int) -> str:
    return f"{line}: {linecache.getline(file, line).strip()}"
