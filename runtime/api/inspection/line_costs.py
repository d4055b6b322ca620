"""The costs of each line before it runs, and the parts of an inspection about costs and decisions."""

from __future__ import annotations

import contextlib
import linecache
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from anabranch.base.shown_numbers import shown_seconds
from anabranch.runtime.api.explain import Explanation
from anabranch.runtime.api.inspection.columns import Column, Place
from anabranch.runtime.api.inspection.part import Part, Row, Table, named
from anabranch.runtime.api.memory_cache import Entry
from anabranch.runtime.api.stages import Compiled, Lowered
from anabranch.runtime.call.native_execution import NativeExecution
from anabranch.runtime.host.callbacks import LoweringError
from anabranch.runtime.ir.line_times import LineTimes
from anabranch.runtime.lower import module
from anabranch.runtime.xla import mlir_module

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


_ON_STACK = re.compile(r"= alloca \[(\d+) x i8\]")
_MEMORY = ("temp", "generated_code")  # 0 where XLA doesn't say
_ESTIMATED = ("flops", "bytes accessed")  # -1 where XLA doesn't know


def costs(lowered: Lowered, compiled: Compiled) -> dict[str, float]:
    """The costs by their names."""
    found: dict[str, float] = {}
    program = lowered.program
    found["bytes of arguments"] = float(sum(type.nbytes for type in program.in_types))
    found["bytes of results"] = float(sum(type.nbytes for type in program.out_types))
    # XLA has no estimate of what calls into this process.
    with contextlib.suppress(LoweringError, RuntimeError, ValueError):
        loops = lowered.module.made.loops
        estimate = mlir_module.estimate(module(program).text) if loops else lowered.cost_analysis()
        found |= {f"{name}, estimated": estimate[name] for name in _ESTIMATED if estimate.get(name, -1) >= 0}
    if isinstance(compiled.execution, NativeExecution):
        made = compiled.execution.code.program
        arrays = sum(kind.nbytes for k, kind in enumerate(made.arrays) if k not in made.outputs)
        found["bytes, temp"] = float(arrays + sum(map(int, _ON_STACK.findall(made.llvm))))
    else:
        memory = compiled.memory_analysis()
        found |= {f"bytes, {name.replace('_', ' ')}": float(memory[name]) for name in _MEMORY if memory[name]}
    return found


def costs_part(found: Mapping[str, float]) -> Part:
    """The costs as a table."""
    rows = tuple(Row((name, f"{value:,.0f}")) for name, value in found.items())
    return Part("Cost and memory", (Table(rows),), "estimates are XLA's; they count one step of each loop")


def decisions_part(explained: Explanation) -> Part:
    """The decisions, a table for each kind."""
    titled = explained.titled()
    tables = tuple(
        Table(tuple(Row((d.place, d.what, d.why), (d.file, d.line)) for d in rows), title=title)
        for title, rows in titled.items()
    )
    return Part(f"Decisions: {sum(map(len, titled.values()))}", tables, is_open=False)


def entries_part(entries: Sequence[Entry]) -> Part:
    """The executables as a table."""
    rows = tuple(Row(("this" if e.is_this else "", e.signature, e.compiler, e.why)) for e in entries)
    tables = (Table(rows, ("", "signature", "by", "compiled because")),) if rows else ()
    return Part(f"Compiled: {len(rows)}", tables, "" if rows else "nothing is compiled of it yet")


class StageTime(NamedTuple):
    """How long a stage took, and what there is to say of it; None where it was not done now."""

    stage: str
    seconds: float | None
    note: str


def times_part(times: Sequence[StageTime]) -> Part:
    """The stages as a table."""
    return Part("Times", (Table(tuple(Row((t.stage, _shown(t.seconds), t.note)) for t in times)),))


def _shown(seconds: float | None) -> str:
    return "not now" if seconds is None else f"{seconds * 1e3:.1f} ms"
