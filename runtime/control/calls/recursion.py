"""Functions that call themselves while they are traced, and which of them have a body of their own."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping

from anabranch.base.code_objects import codes
from anabranch.base.instance_cache import cached_by_identity
from anabranch.base.value import Value
from anabranch.runtime.control.recursion.recursive_function import RecursiveFunction
from anabranch.runtime.errors import AnabranchError, UnsupportedOperationError
from anabranch.runtime.tracing.builder import Builder, Trace
from anabranch.runtime.tracing.call_state import Active
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.values import arena_classes
from anabranch.runtime.values.dynamic_lists import item_kinds
from anabranch.runtime.values.dynamic_shapes import length_permission
from anabranch.runtime.values.heap.snapshot import Attempt


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
    return any(code.co_name in part.co_names or code.co_name in part.co_freevars for part in codes(code))


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
