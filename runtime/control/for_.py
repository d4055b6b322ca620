"""The `for` statement."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control import while_
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.exits import BREAK, NEXT, State, no_value
from anabranch.runtime.control.if_ import where
from anabranch.runtime.control.iteration.generators import PushIterator
from anabranch.runtime.control.iteration.progress_bars import PushedBar
from anabranch.runtime.control.iteration.user_iterators import iterated
from anabranch.runtime.control.loops import steps
from anabranch.runtime.control.loops.counted import CANNOT, run_counted
from anabranch.runtime.control.loops.steps import StateForm
from anabranch.runtime.control.loops.unroll_budget import Cost, TooCostlyError
from anabranch.runtime.control.sequences import stacked_sequences
from anabranch.runtime.control.sequences.as_countable import countable
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.sequences.deque_watch import DequeWatch, known_items
from anabranch.runtime.control.sequences.elements import ChangedError, Elements
from anabranch.runtime.control.staging.run_time_keys import become_table_of
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.heap.attempt import first_possible
from anabranch.runtime.values.heap.generator_names import GeneratorNames
from anabranch.runtime.values.union import UnionValue


def for_(
    items: Iterable[object],
    body: Callable[..., object],
    init: tuple[object, ...] = (),
    names: Sequence[str] = (),
    exits: Sequence[str] = (),
) -> Value:
    """Run `body` on each item and the carries.

    Over a range or the rows of an array the loop is staged, however long it is; a list that gets longer in each step is
    one array inside. Where that cannot be (its items are Python objects of several kinds) it is unrolled, within the
    equations that `unroll_budget` allows.
    """
    form = StateForm(tuple(names), tuple(exits))
    if not tracing():
        return form.to_rewritten(_run(items, body, init, form))
    return form.to_rewritten(run(items, body, init, form, f"the for loop at {where(body)}"))


def run(items: Iterable[Value], body: Callable[..., Any], init: tuple[Value, ...], form: StateForm, what: str) -> State:
    """The state after a loop that is traced."""
    items = iterated(items)
    try:
        return _traced(items, body, init, form, what)
    except TooCostlyError:
        become_table_of(items.options if isinstance(items, UnionValue) else (items,))
        raise


def _traced(
    items: Iterable[Value], body: Callable[..., Any], init: tuple[Value, ...], form: StateForm, what: str
) -> State:
    if isinstance(items, PushedBar):
        return _with_bar(items, body, init, form, what)
    if isinstance(items, PushIterator):
        return _consume(items, body, init, form)
    if isinstance(items, UnionValue) and items.of_objects and (many := countable(items)) is not None:
        return run_counted(many, body, init, form, what)
    if isinstance(items, UnionValue) and items.of_objects:
        after: State = items.through(lambda one: run(one, body, init, form, what))
        return after
    if isinstance(items, Growable):
        in_steps = functools.partial(_over_list, 0, items, DequeWatch(items), body, form, what, (NEXT, no_value, *init))
        sequence, cannot = _as_it_is(items)
        counted = [] if sequence is None else [functools.partial(run_counted, sequence, body, init, form, what)]
        return first_possible((body, init, items), cannot, *counted, in_steps)
    if (sequence := countable(items)) is None and (sequence := stacked_sequences.few_numbers(items)) is None:
        why = f"it goes over a {type(items).__name__}, whose items are Python objects"
        each = known_items(items) if type(items) is collections.deque else items
        return steps.unroll(each, body, (NEXT, no_value, *init), form, what, why)
    return run_counted(sequence, body, init, form, what)


def _with_bar(bar: PushedBar, body: Callable[..., Any], init: tuple[Value, ...], form: StateForm, what: str) -> State:
    """Over what a bar goes over, which nothing else counts."""
    if isinstance(bar.source_, PushIterator):
        after = _consume(bar, body, init, form)
    else:
        why = f"it goes over a {type(bar.source_).__name__}, whose items are Python objects"
        after = steps.unroll(bar.pull(), body, (NEXT, no_value, *init), form, what, why)
    bar.ended_(after[0])
    return after


def _as_it_is(items: Growable) -> tuple[Countable | None, tuple[type[Exception], ...]]:
    """A list that may grow as what a loop counts over, which does not change it; and what says that it cannot."""
    if items.items is None:
        many = stacked_sequences.stacked(items)
        return (stacked_sequences.few_numbers(items) if many is None else many), CANNOT
    return (Elements(items) if isinstance(items.items.length, int) else None), (ChangedError,)


def _over_list(
    position: int,
    items: Value,
    watch: DequeWatch,
    body: Callable[..., Any],
    form: StateForm,
    what: str,
    state: State,
) -> State:
    """Over a list that may grow, from a position on: the loop may make it longer, which is asked before each step."""
    cost = Cost(what, "it goes over a list, whose items are Python objects")
    while items.items is None:
        if position >= len(items):
            cost.note_unrolled()
            return (NEXT, no_value, *state[2:])
        state = form.from_rewritten(body(items[position], *state[2:]))
        cost.count()
        watch.check(state[0] < BREAK)
        go_on = truth(state[0] < BREAK)
        if go_on is False:
            return tuple(state)
        position += 1
        if go_on is not True:
            rest = functools.partial(_over_list, position, items, watch, body, form, what)
            return steps.then(state, rest, what)
    inner = StateForm(("position", *form.names), form.exits)

    def step(position: Value, *carry: Any) -> Value:
        code, value, *after = form.from_rewritten(body(items[position], *carry))
        watch.check(code < BREAK)
        return inner.pack(code, value, (position + 1, *after))

    def test(position: Value, *_: Value) -> Value:
        return position < items.items.length if items.items is not None else position < len(items)

    code, value, _, *after = while_.staged(test, step, (position, *state[2:]), inner, body)
    return (code, value, *after)


def _consume(source: PushIterator, body: Callable[..., object], init: tuple[object, ...], form: StateForm) -> State:
    """Over a generator, the body runs where the generator yields."""
    state = GeneratorNames((NEXT, no_value, *init), ("exit code", "returned value", *form.names), body.__code__)

    def consume(item: object) -> Value:
        state[:] = form.from_rewritten(body(item, *state[2:]))
        return state[0] >= BREAK

    source.for_each(consume, may_stop=bool(form.exits))
    return tuple(state)


def _run(items: Iterable[object], body: Callable[..., object], init: tuple[object, ...], form: StateForm) -> State:
    state: State = (NEXT, no_value, *init)
    for item in items.passing() if isinstance(items, PushIterator) else items:
        state = form.from_rewritten(body(item, *state[2:]))
        if state[0] >= BREAK:
            return state
    return (NEXT, no_value, *state[2:])
