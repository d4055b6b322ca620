"""Four oracles on a generated program: eager Python against each stage on the way to XLA."""

from __future__ import annotations

import ast
import dataclasses
import enum
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from anabranch import AnabranchError, IntegerRangeError, jit
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.testing.check import marked_source
from anabranch.runtime.testing.compare_outcomes import Difference, Tolerance, first_difference
from anabranch.runtime.testing.outcomes import Outcome
from anabranch.runtime.testing.stage_bisection import stages
from property_tests.eager import appends_by_condition, binds_anew, is_ill_typed, is_told_otherwise, meets_long_ints
from property_tests.generation.programs import GeneratedProgram

# Numbers of programs are short in binary, so sums are exact in any order; what is left are XLA's own functions.
TOLERANCE = Tolerance(ulps=256, atol=1e-9, copies=True)


class Verdict(enum.StrEnum):
    """A verdict on a program."""

    EQUAL = "equal"
    REFUSED = "refused"
    DIFFERENT = "different"
    ILL_TYPED = "ill-typed"  # a fault of the generator


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judgement of the oracles on a program.

    Attributes
    ----------
    verdict : Verdict
    key : str
        Of a refusal: class, code and first line, names and numbers left out; of an ill-typed program, its exception.
    stage : str
        Of a difference: the first stage that does not do what eager Python does.
    call : str
        The arguments.
    difference : Difference, optional
    error : str
        The refusal's whole text.
    source : str
        Of a difference: the rewritten source, marked.
    """

    verdict: Verdict
    key: str = ""
    stage: str = ""
    call: str = ""
    difference: Difference | None = None
    error: str = ""
    source: str = ""

    def __str__(self) -> str:
        if self.verdict is Verdict.EQUAL:
            return "equal"
        if self.difference is None:
            return f"{self.verdict} on f{self.call}: {self.error or self.key}"
        rows = [
            f"f{self.call}: {self.difference.what} of {self.difference.where}",
            f"    eager:    {self.difference.plain}",
            f"    compiled: {self.difference.compiled}",
            f"    made by:  {self.stage}",
            "rewritten source:",
            *(f"    {line}" for line in self.source.splitlines()),
        ]
        return "\n".join(rows)


def judge(program: GeneratedProgram, wrapped: Wrapped[..., Any] | None = None) -> Judgement:
    """Compare what eager Python does with what each stage does, for all sets of arguments of a program.

    One compiled function takes all of them in turn; the first set is called three times, since the second call of a
    signature makes its fast path, and the third takes it.

    Parameters
    ----------
    program : GeneratedProgram
    wrapped : Wrapped, optional
        The compiled function; `jit(program.function)` by default.
    """
    return _Judging(program, jit(program.function) if wrapped is None else wrapped).of_all()


def judge_calls(program: GeneratedProgram, wrapped: Wrapped[..., Any], tolerance: Tolerance = TOLERANCE) -> Judgement:
    """Compare, as `judge`, what eager Python does with what the compiled function does, and with no stage before it."""
    return _Calls(program, wrapped, tolerance).of_all()


class _Calls:
    """One program with its compiled function, of which the calls are compared."""

    def __init__(self, program: GeneratedProgram, wrapped: Wrapped[..., Any], tolerance: Tolerance = TOLERANCE) -> None:
        self._program = program
        self._wrapped = wrapped
        self._tolerance = tolerance
        self._ways: dict[str, Callable[..., Any]] = {}
        self._binds_anew = binds_anew(program.text)
        declared = (node.names for node in ast.walk(ast.parse(program.text)) if isinstance(node, ast.Global))
        self._globals = {name: program.scope[name] for names in declared for name in names}

    def of_all(self) -> Judgement:
        """Return the judgement on all sets of arguments."""
        first, *others = zip(self._program.argsets, self._program.arguments(), strict=True)
        for times, (call, args) in ((3, first), *((1, other) for other in others)):
            found = self.judged(call, args, times)
            if found is not None:
                return found
        return Judgement(Verdict.EQUAL)

    def judged(self, call: str, args: tuple[Any, ...], times: int) -> Judgement | None:
        """Return the judgement on one set of arguments."""
        want = self._outcome(self._program.function, args)
        for stage, got in self._outcomes(args, times):
            difference = first_difference(want, got, tolerance=self._tolerance) or self._lost_identity(want, got)
            if difference is None or is_told_otherwise(want.error, got.error):
                continue
            if isinstance(got.error, IntegerRangeError) and meets_long_ints(self._program, args):
                return None
            if isinstance(got.error, AnabranchError):
                return Judgement(Verdict.REFUSED, refusal_key(got.error), stage, call, error=str(got.error))
            if is_ill_typed(want.error):
                return Judgement(Verdict.ILL_TYPED, f"{want.error!r:.90}", call=call)
            source = marked_source(self._wrapped, want, got) if self._ways else ""
            return Judgement(Verdict.DIFFERENT, "", stage, call, difference, source=source)
        return None

    def _lost_identity(self, want: Outcome, got: Outcome) -> Difference | None:
        """That a result is a copy of a list or an object, where no loop or `try` binds names anew."""
        if self._binds_anew:
            return None
        found = first_difference(want, got, tolerance=dataclasses.replace(self._tolerance, copies=False))
        if found is None or found.what != "identity":
            return None
        return (
            None if found.compiled == "is an object of its own" and appends_by_condition(self._program.text) else found
        )

    def _outcomes(self, args: tuple[Any, ...], times: int) -> Iterator[tuple[str, Outcome]]:
        """Return the outcome of each call, with the stage that it is that of."""
        for _ in range(times):
            yield "XLA", self._outcome(self._wrapped, args)

    def _outcome(self, run: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
        """One run; globals that the program assigns start from the same and are part of what it gives."""
        if not self._globals:
            return Outcome(self._program.driven(run), args, {})
        scope = self._program.scope
        scope.update(self._globals)

        def observed(*given: Any) -> Any:
            return run(*given), {name: scope[name] for name in self._globals}

        return Outcome(observed, args, {})


class _Judging(_Calls):
    """The same, with each stage on the way to XLA."""

    def _outcomes(self, args: tuple[Any, ...], times: int) -> Iterator[tuple[str, Outcome]]:
        """Return the outcome of each stage. The calls come first, since the Programs that they traced are evaluated."""
        calls = [self._outcome(self._wrapped, args) for _ in range(times)]
        try:
            self._ways = self._ways or dict(stages(self._wrapped))
        except Exception:  # refused, or what the rewriting made is no Python
            yield "rewriting", calls[0]
            return
        yield "rewriting", self._outcome(self._ways["rewriting"], args)
        if not _is_refused(calls[0]):
            for stage in ("tracing", "optimising"):
                yield stage, self._outcome(self._ways[stage], args)
        for got in calls:
            yield "tracing" if _is_refused(got) else "XLA", got


def _is_refused(got: Outcome) -> bool:
    """Return whether a call came to nothing before it ran."""
    return isinstance(got.error, AnabranchError) and not isinstance(got.error, IntegerRangeError)


def refusal_key(error: BaseException) -> str:
    """Class, code and first line of a refusal, without the program's own names and numbers."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else ""
    code = re.search(r"\bAB\d{3}\b", str(error))
    first = re.sub(r"\S*\.py:\d+(:\d+)?:?", "", first)
    first = re.sub(r"'[^']*'|`[^`]*`|\"[^\"]*\"", "…", first)
    first = re.sub(r"\b[a-z]+_?\d+\b", "…", first)
    first = re.sub(r"-?\b\d[\d.]*\b", "#", first)
    parts = [type(error).__name__, code[0] if code and code[0] not in first else "", first.strip()]
    return " ".join(part for part in parts if part)[:140]
