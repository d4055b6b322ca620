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
from anabranch.runtime.control.iteration.progress_bars import PushedBar
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.iteration.user_iterators import iterated
from anabranch.runtime.control.loops import steps
from anabranch.runtime.control.loops.counted import CANNOT, run_counted
from anabranch.runtime.control.loops.steps import StateForm
from anabranch.runtime.control.loops.unroll_budget import Cost, TooCostlyError
from anabranch.runtime.control.sequences import live_lists, stacked_sequences
from anabranch.runtime.control.sequences.as_countable import countable
from anabranch.runtime.control.sequences.countable import ChangedError, Countable, Elements
from anabranch.runtime.control.sequences.deque_watch import DequeWatch, known_items
from anabranch.runtime.control.sequences.live_lists import Live, LiveList
from anabranch.runtime.control.staging.run_time_keys import become_table_of
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import atoms
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.heap.generator_names import GeneratorNames
from anabranch.runtime.values.heap.snapshot import first_possible
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
    if isinstance(items, UnionValue) and items.stays_apart and (many := countable(items)) is not None:
        return run_counted(many, body, init, form, what)
    if isinstance(items, UnionValue) and items.stays_apart:
        after: State = items.through(lambda one: run(one, body, init, form, what))
        return after
    if isinstance(items, Growable):
        in_steps = functools.partial(_in_steps, LiveList(items), DequeWatch(items), body, init, form, what)
        sequence, cannot = _as_it_is(items)
        counted = [] if sequence is None else [functools.partial(run_counted, sequence, body, init, form, what)]
        return first_possible((body, init, items), cannot, *counted, in_steps)
    if (live := live_lists.of(items)) is not None:
        in_steps = functools.partial(_in_steps, live, DequeWatch(None), body, init, form, what)
        counted = (
            [] if (many := countable(items)) is None else [functools.partial(run_counted, many, body, init, form, what)]
        )
        return first_possible((body, init, items), CANNOT if live.is_known else (ChangedError,), *counted, in_steps)
    if (sequence := countable(items)) is None and (sequence := stacked_sequences.few_numbers(items)) is None:
        why = f"it goes over a {type(items).__name__}, whose items are Python objects"
        each = known_items(items) if type(items) is collections.deque else items
        unrolled = functools.partial(steps.unroll, each, body, (NEXT, no_value, *init), form, what, why)
        if (sequence := stacked_sequences.known_numbers(items)) is None:
            return unrolled()
        one_loop = functools.partial(run_counted, sequence, body, init, form, what)
        return one_loop() if sequence.is_few else first_possible((body, init), (TooCostlyError,), unrolled, one_loop)
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


def _in_steps(
    live: Live, watch: DequeWatch, body: Callable[..., Any], init: tuple[Value, ...], form: StateForm, what: str
) -> State:
    """Over lists that may grow: the loop may make them longer, which is asked before each step."""
    state = _from_position(0, live, watch, body, form, what, (NEXT, no_value, *init))
    code = state[0]
    live.end(atoms.literal(bool(code >= BREAK)) if isinstance(code, int) else (code >= BREAK).atom)
    return state


def _from_position(
    position: int, live: Live, watch: DequeWatch, body: Callable[..., Any], form: StateForm, what: str, state: State
) -> State:
    cost = Cost(what, "it goes over a list, whose items are Python objects")
    while live.is_known:
        more = truth(position < live.length)
        if more is False:
            cost.note_unrolled()
            return (NEXT, no_value, *state[2:])
        if more is not True:
            break
        state = form.from_rewritten(body(live.at(position), *state[2:]))
        cost.count()
        watch.check(state[0] < BREAK)
        go_on = truth(state[0] < BREAK)
        if go_on is False:
            return tuple(state)
        position += 1
        if go_on is not True:
            rest = functools.partial(_from_position, position, live, watch, body, form, what)
            return steps.then(state, rest, what)
    inner = StateForm(("position", *form.names), form.exits)

    def step(position: Value, *carry: Any) -> Value:
        code, value, *after = form.from_rewritten(body(live.at(position), *carry))
        watch.check(code < BREAK)
        return inner.pack(code, value, (position + 1, *after))

    def test(position: Value, *_: Value) -> Value:
        return position < live.length

    code, value, _, *after = while_.staged(test, step, (position, *state[2:]), inner, body)
    return (code, value, *after)


def _consume(source: PushIterator, body: Callable[..., object], init: tuple[object, ...], form: StateForm) -> State:
    """Over a generator, the body runs where the generator yields."""
    state = GeneratorNames((NEXT, no_value, *init), ("exit code", "returned value", *form.names))

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
