"""Parts of an inspection: the cost of a run, how long each stage took, the decisions, and what is compiled."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from anabranch.runtime.api.explain import Explanation
from anabranch.runtime.api.inspection.part import Part, Row, Table
from anabranch.runtime.api.memory_cache import Entry
from anabranch.runtime.api.stages import Compiled, Lowered
from anabranch.runtime.call.native_execution import NativeExecution
from anabranch.runtime.host.callbacks import LoweringError
from anabranch.runtime.lower import module
from anabranch.runtime.xla import mlir_module

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
