"""Limits of recursion: how deep a function may call itself while it is traced."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping

from anabranch.base.instance_cache import cached_by_identity
from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.control.recursion.recursive_function import RecursiveFunction
from anabranch.runtime.errors import AnabranchError, UnsupportedOperationError
from anabranch.runtime.tracing import source_frames
from anabranch.runtime.tracing.builder import Builder, Trace, building
from anabranch.runtime.tracing.call_state import Active
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.values import arena_classes
from anabranch.runtime.values.dynamic_lists import item_kinds
from anabranch.runtime.values.dynamic_shapes import length_permission
from anabranch.runtime.values.heap.snapshot import Attempt
from anabranch.runtime.values.static_requests import request_static

_INNER_CALLS = 300  # of a function to itself that may be traced for one call


def staged(
    code: types.CodeType,
    active: Active,
    builder: Builder,
    function: Callable[..., Value],
    args: tuple[Value, ...],
    kwargs: Mapping[str, Value],
) -> tuple[Value] | None:
    """The result, in a tuple, of the first call of a function whose body is traced by itself; None for other calls.

    Raises `Restart` in a call that the function makes of itself under a run-time condition: it is to have such a body.
    """
    calls = builder.trace.calls
    # In the body of another one a function may call itself by way of that alone, which takes no body of its own.
    within = (*calls.bodies, code)
    if calls.recursive is None or code in calls.inlined:
        return None
    if active.depths and active.depths[-1] >= calls.body_depth:
        if builder.depth > active.depths[-1] and within not in calls.recursive:
            calls.recursive.add(within)
            raise Recursion(within)
        return None
    if within not in calls.recursive:
        return None
    trying = Attempt(function, args, kwargs)
    calls.bodies.append(code)
    before, calls.body_depth = calls.body_depth, builder.depth + 1
    try:
        active.recursion = found = RecursiveFunction(builder, function, args, kwargs)
        return (found.run(),)
    except AnabranchError as error:
        if length_permission.may_be_given():
            raise
        trying.undo()
        _lay_in_arenas(builder.trace, found)
        calls.inlined[code] = str(error.args[0]).splitlines()[0] if error.args else str(error)
        return None
    finally:
        calls.bodies.pop()
        calls.body_depth = before
        active.recursion = None


def _lay_in_arenas(trace: Trace, function: RecursiveFunction) -> None:
    """Have the lists, dicts and objects that a function makes lie in arenas, where its calls may make any number.

    Raises `Restart` where some do not yet.
    """
    trace.lists.demand_arenas(trace.lists.copied_sites)
    if any(issubclass(cls, (dict, set)) for cls in function.makes):
        trace.tables.ask_for_places()
        trace.lists.demand_arenas(site for made in trace.tables.made for site in item_kinds.origins_of(made))
    arena_classes.need_of_made()


def guard_depth(name: str, active: Active, builder: Builder, instead: str = "write it as a loop") -> None:
    """Refuse recursion that is too deep, or whose calls double at each level, under run-time conditions.

    Where arguments alone decide that such a call is reached, they are made known instead. `instead` says what to write.
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
    if active.inner > max(_INNER_CALLS, limit):
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


class Recursion(Restart):
    """A function has called itself under a run-time condition.

    The first call of it begins anew, with a body of its own; where nobody has prepared for that, the whole trace does.
    """

    def __init__(self, within: tuple[types.CodeType, ...]) -> None:
        super().__init__()
        self.within = within


@cached_by_identity
def names_itself(code: types.CodeType) -> bool:
    """Return whether the name of a function occurs in it, so that it may call itself."""
    pending = [code]
    while pending:
        inner = pending.pop()
        if code.co_name in inner.co_names or code.co_name in inner.co_freevars:
            return True
        pending += [c for c in inner.co_consts if isinstance(c, types.CodeType)]
    return False


def attempt(
    code: types.CodeType,
    builder: Builder,
    function: Callable[..., Value],
    args: tuple[Value, ...],
    kwargs: Mapping[str, Value],
) -> Attempt | None:
    """Prepare for the first call of a function to begin anew; None where it calls no function of its name."""
    calls = builder.trace.calls
    if calls.recursive is None or code in calls.inlined or not names_itself(code):
        return None
    return Attempt(function, args, kwargs)


def is_of(found: Recursion, code: types.CodeType, builder: Builder) -> bool:
    """Return whether it is the function of this code that has called itself."""
    return found.within == (*builder.trace.calls.bodies, code)


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


def too_deep(conditional: bool) -> RecursionError:
    """Return the error that Python raises; the plain function fails so, too, if no run-time condition has led there."""
    error = RecursionError("maximum recursion depth exceeded")
    error.anabranch_own = not conditional  # type: ignore[attr-defined]
    return error


def infinite_recursion(error: RecursionError) -> UnsupportedOperationError | None:
    """Return the error of endless recursion while tracing; None where the plain function raises it, too."""
    if getattr(error, "anabranch_own", False):
        return None
    return UnsupportedOperationError(
        "a function calls itself under a condition known only at run time, so that tracing does not end; "
        f"write it as a loop, or make the argument that ends it static ({error})"
    ).with_traceback(error.__traceback__)
