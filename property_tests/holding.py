"""Checks that another way to compile or to call a program does what Python does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import event

from anabranch import AnabranchError, SerializationError, jit
from anabranch.runtime.testing.compare_outcomes import first_difference
from anabranch.runtime.testing.outcomes import Outcome, copied
from property_tests.generation.programs import GeneratedProgram
from property_tests.oracles import TOLERANCE

Function = Callable[..., Any]


def unlike(want: Outcome, got: Outcome) -> str:
    """Return the differences between two outcomes."""
    return str(first_difference(want, got, (), TOLERANCE) or "")


def refused(outcome: Outcome) -> bool:
    return isinstance(outcome.error, AnabranchError)


def nothing(got: Outcome, found: str) -> bool:
    """Allowed: no difference."""
    return False


def refusal(got: Outcome, found: str) -> bool:
    """Allowed: any error of the project's own."""
    return refused(got)


def no_bytes(got: Outcome, found: str) -> bool:
    """Allowed: that a function cannot leave its process."""
    return isinstance(got.error, SerializationError)


def less_known(got: Outcome, found: str) -> bool:
    """Allowed: refusals, and copies of lists that are returned."""
    return refused(got) or found.startswith("identity of the result")


def hold(
    program: GeneratedProgram,
    way: Function,
    usual: Function | None = None,
    *,
    plain: Function | None = None,
    allowed: Callable[[Outcome, str], bool] = nothing,
) -> None:
    """Check that another way does, for each set of arguments, what the plain function does.

    Parameters
    ----------
    program : GeneratedProgram
    way : callable
        Takes the arguments of the program.
    usual : callable, optional
        What it is another way of; the jitted function by default.
    plain : callable, optional
        What Python does; the function itself by default.
    allowed : callable, optional
        Whether an outcome that differs in some way from Python's is documented, where the usual way's does not.
    """
    usual = jit(program.function) if usual is None else usual
    plain = program.function if plain is None else plain
    for args in program.arguments():
        want, got = Outcome(plain, args, {}), Outcome(way, args, {})
        found = unlike(want, got)
        if not found:
            event("the same")
            continue
        before = Outcome(usual, args, {})
        if refused(before):
            event("refused as usual")
            return
        if allowed(got, found):
            event("differs as documented")
            return
        # Both may differ from Python in one way that is documented.
        found = unlike(before, got)
        assert not found, f"{found}\nf{args}\n{program}"
        event("differs from Python as usual")


class Recorded(Outcome):
    """The outcome of a run in a thread, where printed text is nobody's."""

    def __init__(self, function: Function, args: Sequence[Any]) -> None:
        self.args, self.kwargs, self.text = copied(tuple(args)), {}, ""
        self.value, self.error = None, None
        try:
            self.value = function(*self.args)
        except Exception as error:  # compared like a result
            self.error = error
