"""Methods of lists whose length is known only at run time that go over all elements."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import generator_expression
from anabranch.runtime.control.boolean import and_, not_
from anabranch.runtime.control.branches.truth import truth_value
from anabranch.runtime.control.containers import container_order, generator_reductions, missing_items
from anabranch.runtime.control.dynamic_lists import dynamic_list_order, list_source
from anabranch.runtime.control.dynamic_lists.dynamic_list_contents import GrowableContents
from anabranch.runtime.control.dynamic_lists.item_access import (
    clipped,
    kind_name,
    reversed_items,
    without,
)
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.iteration.user_iterators import iterated
from anabranch.runtime.control.sequences import as_countable, countable, countable_ranges, iterators
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import MANY
from anabranch.runtime.values import passed_functions, wrap
from anabranch.runtime.values.arrays.index_numbers import as_int
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, element_kinds
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.heap.generator_names import GeneratorNames
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.tracer import class_name
from anabranch.runtime.values.union import UnionValue


def collected(values: Value, listed: Callable[[Any], Any]) -> Value:
    """The values that are to be items, of a generator or a user's iterator as a list."""
    values = iterated(values)
    return values.items_or(listed) if isinstance(values, PushIterator) else values


def extend(owner: GrowableContents, values: Value, listed: Callable[[Any], Any]) -> None:
    """`owner.extend(values)`; `listed` makes a list of what an iterable yields."""
    if isinstance(values, UnionValue) and values.stays_apart:
        values.through(lambda v: extend(owner, v, listed))
        return
    if values is owner:
        values = owner.copy()
    values = iterated(values)
    # What an item raises is raised behind those before it, which a handler finds in the list; so does a generator
    # that looks at the list.
    is_all_at_once = owner.items is None and not current().trace.failures.regions
    if isinstance(values, PushIterator) and is_all_at_once and owner not in Heap(values.leads_to_()):
        values = values.items_or(listed)
    many = values if isinstance(values, PushIterator) else as_countable.countable(values)
    if isinstance(many, countable.Countable) and isinstance(many.length, int) and owner.items is None:
        few = _MANY if isinstance(many, countable.AxisItems) else MANY
        many = many if many.length >= few else None
    if many is None:
        for value in values:
            owner.append(value)
    elif (block := _block(owner, values)) is not None:
        owner.become(owner.as_items().extended(values, block))
    else:
        append_each(owner, many)


def _block(owner: GrowableContents, values: Value) -> layouts.Layout | None:
    """The kind of elements of a list of known length that a list of run-time length gets as a block; None for others.

    They are values of their own while tracing.
    """
    is_known = type(values) in (list, tuple) or (isinstance(values, Growable) and not values.is_dynamic)
    if owner.items is None or owner.items.structure.is_circular or not is_known or not 1 < len(values) <= _LONGEST:
        return None
    kinds = element_kinds(values)
    return kinds[0] if kinds is not None and len(kinds) == 1 else None


_LONGEST = 256  # longer lists are appended by a loop
_MANY = 64  # so many rows of an array are appended by a loop


def append_each(owner: GrowableContents, many: object) -> None:
    """Append each item of a generator, or of what a loop counts over."""
    source = many if isinstance(many, PushIterator) else generator_expression.GeneratorExpression(many)

    def append(item: object, owner: GrowableContents = owner) -> None:
        owner.append(item)

    into: Any = append
    into.out = owner
    source.each(append)


def append_times(owner: GrowableContents, items: Value, times: Value) -> None:
    """Append the items of a list so many times."""

    def append(_: object, owner: GrowableContents = owner) -> None:
        owner.extend(items)

    generator_expression.for_each(countable_ranges.Range(0, as_int(times), 1), append)


def _each(
    items: object, function: Callable[..., object], width: int | None = None
) -> generator_expression.GeneratorExpression:
    return generator_expression.GeneratorExpression(items, function, width=width)


def count(owner: GrowableContents, value: object) -> Value:
    """`owner.count(value)`."""
    return generator_reductions.total(_each(owner, lambda item: truth_value(container_order.equal(item, value))), 0)


def _find(owner: GrowableContents, value: Value, start: Value, stop: Value) -> tuple[Value, Value]:
    row = GeneratorNames((False, 0), ("whether it is there", "its place"))
    numbered = iterators.Enumerated(countable.Elements(owner), 0)

    def consume(pair: Value) -> Value:
        place, item = pair
        found = container_order.equal(item, value)
        if start is not None:
            found = and_(place >= start, lambda: found)
        if stop is not None:
            found = and_(place < stop, lambda: found)
        row[0] = truth_value(found)
        row[1] = place
        return row[0]

    generator_expression.GeneratorExpression(numbered).for_each(consume, may_stop=True)
    return row[0], row[1]


def index(
    owner: GrowableContents, value: Value, start: Value = None, stop: Value = None, *, missing: str = ""
) -> Value:
    """`owner.index(value, start, stop)`; `missing` is the message where there is no such item."""
    items = owner.as_items()
    bounds = [None if b is None else python_scalar(clipped(as_int(b), items.length)) for b in (start, stop)]
    found, place = _find(owner, value, *bounds)
    missing_items.fail_where(
        wrap.as_atom(not_(found), np.bool_), value, missing or f"{{}} is not in {kind_name(owner)}"
    )
    return place


def remove(owner: GrowableContents, value: object) -> None:
    """`owner.remove(value)`."""
    owner.become(owner.as_items())
    found, place = _find(owner, value, None, None)
    text = "list.remove(x): x not in list" if kind_name(owner) == "list" else "{} is not in deque"
    missing_items.fail_where(wrap.as_atom(not_(found), np.bool_), value, text)
    owner.become(without(owner.as_items(), place))


def compared(operation: Callable[[Any, Any], Any], a: countable.Countable, b: countable.Countable) -> Value:
    """`list(a) OP list(b)`, for `==` and the four that order."""
    return _equal(a, b) if operation is operator.eq else _ordered(operation, a, b)


def _equal(a: countable.Countable, b: countable.Countable) -> Value:
    rows = iterators.Zipped((a, b), strict=False)
    return and_(
        a.length == b.length,
        lambda: generator_reductions.quantified(_each(rows, container_order.equal, width=2), until=False),
    )


def _ordered(operation: Callable[[Any, Any], Any], a: countable.Countable, b: countable.Countable) -> Value:
    """By the first items that differ, else by the lengths."""
    sizes = [a.length, b.length]
    if 0 in [size for size in sizes if type(size) is int]:
        return operation(*sizes)
    row, least = GeneratorNames((0,), ("where they differ",)), size_arithmetic.minimum(*sizes)

    def differ(place: Value) -> Value:
        same = container_order.equal(a.at(place), b.at(place))
        row[0] = if_(same, lambda: place + 1, lambda: place)
        return not_(same)

    steps = generator_expression.GeneratorExpression(countable_ranges.Range(0, least, 1))
    steps.for_each(differ, may_stop=True)
    return if_(
        row[0] < least,
        lambda: container_order.compared(operation, a.at(row[0]), b.at(row[0])),
        lambda: operation(*sizes),
    )


def items_of(owner: GrowableContents, value: Value) -> countable.Elements:
    """The items of a list as those of one of the owner's class, side by side."""
    return countable.Elements(_as_dynamic_list(owner, value))


def _as_dynamic_list(owner: GrowableContents, value: Value) -> Value:
    made = owner.made(())
    made.become(value.contents() if hasattr(value, "contents") else tuple(value))
    made.become(made.as_items())
    return made


def _of_numbers(key: Callable[[Any], Any], length: Value) -> Callable[[Any], Any]:
    """The key of an item, of which it is checked that it is not None where it is compared with others."""
    compared = wrap.as_atom(length > 1, np.bool_)

    def number(item: Value) -> Value:
        found = key(item)
        if not isinstance(found, UnionValue) or not any(option is None for option in found.options):
            return found
        name = next((class_name(option) for option in found.options if option is not None), "NoneType")
        error = TypeError(f"'<' not supported between instances of 'NoneType' and '{name}'")
        return found.without_none(error, compared)

    return number


def sort(
    owner: GrowableContents, key: Callable[[Any], Any] | None, reverse: bool, listed: Callable[[Any], Any]
) -> None:
    """`owner.sort(key=key, reverse=reverse)`; `listed` makes a list of what an iterable yields."""
    items = owner.as_items()
    keys = items if key is None else listed(_each(owner, _of_numbers(key, items.length))).as_items()
    owner.become(dynamic_list_order.sorted_by_keys(items, keys, reverse, reversed_items, in_order(owner, listed)))


def in_order(owner: GrowableContents, listed: Callable[[Any], Any]) -> Callable[[Items], Items]:
    """The places, in order, of keys that are no numbers or texts: what they are is asked of their `<`."""

    def places(keys: Items) -> Items:
        made: Value = owner.made(())
        made.become(keys)
        found: Items = listed(passed_functions.called(list_source.places_in_order)(made)).as_items()
        return found

    return places
