"""`Inspection`: what became of a function on some arguments, line by line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from anabranch.base.frozen import frozen
from anabranch.base.html_text import framed
from anabranch.runtime.api.explain import Explanation
from anabranch.runtime.api.inspection.columns import Column
from anabranch.runtime.api.inspection.page import page
from anabranch.runtime.api.memory_cache import Entry


class StageTime(NamedTuple):
    """How long a stage took, and what there is to say of it; None where it was not done now."""

    stage: str
    seconds: float | None
    note: str


@frozen
class Inspection:
    """The forms of a function on some arguments: a page for a browser, and a text for a terminal.

    `str` of it is the text. Notebooks show the page in a frame.

    Attributes
    ----------
    explanation : Explanation
        What was decided, and why: as `f.explain(*args)` gives it.
    columns : tuple of Column
        The texts: source, rewritten, Program, StableHLO, and optimised HLO or LLVM's code and assembly.
    times : tuple of StageTime
    entries : tuple of Entry
        What is compiled of the function in memory, the first one first.
    costs : mapping of str to float
        Estimated operations and bytes, and the memory that a run takes.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import jit
    >>> @jit
    ... def double(x):
    ...     return x * 2.0
    >>> double.inspect(np.ones(3)).explanation.signature
    'x: float64[3]'
    """

    explanation: Explanation
    columns: tuple[Column, ...]
    times: tuple[StageTime, ...]
    entries: tuple[Entry, ...]
    costs: Mapping[str, float]

    @property
    def html(self) -> str:
        """One page, which needs nothing else: pointing at a line lights up what became of it."""
        return page(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page into a file."""
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        return framed(self.html)

    def __str__(self) -> str:
        return "\n".join(self._text())

    def _text(self) -> Iterator[str]:
        yield str(self.explanation)
        yield "\nTimes"
        yield from (f"  {row.stage}: {shown_time(row.seconds)}{row.note and f' ({row.note})'}" for row in self.times)
        yield "\nCosts"
        yield from (f"  {name}: {value:,.0f}" for name, value in self.costs.items())
        if self.entries:
            yield "\nCompiled"
        for entry in self.entries:
            yield f"  {'* ' if entry.is_this else ''}{entry.signature}: by {entry.compiler}; {entry.why}"
        source, *others = self.columns
        yield "\nLines of each text by the lines of the source"
        yield "  " + " ".join(f"{c.name:>9}" for c in others)
        counts = [column.counts() for column in others]
        for line in source.lines:
            numbers = " ".join(f"{(of[line.place] if line.place else 0) or '':>9}" for of in counts)
            yield f"  {numbers} │ {line.number or '':>4} {line.text}".rstrip()


def shown_time(seconds: float | None) -> str:
    """Seconds as milliseconds."""
    return "not now" if seconds is None else f"{seconds * 1e3:.1f} ms"
