"""The form of each loop: how it is compiled, whether it is vectorised and parallel, and why not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from anabranch.base.frozen import frozen
from anabranch.runtime.api.inspection.columns import Place, place_of
from anabranch.runtime.api.inspection.part import Part, Row, Table, named, shortened
from anabranch.runtime.api.inspection.user_statements import loop_at, loops_around
from anabranch.runtime.api.stages import Lowered
from anabranch.runtime.host.llvm_pipeline import Remark, remarks
from anabranch.runtime.host.machine_code import HAS_THREADS, is_available
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.native.failures import FailureValues
from anabranch.runtime.native.independent_steps import are_shared
from anabranch.runtime.native.located_code import LocatedCode
from anabranch.runtime.native.loops import LoopForm
from anabranch.runtime.ops.structured import Loop, has_loops
from anabranch.runtime.passes.range_analysis import value_ranges
from anabranch.runtime.tracing.decision_log import Decision

_SOME = "instruction cannot be vectorized"
_CANNOT, _OUTER = "LLVM cannot be asked here", "no: only loops without others in them can be"
_WORDS = {
    "cannot prove it is safe to reorder floating-point operations": "a sum of floats depends on the order of its terms",
    "value that could not be identified as reduction is used outside the loop": "each step needs the one before",
    "could not determine number of loop iterations": "how many steps there are is known only in the loop",
    "uncountable loop": "how many steps there are is known only in the loop",
    "Control flow cannot be substituted": "a step may leave the loop, or branches",
    "library call cannot": "a step calls a library's function, which computes one value at a time",
    "early exit loop": "a step may leave the loop",
    "loop control flow is not understood by vectorizer": "a step may leave the loop, or branches in a way that LLVM "
    "has no vector form for",
    "call instruction cannot be vectorized": "a step calls a function that computes one value at a time",
    "the cost-model indicates that vectorization is not beneficial": "LLVM finds that it would be no faster",
    "cannot identify array bounds": "LLVM cannot tell whether what a step writes is read by others",
    "unsafe dependent memory operations in loop": "a step may read what another one has written",
    "Backward loop carried data dependence": "a step reads what the one before has written",
}


class Vectorised:
    """LLVM's remarks on loops.

    Parameters
    ----------
    of_loops, of_arrays : mapping, optional
        Its remarks on the loops that begin at each line, and on those that are there for all elements of an array; None
        where it cannot be asked.
    """

    def __init__(
        self, of_loops: Mapping[Place, Sequence[Remark]] | None, of_arrays: Mapping[Place, Sequence[Remark]]
    ) -> None:
        self._of_loops, self._of_arrays = of_loops, of_arrays

    @classmethod
    def of(cls, codes: Sequence[LocatedCode]) -> Vectorised:
        """LLVM's remarks on the loops of machine code."""
        said = remarks([code.module for code in codes])
        if said is None:
            return cls(None, {})
        loops: dict[Place, list[Remark]] = {}
        arrays: dict[Place, list[Remark]] = {}
        for code, rows in zip(codes, said, strict=True):
            for remark in rows:
                if 0 < remark.line <= len(code.places):
                    found = loops if remark.line in code.loops else arrays
                    found.setdefault(code.places[remark.line - 1].place[:2], []).append(remark)
        return cls(loops, arrays)

    def of_loop(self, place: Place, *, has_loops: bool) -> str:
        """The remark on a loop, which may have others in its steps."""
        if self._of_loops is None:
            return _CANNOT
        own = self._of_loops.get(place, ())
        widths = " or ".join(map(str, sorted({remark.width for remark in own if remark.width})))
        reasons = "; ".join(dict.fromkeys(_plain(reason) for remark in own for reason in _telling(remark)))
        if widths:
            return (
                f"in part, {widths} steps at once; else not: {reasons}" if reasons else f"yes: {widths} steps at once"
            )
        if reasons:
            return f"no: {reasons}"
        if has_loops:
            return _OUTER
        within = [r for at, rows in self._of_arrays.items() if at == place or place in loops_around(at) for r in rows]
        widths = " or ".join(map(str, sorted({remark.width for remark in within if remark.width})))
        if widths:
            return f"no, but what a step does to whole arrays is: {widths} elements at once"
        return "no: LLVM gives no reason" if own else "LLVM does not say"


def _telling(remark: Remark) -> Sequence[str]:
    """The reasons of a remark; that some instruction is not vectorised tells nothing beside others."""
    return [reason for reason in remark.reasons if not reason.startswith(_SOME)] or remark.reasons


def _plain(reason: str) -> str:
    """A reason in plain words."""
    return next((plain for words, plain in _WORDS.items() if words in reason), reason.split(". ")[0])


MACHINE, XLA, UNROLLED, PYTHON, GONE = "machine code", "XLA's loop", "unrolled", "run while tracing", "no loop is left"
_OBSTACLES = {"custom_call": "a call of a function of this process, or of a library's"}
_SHARED = "yes: threads share its steps"
_ONE_THREAD = "no: a step may wait for another one or fail, or all take less time than it takes to make threads"
_XLAS_STEPS = "no: XLA runs one step after the other"
_ANY_THREADS = "no: a step waits for the one before; what it does to a large array may use several threads"
_KINDS, _LOOP = ("staged", "unrolled", "decided"), re.compile("loop|comprehension|generator")


@frozen
class LoopVerdict:
    """The form that a loop of the user's is compiled in."""

    place: Place
    loop: str  # "for", "while", "comprehension", or "an operation" for one that a line makes without saying so
    made: str  # "machine code", "XLA's loop", "unrolled", "run while tracing" or "no loop is left"
    why: str  # why it is not machine code, or what is known of its steps
    # "no" with the reason, or what there is; empty where it is no loop any more.
    vectorised: str = ""
    parallel: str = ""


class _Found(NamedTuple):
    """A loop of a Program, with the form of it or of the one around it that is machine code."""

    place: Place
    obstacle: str
    is_machine_code: bool
    has_loops: bool
    is_shared: bool


def verdicts(
    lowered: Lowered, decisions: Sequence[Decision], vectorised: Vectorised, is_whole: bool
) -> tuple[LoopVerdict, ...]:
    """The verdicts on all loops that the trace met.

    Parameters
    ----------
    lowered : Lowered
    decisions : sequence of Decision
    vectorised : Vectorised
        What LLVM says of loops of machine code.
    is_whole : bool
        Whether the function is machine code as a whole.
    """
    made: dict[Place, LoopVerdict] = {}
    how = {(d.file, d.line): d for d in decisions if d.kind in _KINDS and _LOOP.search(d.what)}
    none = _no_machine_code(lowered)
    shared = _Shared(value_ranges(lowered.program), FailureValues(lowered.program))
    for found in _loops(lowered.program, lowered.module.made.loops, is_whole, none, shared):
        if found.place in made and not found.is_machine_code:
            continue
        kind, decision = loop_at(found.place) or "an operation", how.get(found.place)
        steps = "" if decision is None else shortened(decision.why)
        if found.is_machine_code:
            vector = vectorised.of_loop(found.place, has_loops=found.has_loops)
            threads = _SHARED if found.is_shared else _ONE_THREAD
            made[found.place] = LoopVerdict(found.place, kind, MACHINE, steps, vector, threads)
        else:
            obstacle = _OBSTACLES.get(found.obstacle, found.obstacle)
            why = f"not machine code, for {obstacle}"
            made[found.place] = LoopVerdict(found.place, kind, XLA, why, _XLAS_STEPS, _ANY_THREADS)
    for place, decision in how.items():
        if place not in made and loop_at(place):
            made[place] = LoopVerdict(place, loop_at(place), *_without_loop(decision))
    return tuple(made[place] for place in sorted(made))


def _without_loop(decision: Decision) -> tuple[str, str]:
    why = shortened(decision.why)
    if decision.kind == "unrolled":
        return UNROLLED, why
    if decision.kind == "decided":
        return PYTHON, why
    return GONE, f"it was {why}; its steps are now operations on whole arrays, or nothing asks for them"


def _no_machine_code(lowered: Lowered) -> str:
    if lowered.native is not None:
        return "what it stands in"
    return "the setting native_loops, which is off" if is_available() else "llvmlite, which is not installed"


class _Shared(NamedTuple):
    """The facts that decide which loops threads share."""

    ranges: Mapping[Var, Interval]
    failures: FailureValues


def _loops(
    program: Program, forms: Sequence[LoopForm], is_native: bool, obstacle: str, shared: _Shared | None
) -> Iterator[_Found]:
    """The loops of a Program and of what is in it; one that nobody asked for has the form of the one around it."""
    for equation in program.equations:
        inner, why, left = is_native, obstacle, shared
        if isinstance(equation.op, Loop):
            form = None if is_native else next((f for f in forms if f.source is equation.source), None)
            if form is not None:
                inner, why = not form.obstacle, form.obstacle or obstacle
            place = place_of(equation.source)
            # In a loop that threads share they share no other one.
            is_shared = inner and HAS_THREADS and shared is not None and are_shared(equation, *shared)
            left = None if is_shared else shared
            if place is not None:
                yield _Found(place, why, inner, any(has_loops(p.equations) for p in equation.programs()), is_shared)
        for one in equation.programs():
            yield from _loops(one, forms, inner, why, left)


def loops_part(loops: Sequence[LoopVerdict]) -> Part:
    """The loops as a table."""
    rows = tuple(Row((named(v.place), v.loop, v.made, v.why, v.vectorised, v.parallel), v.place) for v in loops)
    head = ("line", "loop", "made of", "because", "vectorised", "parallel")
    return Part(f"Loops: {len(rows)}", (Table(rows, head),))
