"""The `if` statement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.tracing.source_frames import internal, place
from anabranch.runtime.values.decisions import note


def if_(
    test: object,
    then: Callable[..., object],
    orelse: Callable[..., object],
    args: tuple[object, ...] = (),
    names: Sequence[str] = (),
) -> Value:
    """Run one of two branches on `args`; both are traced when the test is known only at run time."""
    decided = truth(test)
    if isinstance(decided, bool):
        note(
            "decided",
            f"the if at {where(then)}",
            lambda: f"its condition is {decided} while tracing: one branch is left",
        )
        return (then if decided else orelse)(*args)
    thunks = (_bound(orelse, args), _bound(then, args))
    return stage_branches.stage(decided, thunks, f"the if at {where(then)}")


def _bound(function: Callable[..., object], args: tuple[object, ...]) -> Callable[[], Any]:
    def run(function: Callable[..., Any] = function, args: tuple[Value, ...] = args) -> Value:
        return function(*args)

    return run


def where(function: Callable[..., object]) -> str:
    """The user's file and line of a generated function; of one of the project's or Python's, where it is called."""
    code = getattr(function, "__code__", None)
    if code is None or internal(code.co_filename):
        found = place()
        return "an unknown place" if found is None else f"{found[0]}:{found[1]}"
    return f"{code.co_filename}:{code.co_firstlineno}"
