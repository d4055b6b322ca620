"""`Inspection`: what became of a function on some arguments, line by line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from anabranch.base.coloured import coloured
from anabranch.base.frozen import frozen
from anabranch.base.html_text import framed
from anabranch.runtime.api.explain import Explanation
from anabranch.runtime.api.inspection.columns import Column
from anabranch.runtime.api.inspection.line_costs import (
    LineCost,
    StageTime,
    costs_part,
    decisions_part,
    entries_part,
    lines_part,
    times_part,
)
from anabranch.runtime.api.inspection.loop_verdicts import LoopVerdict, loops_part
from anabranch.runtime.api.inspection.page import page
from anabranch.runtime.api.inspection.part import Part
from anabranch.runtime.api.inspection.step_copies import StepCopy, copies_part
from anabranch.runtime.api.inspection.suggestions import Suggestion, suggestions_part
from anabranch.runtime.api.memory_cache import Entry


@frozen
class Inspection:
    """The forms of a function on some arguments: a page for a browser, and a text for a terminal.

    `str` of it is the text. Notebooks show the page in a frame.

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

    explanation: Explanation  # what was decided, and why: as `f.explain(*args)` gives it
    # The texts: source, rewritten, Program, StableHLO, and optimised HLO or LLVM's code and assembly.
    columns: tuple[Column, ...]
    times: tuple[StageTime, ...]
    lines: tuple[LineCost, ...]  # the seconds of tracing, lowering and compiling for each line
    loops: tuple[LoopVerdict, ...]  # of what each loop is made, and whether it is vectorised and parallel
    copies: tuple[StepCopy, ...]  # the arrays that each step of a loop copies
    suggestions: tuple[Suggestion, ...]  # what may be written otherwise
    entries: tuple[Entry, ...]  # what is compiled of the function in memory, the first one first
    costs: Mapping[str, float]  # estimated operations and bytes, and the memory that a run takes

    @property
    def html(self) -> str:
        """One page, which needs nothing else: pointing at a line lights up what became of it."""
        title = f"{self.explanation.function}({self.explanation.signature})"
        return page(title, self.columns, [*self._parts(), decisions_part(self.explanation)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page into a file."""
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(self.html)

    def _parts(self) -> list[Part]:
        seconds = {row.stage: row.seconds for row in self.times}
        *_, compiling = self.times
        return [
            suggestions_part(self.suggestions),
            loops_part(self.loops),
            copies_part(self.copies),
            times_part(self.times),
            lines_part(
                self.lines, seconds["tracing"] or 0.0, is_compiled=compiling.seconds is not None and not compiling.note
            ),
            costs_part(self.costs),
            entries_part(self.entries),
        ]

    def _repr_html_(self) -> str:
        return framed(self.html)

    def __str__(self) -> str:
        return "\n".join(self._text())

    def __rich__(self) -> Any:
        """The text in colours, for terminals."""
        return coloured(
            self,
            {
                r"\A.*": "bold",
                r"(?m)^[A-Z][^│\n]*$": "bold",
                r"(?m)^ *[^\s:│]+\.py:\d+": "cyan",
                r"\b(?:machine code|yes: [^;\n]*?at once)": "green",
                r"\b(?:XLA's loop|unrolled|run while tracing)\b": "yellow",
                r"\d[\d.,]* (?:s|ms|µs|ns)\b": "magenta",
            },
        )

    def _text(self) -> Iterator[str]:
        yield str(self.explanation)
        for part in self._parts():
            yield from part.text()
        source, *others = self.columns
        yield "\nLines of each text by the lines of the source"
        yield "  " + " ".join(f"{c.name:>9}" for c in others)
        counts = [column.counts() for column in others]
        for line in source.lines:
            numbers = " ".join(f"{(of[line.place] if line.place else 0) or '':>9}" for of in counts)
            yield f"  {numbers} │ {line.number or '':>4} {line.text}".rstrip()
