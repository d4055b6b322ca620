"""One call inspected: each stage done and timed, and its text kept."""

from __future__ import annotations

import contextlib
import time
import types
from collections.abc import Callable, Sequence
from typing import TypeVar

from anabranch.runtime.api.explain import Explanation
from anabranch.runtime.api.inspection.columns import code_columns, program_column, stablehlo_column
from anabranch.runtime.api.inspection.inspection import Entry, Inspection, StageTime
from anabranch.runtime.api.inspection.user_sources import rewritten_column, source_column, user_codes
from anabranch.runtime.api.stages import Compiled, Lowered, Traced
from anabranch.runtime.call.native_execution import NativeExecution
from anabranch.runtime.host.callbacks import LoweringError
from anabranch.runtime.native.located_code import LocatedLoops

T = TypeVar("T")
_ESTIMATED = ("flops", "bytes accessed")  # -1 where XLA doesn't know


def timed(function: Callable[[], T]) -> tuple[T, float]:
    """The result of a function, and how many seconds it took."""
    start = time.perf_counter()
    made = function()
    return made, time.perf_counter() - start


def inspection(
    code: types.CodeType,
    traced: Traced,
    explained: Explanation,
    known: Compiled | None,
    entries: Sequence[Entry],
    rewriting: float,
    tracing: float,
) -> Inspection:
    """The inspection of a call that has been traced.

    Parameters
    ----------
    code : code
        The user's function's.
    traced : Traced
    explained : Explanation
    known : Compiled or None
        The executable of the call, where it is in memory.
    entries : sequence of Entry
        All executables in memory.
    rewriting, tracing : float
        How many seconds it took.
    """
    lowered, lowering = timed(traced.lower)
    _, writing = timed(lambda: lowered.text)
    compiled, compiling = (known, None) if known is not None else timed(lowered.compile)
    is_native = isinstance(compiled.execution, NativeExecution)
    loops = None if lowered.native is None else LocatedLoops(lowered.program, lowered.native)
    stablehlo = stablehlo_column(lowered, loops, is_native)
    codes = user_codes(code, traced.program)
    columns = (
        source_column(codes),
        rewritten_column(codes),
        program_column(traced.program, lowered.program),
        stablehlo,
        *code_columns(lowered, compiled, stablehlo, loops),
    )
    found = "in memory" if compiling is None else "found on disk" if compiled.execution.was_loaded else ""
    times = (
        StageTime("rewriting", rewriting, "what was rewritten before is kept"),
        StageTime("tracing", tracing, ""),
        StageTime("optimising", lowering, ""),
        StageTime("lowering", writing, "to StableHLO"),
        StageTime(f"compiling by {compiled.execution.compiler}", compiling, found),
    )
    return Inspection(explained, columns, times, tuple(entries), _costs(lowered, compiled))


def _costs(lowered: Lowered, compiled: Compiled) -> dict[str, float]:
    costs: dict[str, float] = {}
    program = lowered.program
    costs["bytes of arguments"] = float(sum(type.nbytes for type in program.in_types))
    costs["bytes of results"] = float(sum(type.nbytes for type in program.out_types))
    # XLA has no estimate of what calls into this process.
    with contextlib.suppress(LoweringError, RuntimeError, ValueError):
        estimate = lowered.cost_analysis()
        costs |= {f"{name}, estimated": estimate[name] for name in _ESTIMATED if estimate.get(name, -1) >= 0}
    if not isinstance(compiled.execution, NativeExecution):
        memory = compiled.memory_analysis()
        costs |= {f"bytes, {name.replace('_', ' ')}": float(memory[name]) for name in ("temp", "generated_code")}
    return costs
