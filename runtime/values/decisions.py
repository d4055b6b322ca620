"""Decisions noted while tracing, where somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.source_frames import place
from anabranch.runtime.values.static_requests import roots


def note(kind: str, what: str, why: Callable[[], str]) -> None:
    """Note a decision; what does not end with a place gets that of the user's line that runs."""
    decisions = current().trace.explanation.decisions if tracing() else None
    if decisions is None:
        return
    if " at " not in what:
        found = place()
        what = what if found is None else f"{what} at {found[0]}:{found[1]}"
    decisions.note(kind, what, why())


def origin(value: Value) -> str:
    """The names of the arguments that a value is computed from, as text."""
    trace = current().trace
    found, others = roots(value)
    order = {var: k for k, var in enumerate(trace.explanation.names)}
    names = [
        trace.explanation.names.get(var, "an array from outside")
        for var in sorted(found, key=lambda v: order.get(v, len(order)))
    ]
    if others:
        names.append("what a loop changes")
    return ", ".join(dict.fromkeys(names)) or "nothing that an argument is part of"


def steps(length: object) -> str:
    """The number of a loop's steps, in words."""
    return f"{length} steps" if isinstance(length, int) else f"a number of steps that {origin(length)} decides"
