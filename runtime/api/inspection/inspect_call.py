"""One call inspected: each stage done and timed, and its text kept, with the user's functions it came from."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import time
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeVar

from anabranch import transpile
from anabranch.runtime.api.explain import Explanation
from anabranch.runtime.api.inspection.columns import (
    Column,
    InspectedLine,
    code_columns,
    program_column,
    stablehlo_column,
)
from anabranch.runtime.api.inspection.inspection import Inspection
from anabranch.runtime.api.inspection.line_costs import StageTime, costs, line_costs
from anabranch.runtime.api.inspection.loop_verdicts import Vectorised, verdicts
from anabranch.runtime.api.inspection.step_copies import StepCopy, of_machine_code, of_xla
from anabranch.runtime.api.inspection.suggestions import Evidence, suggestions
from anabranch.runtime.api.memory_cache import Entry
from anabranch.runtime.api.stages import Compiled, Lowered, Traced
from anabranch.runtime.call.native_execution import NativeExecution
from anabranch.runtime.ir.line_times import LineTimes
from anabranch.runtime.ir.program import Program, all_equations
from anabranch.runtime.native.located_code import LocatedCode, LocatedLoops, located_program


class UserCode:
    """The code of a function as the user wrote it, or as it was rewritten."""

    def __init__(self, code: types.CodeType) -> None:
        self.rewritten = transpile.rewritten_with(code)  # its rewritten form; None where it was left as it is
        self.file = code.co_filename
        self.first_line = self.rewritten.first_line if self.rewritten is not None else code.co_firstlineno

    def span(self) -> range:
        """The lines of the function in its file."""
        found = [(end - start, start, end) for start, end in _functions(self.file) if start <= self.first_line <= end]
        _, start, end = min(found, default=(0, self.first_line, self.first_line))
        return range(start, end + 1)


@functools.lru_cache(maxsize=8)
def _spans(text: str) -> tuple[tuple[int, int], ...]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(
        (min([node.lineno, *[d.lineno for d in getattr(node, "decorator_list", ())]]), node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    )


def _functions(file: str) -> tuple[tuple[int, int], ...]:
    """First and last lines of all functions in a file."""
    return _spans("".join(linecache.getlines(file)))


def user_codes(code: types.CodeType, program: Program, callers: Collection[types.CodeType] = ()) -> list[UserCode]:
    """The function with this code, and those of whose lines there are equations, each once.

    What is computed before and after the function has the place of one of its callers, which are no part of it.
    """
    found: dict[tuple[str, range], UserCode] = {}
    codes = (e.source.code for e in all_equations(program.equations) if e.source is not None)
    for one in map(UserCode, dict.fromkeys([code, *(one for one in codes if one not in callers)])):
        known = found.setdefault((one.file, one.span()), one)
        known.rewritten = known.rewritten or one.rewritten
    return list(found.values())


def source_column(codes: Sequence[UserCode]) -> Column:
    """The functions as the user wrote them."""
    lines: list[InspectedLine] = []
    for one in codes:
        if lines:
            lines.append(InspectedLine(""))
        for number in one.span():
            text = linecache.getline(one.file, number).rstrip("\n")
            lines.append(InspectedLine(text, (one.file, number), number))
    files = ", ".join(dict.fromkeys(os.path.basename(one.file) for one in codes))
    return Column("source", "source", files, tuple(lines))


def rewritten_column(codes: Sequence[UserCode]) -> Column:
    """The functions as they are traced."""
    lines: list[InspectedLine] = []
    for one in codes:
        if lines:
            lines.append(InspectedLine(""))
        if one.rewritten is None:
            lines += [InspectedLine("# left as it is"), *_as_it_is(one)]
            continue
        users: dict[int, int] = {}
        for own, user in one.rewritten.line_pairs():
            users.setdefault(own, user)
        for number, text in enumerate(one.rewritten.source.rstrip().splitlines(), 1):
            place = (one.file, users[number]) if number in users else None
            lines.append(InspectedLine(text, place, number))
    return Column("rewritten", "rewritten", "what is traced", tuple(lines))


def _as_it_is(code: UserCode) -> Iterator[InspectedLine]:
    for number in code.span():
        yield InspectedLine(linecache.getline(code.file, number).rstrip("\n"), (code.file, number), number)


T = TypeVar("T")


def timed(function: Callable[[], T]) -> tuple[T, float]:
    """The result of a function, and how many seconds it took."""
    start = time.perf_counter()
    made = function()
    return made, time.perf_counter() - start


def callers_of(frame: types.FrameType | None) -> Iterator[types.CodeType]:
    """The code that runs in a frame, and in those around it."""
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def inspection(
    code: types.CodeType,
    traced: Traced,
    explained: Explanation,
    known: Compiled | None,
    entries: Sequence[Entry],
    rewriting: float,
    tracing: LineTimes,
    callers: Collection[types.CodeType],
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
    rewriting : float
        How many seconds it took.
    tracing : LineTimes
        The same by lines.
    callers : collection of code
        Whose code was running when the function was inspected.
    """
    lowered, lowering = timed(traced.lower)
    _, writing = timed(lambda: lowered.text)
    compiled, compiling = (known, None) if known is not None else timed(lowered.compile)
    is_whole = isinstance(compiled.execution, NativeExecution)
    by_line = LineTimes()
    stablehlo, codes = _written(lowered, by_line, is_whole)
    users = user_codes(code, traced.program, callers)
    columns = (
        source_column(users),
        rewritten_column(users),
        program_column(traced.program, lowered.program),
        stablehlo,
        *code_columns(compiled, stablehlo, codes),
    )
    found = "in memory" if compiling is None else "found on disk" if compiled.execution.was_loaded else ""
    times = (
        StageTime("rewriting", rewriting, "what was rewritten before is kept"),
        StageTime("tracing", tracing.total, ""),
        StageTime("optimising", lowering, ""),
        StageTime("lowering", writing, "to StableHLO"),
        StageTime(f"compiling by {compiled.execution.compiler}", compiling, found),
    )
    fresh = None if found else compiling
    loops = verdicts(lowered, explained.decisions, Vectorised.of(codes), is_whole)
    copies = _copies(codes, columns, is_whole)
    evidence = Evidence(explained.decisions, loops, copies, entries)
    return Inspection(
        explanation=explained,
        columns=columns,
        times=times,
        lines=line_costs(tracing, by_line, columns, fresh),
        loops=loops,
        copies=copies,
        suggestions=suggestions(evidence),
        entries=tuple(entries),
        costs=costs(lowered, compiled),
    )


def _written(lowered: Lowered, times: LineTimes, is_whole: bool) -> tuple[Column, list[LocatedCode]]:
    """The column of StableHLO, and the machine code; `times` is told of what the compiler gets of these."""
    if lowered.native is None:
        times.begin()
        return stablehlo_column(lowered, None, times, is_native=False), []
    if is_whole:
        codes = [located_program(lowered.program, lowered.native, times)]
        unused = LocatedLoops(lowered.program, lowered.native, LineTimes())
        return stablehlo_column(lowered, unused, None, is_native=True), codes
    loops = LocatedLoops(lowered.program, lowered.native, times)
    times.begin()
    return stablehlo_column(lowered, loops, times, is_native=False), loops.codes()


def _copies(codes: Sequence[LocatedCode], columns: Sequence[Column], is_whole: bool) -> tuple[StepCopy, ...]:
    machine = [copy for code in codes for copy in of_machine_code(code.copies)]
    xla = [] if is_whole else [copy for c in columns if c.name == "hlo" for copy in of_xla(c)]
    return tuple(dict.fromkeys([*machine, *xla]))
