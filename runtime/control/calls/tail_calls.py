"""Functions that end with a call of themselves: under run-time conditions they are one loop.

`return walk(node["left"], x)` gives a `TailCall`, the arguments of the next step, instead of making the call. What a
condition chooses is joined like other values; who has called the function first goes on while what it gave is one.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from anabranch.base.deep_stack import users_limit
from anabranch.base.value import Value
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.if_ import where
from anabranch.runtime.control.loops.steps import StateForm
from anabranch.runtime.control.stdlib.class_tests import isinstance_
from anabranch.runtime.control.while_ import staged
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.values import atoms
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import node_graphs
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.union import UnionValue


class _Same:
    """Stands for an argument that the first call has been given."""

    def __repr__(self) -> str:
        return "<as in the first call>"


SAME: Final = _Same()


class TailCall(tuple[Any, ...]):
    """The arguments of the call of itself that a function ends with."""

    __slots__ = ()


class Looped:
    """A function whose calls of itself at its end are steps of one loop."""

    __slots__ = ("code", "first", "function", "rewritten")

    def __init__(self, function: types.FunctionType, rewritten: Callable[..., object]) -> None:
        self.function, self.rewritten = function, rewritten
        self.code = function.__code__
        self.first: tuple[Any, ...] = ()

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        bound = inspect.signature(self.function).bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            return self.rewritten(*args, **kwargs)
        self.first = bound.args
        outcome = self._step(*self.first)
        if truth(_is_call(outcome)) is False:
            return outcome

        def goes_on(outcome: Any, count: Value) -> Value:
            return _and(_is_call(outcome), count < users_limit())

        def step(outcome: Any, count: Value) -> Value:
            return self._step_of(outcome), count + 1

        name = self.code.co_name
        form = StateForm((f"what {name} gives", f"the depth of {name}"), ())
        what = f"the recursion of {name} at {where(self.function)}"
        _, _, outcome, _ = staged(goes_on, step, (outcome, 1), form, self.function, what)
        return _value(outcome)

    def _step_of(self, outcome: Any) -> Value:
        if isinstance(outcome, UnionValue):
            outcome = outcome.assuming([o for o in outcome.options if isinstance(o, TailCall)])
        if isinstance(outcome, UnionValue):
            return outcome.through(lambda call: self._step(*call))
        return self._step(*outcome)

    def _step(self, *args: object) -> Value:
        given = [_given(a, first) for a, first in zip(args, self.first, strict=True)]
        calls = current().trace.calls.tail_calls
        calls.append(self)
        try:
            return self.rewritten(*given)
        finally:
            calls.pop()


def _given(argument: object, first: object) -> Value:
    if isinstance(argument, UnionValue) and not isinstance(argument, Reference):
        return UnionValue(argument.tag, tuple(first if o is SAME else o for o in argument.options))
    return first if argument is SAME else argument


def _is_call(outcome: object) -> Value:
    return isinstance_(outcome, TailCall)


def _and(one: object, other: object) -> Value:
    left, right = truth(one), truth(other)
    if isinstance(left, bool):
        return other if left else False
    if isinstance(right, bool):
        return one if right else False
    return python_scalar(atoms.logical_and(left, right))


def _value(outcome: object) -> Value:
    """Return the result of the last call; a call that is left would be too deep."""
    left = truth(_is_call(outcome))
    pred: Atom = atoms.literal(np.bool_(left)) if isinstance(left, bool) else left
    run_time_checks.fail_if(pred, lambda _: RecursionError("maximum recursion depth exceeded"))
    if isinstance(outcome, UnionValue) and not isinstance(outcome, Reference):
        return outcome.assuming([o for o in outcome.options if not isinstance(o, TailCall)])
    return outcome


def step_of(
    code: types.CodeType, function: object, args: tuple[object, ...], kwargs: dict[str, Value]
) -> TailCall | None:
    """Return the next step of a loop that `return function(*args, **kwargs)` is; None where it is a call.

    `code` is that of the function that ends with it, or of a branch in it.
    """
    trace = current().trace
    target, given = function, args
    if isinstance(function, types.MethodType):
        target, given = function.__func__, (function.__self__, *args)
    if not isinstance(target, types.FunctionType) or trace.calls.looped is None:
        return None
    inside = trace.calls.tail_calls[-1] if trace.calls.tail_calls else None
    if inside is not None and inside.function is target and _is_part(code, target.__code__):
        bound = inspect.signature(target).bind(*given, **kwargs)
        bound.apply_defaults()
        if not bound.kwargs:
            pairs = zip(bound.args, inside.first, strict=True)
            return TailCall([SAME if a is first else a for a, first in pairs])
    if target.__code__ not in trace.calls.looped and _walks((*given, *kwargs.values())):
        trace.calls.looped.add(target.__code__)
        raise Restart
    return None


def _is_part(code: types.CodeType, function: types.CodeType) -> bool:
    """Return whether rewritten code is of this function, or of a branch in it."""
    own, name = code.co_qualname, function.co_qualname
    return code.co_filename == function.co_filename and (own == name or own.startswith(f"{name}.<locals>."))


def _walks(values: tuple[object, ...]) -> bool:
    """Return whether one of some arguments is a node of a structure, or leads to others of its kind."""
    return any(
        isinstance(v, Reference) or (node_graphs.leads_to_its_kind(v) and node_graphs.graph_of(v) is not None)
        for v in values
    )
