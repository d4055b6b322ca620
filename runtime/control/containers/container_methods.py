"""Methods of Python's containers that look at their items, and `sorted`, where run-time values take part."""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control import subscript
from anabranch.runtime.control.branches import select_value
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.containers import container_order, membership
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.sequences import chosen_item, index_checks, keyed_items
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.staging import run_time_keys
from anabranch.runtime.control.staging.signature_errors import fitted
from anabranch.runtime.ir.interval import FULL
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import containers, passed_functions, text_tables
from anabranch.runtime.values.arrays.index_numbers import as_int, check_integer
from anabranch.runtime.values.attributes import ContainerStandIn
from anabranch.runtime.values.hashed import Hashed
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN


def _sort(items: list[Value], *, key: Callable[[Any], Any] | None = None, reverse: bool = False) -> None:
    items[:] = container_order.sorted_items(items, passed_functions.called(key), reverse)


def _remove(items: Value, value: object) -> None:
    if isinstance(items, set):
        run_time_keys.become_table(items)
        items.remove(value)
        return
    del subscript.at(items)[container_order.index(items, value, missing="list.remove(x): x not in list")]


def _pop(items: Value, place: object = -1, *default: object) -> Value:
    if isinstance(items, dict):
        run_time_keys.become_table(items)
        return items.pop(place, *default)
    if isinstance(place, Tracer) and type(items) is list:
        check_integer(place)
        place = index_checks.in_range(place, len(items), "pop index out of range" if items else "pop from empty list")
    item = subscript.at(items)[place]
    del subscript.at(items)[place]
    return item


def _rotate(items: collections.deque[Value], n: Value = 1) -> None:
    """As `deque.rotate`: where the number is known only at run time, each place gets one of the items."""
    steps = as_int(n)
    if not isinstance(steps, Tracer):
        items.rotate(steps)
        return
    if current().trace.lists.grow_here:
        current().trace.lists.demand_growth()
    before = list(items)
    for place in range(len(before)):
        items[place] = subscript.at(before)[(place - steps) % len(before)]


def _get(items: dict[Value, Value], key: object, default: object = None) -> Value:
    if text_tables.is_choice(key):
        if all(map(text_tables.is_constant, (default, *items.values()))):
            found = text_tables.look_up(lambda k: items.get(k, default), key)
            if found is not UNKNOWN:
                return found
    elif isinstance(key, UnionValue):
        return key.each(lambda k: _get(items, k, default))
    known = truth(membership.in_(key, items))
    if isinstance(known, bool):
        return subscript.at(items)[key] if known else default
    place, _ = keyed_items.place_of(items, key, container_order.equal)
    found = chosen_item.chosen(list(items.values()), place, key)
    return select_value.choose(known, found, default, FULL, "dict.get()")


def filled_anew(container: Value) -> Callable[..., None] | None:
    """`container.__init__` of what stands for a list, a dict or a set; None for anything else."""
    if not isinstance(container, ContainerStandIn) or container.native not in (list, dict, set):
        return None

    def fill(*args: Value, **kwargs: Value) -> None:
        # Raises for arguments that do not fit.
        container.native().__init__(*(() for _ in args), **dict.fromkeys(kwargs))
        items: Any = container
        others = [other for other in args if other is not container]
        if container.native is not dict:
            items.clear()
        if others or kwargs:
            (items.extend if container.native is list else items.update)(*others, **kwargs)

    return fill


def _keyed(name: str) -> Callable[..., Any]:
    """A method that gives a dict or a set a run-time key: it becomes a table, if it can."""

    def method(items: Value, *args: Value, **kwargs: Value) -> Value:
        run_time_keys.become_table(items)
        for other in args:
            if isinstance(other, Hashed):  # Python's own method would go over its keys alone
                other.plain_()
        return getattr(type(items), name)(items, *args, **kwargs)

    return method


_METHODS: dict[str, tuple[tuple[type, ...], Callable[..., Any]]] = {
    "index": ((list, tuple, collections.deque), container_order.index),
    "count": ((list, tuple, collections.deque), container_order.count),
    "sort": ((list,), _sort),
    "remove": ((list, set), _remove),
    "pop": ((list, dict), _pop),
    "rotate": ((collections.deque,), _rotate),
    "get": ((dict,), _get),
    "update": ((dict, set), _keyed("update")),
    "setdefault": ((dict,), _keyed("setdefault")),
    "move_to_end": ((collections.OrderedDict,), _keyed("move_to_end")),
    "add": ((set,), _keyed("add")),
    "discard": ((set,), _keyed("discard")),
}


def staged(method: Any) -> Value:
    """A built-in method of a container; the staged one where its items or arguments are run-time values."""
    classes, function = _METHODS.get(method.__name__, ((), None))
    owner = method.__self__
    if function is None or not isinstance(owner, classes):
        return method

    @functools.wraps(method)
    def choose(*args: Value, **kwargs: Value) -> Value:
        looks_at_items = method.__name__ not in ("pop", "get") and containers.has_traced(owner)
        has_traced = any(isinstance(a, (Hashed, Countable, PushIterator)) or containers.has_traced(a) for a in args)
        if looks_at_items or has_traced or kwargs.get("key") is not None:
            return fitted(functools.partial(function, owner), method)(*args, **kwargs)
        return method(*args, **kwargs)

    return choose


# The methods of a Counter that are written in Python, which go over the keys of what is no mapping to them.
_COUNTING = (collections.Counter.update, collections.Counter.subtract)


def counting(method: types.MethodType, rewritten: Callable[..., Value]) -> Callable[..., Value]:
    """A method written in Python; of a Counter that counts what a table holds it is that of the table it becomes."""
    if method.__func__ not in _COUNTING:
        return rewritten

    def choose(*args: Value, **kwargs: Value) -> Value:
        called = _keyed(method.__name__) if any(isinstance(a, Hashed) for a in args) else None
        return rewritten(*args, **kwargs) if called is None else called(method.__self__, *args, **kwargs)

    return choose
