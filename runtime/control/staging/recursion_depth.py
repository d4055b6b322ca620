"""Limits of recursion: how deep a function or a generator may call itself while it is traced."""

from __future__ import annotations

from anabranch.runtime.config import settings
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing import source_frames
from anabranch.runtime.tracing.builder import Builder, building
from anabranch.runtime.tracing.call_state import Active
from anabranch.runtime.values.static_requests import request_static

_INNER_CALLS = 300  # of a function to itself that may be traced for one call


def guard_depth(
    name: str, active: Active, builder: Builder, instead: str = "write it as a loop", most: int = _INNER_CALLS
) -> None:
    """Refuse recursion that is too deep, or whose calls double at each level, under run-time conditions.

    Where arguments alone decide that such a call is reached, they are made known instead. `instead` says what to write,
    and `most` how many such calls there may be, where `recursion_limit` does not say more.
    """
    if not active.depths:
        active.inner = 0
        return
    # A call in a deeper builder than the call it is part of stands under a condition known only at run time.
    if builder.depth <= active.depths[-1]:
        return
    if (source := source_frames.source()) not in active.asked:
        active.asked.add(source)
        _know_what_decides(name, builder, active.depths[-1])
    limit, levels = settings().recursion_limit, len(set(active.depths))
    active.inner += 1
    if active.inner > max(most, limit):
        raise UnsupportedOperationError(
            f"{name} calls itself in more than one place under run-time conditions, so that each level (up to "
            f"recursion_limit, which is {limit}) takes twice as long to trace as the one before; set "
            f"recursion_limit to the depth that is needed, {instead}, or make the argument that ends it "
            f"static{_why_inlined(active, builder)}"
        )
    if levels >= limit:
        raise RecursionError(
            f"{name} calls itself under run-time conditions to a depth of more than {levels}; "
            f"raise recursion_limit, {instead}, or make the argument that ends it static"
            f"{_why_inlined(active, builder)}"
        )


def _why_inlined(active: Active, builder: Builder) -> str:
    """Why a function has no body of its own, for a message."""
    calls = builder.trace.calls
    reasons = [reason for code, reason in calls.inlined.items() if calls.active.get(code) is active]
    return f". It is traced again at each level, as {reasons[0]}" if reasons else ""


def _know_what_decides(name: str, builder: Builder, depth: int) -> None:
    """Have those arguments known from which a condition is computed that stands between two calls of one function."""
    while builder.depth > depth and builder.parent is not None:
        if builder.selector is not None:
            with building(builder.parent):
                request_static(builder.selector, f"the depth to which {name} calls itself")
        builder = builder.parent
