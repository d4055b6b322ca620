"""`list`, `tuple`, `deque` and comprehensions, where the length may be known only at run time."""

from __future__ import annotations

import collections
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.arenas.list_arena import growing
from anabranch.runtime.control.columnar import text_items
from anabranch.runtime.control.containers import stacked_results
from anabranch.runtime.control.dynamic_lists import run_time_tuple
from anabranch.runtime.control.dynamic_lists.dynamic_list import listed
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.iteration import user_iterators
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.sequences.countable import AxisItems, Countable
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.container_state import MANY
from anabranch.runtime.values import chosen_containers, registry, wrap
from anabranch.runtime.values.arena_contents import InArena
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, is_dynamic_list, is_fixed
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.host_types.text_arrays import TracedTexts
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.tracer import Tracer, class_name
from anabranch.runtime.values.union import UnionValue


def made_growable(made: list[Any]) -> Value:
    """A list that code has made which is not rewritten, as one that may grow where lists do."""
    return growing(made) if tracing() and current().trace.lists.may_grow else made


def make_attributes_growable(made: object) -> None:
    """Let the lists grow that a new object alone refers to: those that factories of dataclasses make."""
    held = getattr(made, "__dict__", {})
    for name in list(held):
        # Referred to by the object, and by what is asked.
        if type(held[name]) in (list, collections.deque) and sys.getrefcount(held[name]) <= _HELD:
            object.__setattr__(made, name, growing(held[name]))


_HELD = 2


def list_(*args: object) -> Value:
    """As `list`."""
    if not args:
        return growing([]) if current().trace.lists.may_grow else []
    if len(args) > 1:
        return list(*args)  # raises TypeError
    made = items_of(args[0])
    return growing(made) if current().trace.lists.may_grow else made


def extended(made: Value, items: Value) -> Value:
    """The list of a display, with the items of a starred expression, or those that come after it."""
    kind = type(items)
    if not (hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")):
        raise TypeError(f"Value after * must be an iterable, not {kind.__name__}")
    items = user_iterators.iterated(items)
    is_pushed = isinstance(items, PushIterator) and not isinstance(made, Growable)
    made.extend(items_of(items) if tracing() and (is_pushed or chosen_containers.is_choice(items)) else items)
    return made


def starred(items: Value, before: int, after: int) -> tuple[Value, ...]:
    """The values of the names of `a, *b, c = items`: so many before the starred one, and so many after it."""
    if chosen_containers.is_choice(items):
        items = items_of(items)
        if isinstance(items, UnionValue):
            parts: tuple[Value, ...] = items.through(lambda one: starred(one, before, after))
            return parts
    walked = user_iterators.iterated(items)
    if not tracing() or not (isinstance(walked, PushIterator) or is_of_run_time_length(walked)):
        if isinstance(walked, Tracer) and not walked.abstract.shape:
            raise TypeError(f"cannot unpack non-iterable {class_name(walked)} object")
        (*found,) = walked
    else:
        found = items_of(walked)
    least, length = before + after, found.items.length if is_dynamic_list(found) else len(found)
    text = f"not enough values to unpack (expected at least {least}, got {{}})"
    if isinstance(length, int):
        if length < least:
            raise ValueError(text.format(length))
    else:
        fewer = wrap.as_atom(length < least, np.bool_)
        run_time_checks.fail_if(fewer, run_time_checks.IntMessage(ValueError, text), wrap.as_atom(length))
    last = [found[length - after + k] for k in range(after)]
    rest = found[before : length - after]
    return (*[found[k] for k in range(before)], made_growable(rest) if type(rest) is list else rest, *last)


def tupled(made: Value) -> Value:
    """The tuple of a display with starred expressions, of the list of its items."""
    return run_time_tuple.tuple_of(made) if tracing() else tuple(made)


_MANY_TEXTS = 64  # each takes some equations


def items_of(items: Value) -> Value:
    """A new list of the items, of run-time length only where it must be."""
    if chosen_containers.is_choice(items):
        return items.through(items_of)
    if text_items.is_one_of_texts(items):
        current().trace.lists.demand_growth()
        return items.through(lambda text: growing(list(text)))
    items = user_iterators.iterated(items)
    if isinstance(items, TracedArray) and items.ndim == 1 and items.size > MANY:
        items = GeneratorExpression(items)
    if isinstance(items, TracedTexts) and items.ndim == 1 and (type(items.size) is not int or items.size > _MANY_TEXTS):
        items = GeneratorExpression(items)
    if isinstance(items, GeneratorExpression):
        made = items.at_once(lambda expression: stacked_results.stacked(expression, listed))
        if made is not None:
            return made
    if isinstance(items, PushIterator):
        return items.items_or(listed)
    if is_fixed(items):
        return items.copy()
    return listed(items) if is_of_run_time_length(items) else list(items)


def is_of_run_time_length(items: object) -> bool:
    """Return whether it has, or may have, a length known only at run time."""
    return (
        is_dynamic_list(items)
        or isinstance(items, (RunTimeContainer, Text))
        or (isinstance(items, DynamicArray) and items.ndim == 1 and not isinstance(AxisItems(items).length, int))
        or (isinstance(items, HostTyped) and items._item_count is not None and not isinstance(items._item_count, int))
        or (isinstance(items, Countable) and not isinstance(items.length, int))
    )


def listed_of_one(items: Value) -> Value:
    """The items of one of a few objects that say in Python how to go over them, as a list; anything else as it is."""
    return items_of(items) if tracing() and chosen_containers.is_one_of_iterables(items) else items


def tuple_(*args: object) -> Value:
    """As `tuple`."""
    if len(args) != 1:
        return tuple(*args)  # type: ignore[arg-type] # raises TypeError, or is empty
    items: Any = args[0]
    items = listed_of_one(items)
    if chosen_containers.is_choice(items):
        return items.through(tuple_)
    if isinstance(items, run_time_tuple.RunTimeTuple):
        return items
    if isinstance(items, InArena):
        return run_time_tuple.RunTimeTuple(items.copied_())
    items = user_iterators.iterated(items)
    if isinstance(items, PushIterator) or is_of_run_time_length(items):
        return run_time_tuple.tuple_of(items_of(items))
    return tuple(items)


def deque_(items: Iterable[object] = (), maxlen: Value = None) -> Value:
    """As `collections.deque`."""
    if isinstance(maxlen, Tracer):
        maxlen = maxlen.__index__()  # needed while tracing: an argument that it comes from is known then
    given = items_of(items)
    if is_dynamic_list(given) and maxlen is None:
        made = growing(collections.deque())
        made.extend(given)
        return made
    made = collections.deque(given, maxlen)
    return growing(made) if current().trace.lists.may_grow else made


def comprehension(items: GeneratorExpression) -> Value:
    """A list comprehension."""
    if not tracing():
        return list(items)
    items.whole = True
    return made_growable(items_of(items))


_few_to_list = registry.METHODS["tolist"]
# So many numbers stay values of their own, each of which takes several equations.
_FEW_NUMBERS = 64


def _tolist(array: Value) -> Value:
    """`array.tolist()`: of an array of run-time size a list of run-time length, of Python's numbers; of many, too."""
    is_dynamic = isinstance(array, DynamicArray)
    if array.ndim != 1 if is_dynamic else not array.ndim or array.size <= _FEW_NUMBERS:
        return _few_to_list(array)  # or refuses
    return comprehension(GeneratorExpression(array, lambda row: row.item() if array.ndim == 1 else _tolist(row)))


registry.METHODS["tolist"] = _tolist


def method(function: Any) -> Callable[..., Any] | None:
    """`extend` of an exact list or deque, which may have to be one that grows; None for any other method."""
    if function.__name__ != "extend" or type(function.__self__) not in (list, collections.deque):
        return None

    def extend(values: Value) -> None:
        made = items_of(values)
        if is_dynamic_list(made):
            current().trace.lists.demand_growth()
        function(made)

    return extend


COUNTERPARTS: dict[object, Callable[..., Any]] = {
    list: list_,
    tuple: tuple_,
    collections.deque: deque_,
}
