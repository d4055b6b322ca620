"""The limit on the cost of unrolled loops, in equations of the whole Program, and not in steps of one loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from anabranch.runtime.config import settings
from anabranch.runtime.errors import StructureMismatchError
from anabranch.runtime.ir.program import Equation, all_equations
from anabranch.runtime.tracing.builder import builder_or_none, current
from anabranch.runtime.tracing.restarts import Abandon
from anabranch.runtime.tracing.unrolling import UnrollLimit
from anabranch.runtime.values.decisions import note

T = TypeVar("T")
# A loop of which all steps together add no more is unrolled where it would have to be staged with lists that grow; the
# second number is for one of a few steps.
CHEAP: Final = 64
CHEAP_IF_SHORT: Final = 200
SHORT: Final = 4
# Steps that add nothing take their time, too; loops in one another have as many as the product of their lengths.
CHEAP_STEPS: Final = 256
# Where nothing is known only at run time, so many steps are run as Python's, and so many operations on arrays.
_PLAIN_STEPS: Final = 10_000
_PLAIN_MADE: Final = 256


class TooCostlyError(StructureMismatchError):
    """The steps of a loop add more equations than they may."""


class Cost:
    """The equations that the steps of one unrolled loop add to the Program.

    Parameters
    ----------
    what : str
        The loop, in words.
    why : str
        What kept it from being staged.
    is_single : bool, optional
        Whether it has one step, which it would have as one loop, too: that counts for no unrolling.
    """

    def __init__(self, what: str, why: str, is_single: bool = False) -> None:
        self._what, self.why = what, why
        self._is_single = is_single
        self._builder = builder_or_none()
        self._seen = 0 if self._builder is None else len(self._builder.equations)
        self._before = 0 if self._builder is None else self._builder.trace.unrolling.equations
        self.equations = 0
        self.steps = 0

    def inside(self) -> Cost:
        """Return a separate cost for steps of the loop in a branch, whose equations are not yet in this builder."""
        return Cost(self._what, self.why)

    def add(self, inner: Cost) -> None:
        """Take what such steps have added for this loop's."""
        self.steps += inner.steps
        self.equations += inner.equations

    def note_unrolled(self, steps: int | None = None) -> None:
        """Note that the loop was unrolled, with what it has cost; of a number of steps, where that is known."""
        self.steps = self.steps if steps is None else steps
        note("unrolled", self._what, lambda: f"{self.described}: {self.why}")

    @property
    def described(self) -> str:
        """The steps, and what they have cost."""
        return f"{_count(self.steps, 'step')}, {_count(self.equations, 'equation')}"

    def count(self) -> None:
        """Add what the step that has just run has added.

        Raises `TooCostlyError` where the unrolled loops of the Program cost more than they may.
        """
        self.steps += 1
        if self._builder is None:
            return
        new = self._builder.equations[self._seen :]
        self._seen += len(new)
        self.equations += weight(new)
        if self._is_single:
            return
        trace = self._builder.trace
        # What loops in this step have added is among its equations.
        trace.unrolling.equations = self._before + self.equations
        most = settings().unroll_budget
        trace.unrolling.steps += 1
        for limit in trace.unrolling.limits:
            if limit.is_passed(trace.unrolling):
                raise Abandon(limit)
        if trace.unrolling.equations > most:
            others = f" (other unrolled loops: {self._before})" if self._before else ""
            raise TooCostlyError(
                f"{self._what} cannot be compiled as one loop: {self.why}. Unrolled, it has come to "
                f"{_count(self.equations, 'equation')} in {_count(self.steps, 'step')}{others}, and unroll_budget "
                f"allows {most} in the whole program; change what keeps it from being one loop, give it fewer steps, "
                "or raise unroll_budget"
            )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def weight(equations: Iterable[Equation]) -> int:
    """The number of equations, those of branches and bodies included."""
    return sum(1 for _ in all_equations(equations))


def cheaply(attempt: Callable[[], T], number: int, little: int = 0) -> T | None:
    """Return the result of an attempt to unroll `number` steps; None where it adds more equations than is cheap."""
    unrolling = current().trace.unrolling
    cheap = max(little, CHEAP if number > SHORT else CHEAP_IF_SHORT)
    equations = unrolling.equations + cheap
    # One that is under way around this one has a say first; of equal ones this one gives up.
    equations -= any(limit.equations == equations for limit in unrolling.limits)
    return _within(UnrollLimit(equations, unrolling.steps + CHEAP_STEPS), attempt)


def may_be_plain() -> bool:
    """Return whether nothing that is known only at run time has been seen in the trace."""
    builder = current()
    return builder.trace.unrolling.is_plain and builder.parent is None and not builder.formals


def plainly(attempt: Callable[[], T]) -> T | None:
    """Return the result of running a loop as Python's, with those in it; None where that takes equations or long."""
    unrolling = current().trace.unrolling
    limit = UnrollLimit(unrolling.equations, unrolling.steps + _PLAIN_STEPS, unrolling.made + _PLAIN_MADE)
    unrolling.plain = limit
    try:
        result = _within(limit, attempt)
    finally:
        unrolling.plain = None
    unrolling.is_plain = result is not None
    return result


def _within(limit: UnrollLimit, attempt: Callable[[], T]) -> T | None:
    """Return the result of an attempt; None where it has passed a limit."""
    limits = current().trace.unrolling.limits
    depth = len(limits)
    limits.append(limit)
    try:
        return attempt()
    except Abandon as stopped:
        if stopped.limit is not limit:
            raise
        return None
    finally:
        del limits[depth:]
