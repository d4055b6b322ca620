"""Steps of `while` and `for`: the form in which a body returns its result, and steps run one by one while tracing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.exits import BREAK, NEXT, State, no_value, without_continue
from anabranch.runtime.control.loops.unroll_budget import Cost
from anabranch.runtime.control.sequences.iterators import remaining
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar


@frozen
class StateForm:
    """The form in which rewritten code passes a loop's state: the carried names, and the exits that occur."""

    names: tuple[str, ...]
    exits: tuple[str, ...]

    @property
    def _width(self) -> int:
        """The number of values that a body with exits returns; a single one stands for itself."""
        return 1 + ("return" in self.exits) + len(self.names)

    def from_rewritten(self, result: Value) -> State:
        """The result of a body, as (exit code, returned value, *carries)."""
        if self.exits:
            code, *rest = result if self._width > 1 else (result,)
            value = rest.pop(0) if "return" in self.exits else no_value
            return (code, value, *rest)
        carries = () if not self.names else (result,) if len(self.names) == 1 else tuple(result)
        return (NEXT, no_value, *carries)

    def pack(self, code: int | PythonScalar, value: Value, carries: Sequence[Value]) -> Value:
        """The result of a body that leaves this state."""
        if self.exits:
            given = (code, *([value] if "return" in self.exits else []), *carries)
            return given if self._width > 1 else code
        return carries[0] if len(carries) == 1 else tuple(carries)

    def to_rewritten(self, state: Sequence[Any]) -> Value:
        """The state as rewritten code unpacks it."""
        code, value, *carries = state
        code = without_continue(code)
        if self.exits:
            if self._width == 1:
                return code
            return (code, value, *carries) if "return" in self.exits else (code, *carries)
        if not self.names:
            return None
        return carries[0] if len(self.names) == 1 else tuple(carries)


def unroll(
    items: Iterable[object],
    body: Callable[..., object],
    state: Sequence[object],
    form: StateForm,
    what: str,
    why: str,
    number: int | None = None,
) -> State:
    """Run a body for each item while tracing; returns the state after the loop.

    Where a step leaves the loop under a run-time condition, the steps after it are staged under that condition.

    Parameters
    ----------
    why : str
        What kept the loop from being staged.
    number : int, optional
        How many steps there are.
    """
    cost = Cost(what, why, is_single=number == 1)
    after = _unroll(remaining(items), body, state, form, what, cost)
    cost.note_unrolled(number)
    return after


def _unroll(
    items: Iterable[object],
    body: Callable[..., object],
    state: Sequence[object],
    form: StateForm,
    what: str,
    cost: Cost,
) -> State:
    def rest(left: State) -> State:
        """The steps that come where those before have not left the loop, in a branch of their own."""
        inner = cost.inside()
        after = _unroll(items, body, left, form, what, inner)
        cost.add(inner)
        return after

    for item in items:
        state = form.from_rewritten(body(item, *state[2:]))
        cost.count()
        go_on = truth(state[0] < BREAK)
        if go_on is False:
            return tuple(state)
        if go_on is not True:
            return then(state, rest, what)
    return (NEXT, no_value, *state[2:])


def then(state: Sequence[Any], rest: Callable[[State], State], what: str) -> State:
    """The state after the steps that `rest` runs, which come only where the step before has not left the loop."""
    left = tuple(state)

    def leave(left: State = left) -> State:
        return left

    def go_on(left: State = left) -> State:
        return rest((NEXT, no_value, *left[2:]))

    return either(truth(state[0] < BREAK), leave, go_on, what)


def either(condition: bool | Atom, if_false: Callable[[], State], if_true: Callable[[], State], what: str) -> State:
    """The state that one of two ways to go on leaves: a branch, where the condition is known only at run time."""
    if isinstance(condition, bool):
        return if_true() if condition else if_false()
    after: State = stage_branches.stage(condition, (if_false, if_true), what)
    return after
