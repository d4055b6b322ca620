"""The `for` statement."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.config import settings
from anabranch.runtime.control import branches, growth, lines, loops, steps, while_
from anabranch.runtime.control.exits import BREAK, NEXT, no_value
from anabranch.runtime.control.if_ import where
from anabranch.runtime.control.iteration import Countable, Tail, countable
from anabranch.runtime.control.loop_state import FirstStepError, Loop
from anabranch.runtime.control.sources import Source
from anabranch.runtime.control.steps import Form
from anabranch.runtime.control.truth import truth
from anabranch.runtime.errors import (
    AliasError,
    AnabranchError,
    ConcretizationError,
    StructureMismatchError,
    UnsupportedOperationError,
)
from anabranch.runtime.trace import current, tracing
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.choice import ChoiceValue
from anabranch.runtime.values.containers import iterated
from anabranch.runtime.values.heap import Heap
from anabranch.runtime.values.items import MayGrow
from anabranch.runtime.values.noting import note, steps as steps_of
from anabranch.runtime.values.python_operands import interval_of
from anabranch.runtime.values.slots import Row
from anabranch.runtime.values.specialising import wanting


def for_(
    items: Iterable[Any],
    body: Callable[..., Any],
    init: tuple[Any, ...] = (),
    names: Sequence[str] = (),
    exits: Sequence[str] = (),
) -> Any:
    """Run `body` on each item and the carries.

    Over a range or the rows of an array the loop is staged, however long it is. Where its steps cannot have one type
    (an
    index into a Python list, a list that grows, a shape that changes) it is unrolled, up to `unroll_limit` steps.
    """
    form = Form(tuple(names), tuple(exits))
    if not tracing():
        return form.give(_run(items, body, init, form))
    return form.give(run(items, body, init, form, f"the for loop at {where(body)}"))


def run(
    items: Iterable[Any], body: Callable[..., Any], init: tuple[Any, ...], form: Form, what: str
) -> tuple[Any, ...]:
    """The state after a loop that is traced."""
    items = iterated(items)
    if isinstance(items, Source):
        return _consume(items, body, init, form)
    if isinstance(items, ChoiceValue) and items.of_objects:
        after: tuple[Any, ...] = items.through(lambda one: run(one, body, init, form, what))
        return after
    if isinstance(items, MayGrow):
        return _over_list(items, body, (NEXT, no_value, *init), form, what)
    sequence = countable(items)
    if sequence is None:
        note("unrolled", what, lambda: f"it goes over a {type(items).__name__}, whose items are Python objects")
        return steps.unroll(items, body, (NEXT, no_value, *init), form, what)
    return run_counted(sequence, body, init, form, what)


def _over_list(items: Any, body: Callable[..., Any], state: tuple[Any, ...], form: Form, what: str) -> tuple[Any, ...]:
    """Over a list that may grow, in the loop itself, too: its length is asked for before each step."""
    position = 0
    while items.items is None:
        if position >= len(items):
            return (NEXT, no_value, *state[2:])
        if position >= settings().unroll_limit:
            raise StructureMismatchError(f"{what} has more than {position} steps to unroll; raise unroll_limit")
        state = form.take(body(items[position], *state[2:]))
        go_on = truth(state[0] < BREAK)
        if go_on is False:
            return tuple(state)
        position += 1
        if go_on is not True:
            rest = functools.partial(_from, position, items, body, form, what)
            return steps.then(state, rest, form, what)
    return _from(position, items, body, form, what, state)


def _from(
    position: int, items: Any, body: Callable[..., Any], form: Form, what: str, state: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The same from some position on."""
    if items.items is None:
        rest = items[position:] if position else items
        return _over_list(rest, body, state, form, what)
    inner = Form(("position", *form.names), form.exits)

    def step(position: Any, *carry: Any) -> Any:
        code, value, *after = form.take(body(items[position], *carry))
        return inner.pack(code, value, (position + 1, *after))

    def test(position: Any, *_: Any) -> Any:
        return position < items.items.length if items.items is not None else position < len(items)

    code, value, _, *after = while_.staged(test, step, (position, *state[2:]), inner, body)
    return (code, value, *after)


def run_counted(
    sequence: Countable, body: Callable[..., Any], init: tuple[Any, ...], form: Form, what: str
) -> tuple[Any, ...]:
    """The state after a loop over a sequence, and what its end raises."""
    try:
        state = _run_counted(sequence, body, (NEXT, no_value, *init), form, what)
    except AnabranchError as error:
        wanting(error, sequence.length, f"the number of steps of {what}")
        raise
    code = state[0]
    sequence.end(atoms.literal(bool(code >= BREAK)) if isinstance(code, int) else (code >= BREAK).atom)
    return state


def _run_counted(
    sequence: Countable, body: Callable[..., Any], state: tuple[Any, ...], form: Form, what: str
) -> tuple[Any, ...]:
    if isinstance(sequence.length, int) and sequence.length <= 1:
        note("unrolled", what, lambda: "it has one step at most")
        return steps.unroll(sequence.steps(), body, state, form, what)

    def grown() -> tuple[Any, ...]:
        after = _stage(sequence, body, state[2:], form, what)
        note("staged", what, lambda: f"one loop of {steps_of(sequence.length)}, in which a list grows")
        return after

    def without() -> tuple[Any, ...]:
        return _of_fixed_lengths(sequence, body, state, form, what)

    return growth.unless(without, grown, body, state)


def _of_fixed_lengths(
    sequence: Countable, body: Callable[..., Any], state: tuple[Any, ...], form: Form, what: str
) -> tuple[Any, ...]:
    """The state after a loop in which lists keep their length, or have it known in each step."""
    init = state[2:]
    reason: list[str] = []
    try:
        after = _stage(sequence, body, init, form, what)
        note("staged", what, lambda: f"one loop of {steps_of(sequence.length)}")
        return after
    except FirstStepError as error:
        peels = error.site is body.__code__
        reason += [str(error.args[0])]
        if not peels and not isinstance(sequence.length, int):
            raise
    except (ConcretizationError, StructureMismatchError, AliasError, UnsupportedOperationError) as error:
        reason += [str(error.args[0])]
        peels = False
        if not isinstance(sequence.length, int):
            raise
    if peels:
        try:
            after = _stage_peeled(sequence, body, state, form, what)
            note(
                "staged", what, lambda: "one loop after its first step, which gives its names the types that they keep"
            )
            return after
        except FirstStepError:
            if not isinstance(sequence.length, int):
                raise
    note(
        "unrolled", what, lambda: f"{steps_of(sequence.length)}, as it cannot be one loop: {reason[0].splitlines()[0]}"
    )
    return steps.unroll(sequence.steps(), body, state, form, what)


def _stage_peeled(
    sequence: Countable, body: Callable[..., Any], state: tuple[Any, ...], form: Form, what: str
) -> tuple[Any, ...]:
    """The first step on its own, where it gives the carries the types that they keep."""

    def peeled() -> tuple[Any, ...]:
        first = form.take(body(sequence.at(0), *state[2:]))
        return steps.then(first, lambda left: _stage(Tail(sequence), body, left[2:], form, what, True), form, what)

    builder = current()
    before = builder.checkpoint()
    heap = Heap((body, state, *builder.trace.roots))
    try:
        some = truth(sequence.length > 0)
        if isinstance(some, bool):
            return peeled()
        names = ("exit code", "returned value", *form.names)
        after: tuple[Any, ...] = branches.stage(some, (lambda: state, peeled), names, what)
        return after
    except FirstStepError:
        builder.rollback(before)
        heap.restore()
        raise


def _consume(source: Source, body: Callable[..., Any], init: tuple[Any, ...], form: Form) -> tuple[Any, ...]:
    """Over a generator, the body runs where the generator yields."""
    state = Row((NEXT, no_value, *init), ("exit code", "returned value", *form.names), body.__code__)

    def take(item: Any) -> Any:
        state[:] = form.take(body(item, *state[2:]))
        return state[0] >= BREAK

    source.drive(take, leaves=bool(form.exits))
    return tuple(state)


def _run(items: Iterable[Any], body: Callable[..., Any], init: tuple[Any, ...], form: Form) -> tuple[Any, ...]:
    state: tuple[Any, ...] = (NEXT, no_value, *init)
    for item in items:
        state = form.take(body(item, *state[2:]))
        if state[0] >= BREAK:
            return state
    return (NEXT, no_value, *state[2:])


def _stage(
    sequence: Countable, body: Callable[..., Any], init: tuple[Any, ...], form: Form, what: str, alternates: bool = False
) -> tuple[Any, ...]:
    builder = current()
    before = builder.checkpoint()
    heap = Heap((body, init, *builder.trace.roots))
    length = sequence.length

    def step(index: Any, *carry: Any) -> tuple[Any, ...]:
        after = form.take(body(sequence.at(index), *carry))
        lines.check_lent(after, body)
        return after

    try:
        return loops.stage(
            Loop(
                body=step,
                test=None,
                trip=wrap.as_atom(length, np.int64),
                most=interval_of(length).high,
                init=init,
                names=form.names,
                roots=(body,),
                site=body.__code__,
                what=what,
                alternates=alternates,
            )
        )
    except BaseException:
        builder.rollback(before)
        heap.restore()
        raise
