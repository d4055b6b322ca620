"""The costs of each line before it runs: seconds of tracing, of lowering and of compiling."""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from anabranch.base.shown_numbers import shown_seconds
from anabranch.runtime.api.inspection.columns import Column, Place
from anabranch.runtime.api.inspection.part import Part, Row, Table, named
from anabranch.runtime.ir.line_times import LineTimes

_ABOUT_XLA = (
    "XLA does not say how long it took for a line; the instructions that it has made of it are counted in place of that"
)
_ABOUT_LLVM = "LLVM does not say how long it took for a line; its time is shared by the instructions that it was given"
_NOT_NOW = "nothing was compiled now: the code was there"


class LineCost(NamedTuple):
    """The costs of a line before it runs."""

    place: Place
    # Seconds, measured.
    tracing: float
    lowering: float
    compiling: float | None  # seconds, estimated; None where nothing says how to share them, or nothing was compiled
    instructions: int  # of the compiled code

    @property
    def seconds(self) -> float:
        """All of them."""
        return self.tracing + self.lowering + (self.compiling or 0.0)


def line_costs(
    tracing: LineTimes, lowering: LineTimes, columns: Sequence[Column], compiling: float | None
) -> tuple[LineCost, ...]:
    """The costs of the lines of the source, in their order.

    Parameters
    ----------
    tracing, lowering : LineTimes
    columns : sequence of Column
        All that there are, the source first.
    compiling : float or None
        The seconds of it; None where nothing was compiled.
    """
    by_name = {column.name: column.counts() for column in columns}
    nothing = Counter[Place]()
    given = nothing if "hlo" in by_name else by_name.get("llvm", nothing)
    made = by_name.get("hlo") or by_name.get("assembly") or nothing
    whole = sum(given.values())
    traced, lowered = tracing.by_line(), lowering.by_line()
    source = {line.place for line in columns[0].lines if line.place is not None}
    places = sorted(source.intersection({*traced, *lowered, *given, *made}))

    def shared(place: Place) -> float | None:
        return None if compiling is None or not whole else compiling * given.get(place, 0) / whole

    return tuple(LineCost(p, traced.get(p, 0.0), lowered.get(p, 0.0), shared(p), made.get(p, 0)) for p in places)


def lines_part(lines: Sequence[LineCost], tracing: float, is_compiled: bool) -> Part:
    """The lines as a table, those that cost most first.

    Parameters
    ----------
    lines : sequence of LineCost
    tracing : float
        The seconds of all of it.
    is_compiled : bool
        Whether something was compiled now.
    """
    ordered = sorted(lines, key=lambda line: -line.seconds)
    rows = [Row(_cells(line), line.place) for line in ordered]
    rest = tracing - sum(line.tracing for line in lines)
    rows.append(Row(("", shown_seconds(max(rest, 0.0)), "", "", "", "before and after the lines")))
    estimated = any(line.compiling is not None for line in lines)
    note = _NOT_NOW if not is_compiled else _ABOUT_LLVM if estimated else _ABOUT_XLA
    head = ("line", "tracing", "lowering", "compiling", "instructions", "")
    return Part("Seconds of each line before it runs", (Table(tuple(rows), head),), note)


def _cells(line: LineCost) -> tuple[str, ...]:
    compiling = f"about {shown_seconds(line.compiling)}" if line.compiling else ""
    text = linecache.getline(*line.place).strip()
    return (
        named(line.place),
        shown_seconds(line.tracing) if line.tracing else "",
        shown_seconds(line.lowering) if line.lowering else "",
        compiling,
        str(line.instructions or ""),
        text,
    )
