"""The reductions among Python's built-in functions, and `sorted`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import boolean, lists
from anabranch.runtime.control.branches import select_value
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.columnar import text_items
from anabranch.runtime.control.containers import container_order, generator_reductions
from anabranch.runtime.control.containers.generator_reductions import RunningSum
from anabranch.runtime.control.dynamic_lists.dynamic_list import placed
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.iteration.user_iterators import iterated
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.control.sequences.iterators import remaining
from anabranch.runtime.control.staging.signature_errors import staged_form_of
from anabranch.runtime.control.stdlib.choices import of_each_list, plain
from anabranch.runtime.ir.interval import FULL, Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import atoms, containers, passed_functions, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.hashed import KeyedItems, order_free, summands
from anabranch.runtime.values.host_types import text_order
from anabranch.runtime.values.host_types.text_arrays import TracedTexts
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.tracer import Tracer


@staged_form_of(min)
@of_each_list
def min_(*args: object, **kwargs: object) -> Value:
    """As `min`: the first smallest, by `<` alone (so NaN is Python's NaN, not NumPy's)."""
    return _extreme(min, args, kwargs)


@staged_form_of(max)
@of_each_list
def max_(*args: object, **kwargs: object) -> Value:
    """As `max`."""
    return _extreme(max, args, kwargs)


def _extreme(function: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, Value]) -> Value:
    if tracing() and kwargs.get("key") is not None:
        kwargs = {**kwargs, "key": passed_functions.called(kwargs["key"])}
    if not args or not kwargs.keys() <= {"key", "default"}:
        return function(*args, **kwargs)  # raises TypeError
    items = args if len(args) > 1 else iterated(args[0] if kwargs.get("key") else order_free(args[0]))
    if isinstance(items, TracedTexts) and items.ndim == 1 and type(items.size) is not int:
        items = lists.items_of(items)
    if is_dynamic_list(items) and kwargs.keys() == {"key"} and _has_containers(items):
        return _extreme_by_place(function, items, kwargs["key"])
    if (source := generator_reductions.source(items)) is not None:
        return generator_reductions.extreme(function, source, kwargs)
    if isinstance(items, TracedArray) and items.ndim == 1 and items.size and not kwargs:
        return _extreme_of_array(function, items)
    if isinstance(items, TracedTexts) and items.ndim == 1 and type(items.size) is int and items.size and not kwargs:
        return text_order.extreme(function is min, items)
    items = list(items) if not isinstance(items, (tuple, list)) else items
    if not any(map(containers.has_traced, items)) and "key" not in kwargs:
        return function(items, **kwargs)
    if not items:
        return function(items, **kwargs)
    key = kwargs.get("key")
    # What a key ranks highest may be any of them.
    within = Interval.__or__ if key else Interval.min if function is min else Interval.max
    best, highest = items[0], None if key is None else key(items[0])
    for item in items[1:]:
        rank = None if key is None else key(item)  # once for each item, in their order: a key may do more
        ranks = (item, best) if key is None else (rank, highest)
        decided = truth(container_order.compared(operator.lt if function is min else operator.gt, *ranks))
        if isinstance(decided, bool):
            best, highest = (item, rank) if decided else (best, highest)
            continue
        best = select_value.choose(decided, item, best, _bounds(within, item, best), f"{function.__name__}()")
        if key is not None:
            highest = select_value.choose(decided, rank, highest, _bounds(within, rank, highest), "a key")
    return best


def _has_containers(items: Value) -> bool:
    """Return whether items of a list are containers that may change, of which the list has copies."""
    kinds = items.items.structure.variants
    return any(isinstance(kind, layouts.Node) and kind.structure.mutable for kind in kinds)


def _extreme_by_place(function: Callable[..., object], items: Value, key: Callable[[Any], Any]) -> Value:
    """The item by its place, which is read once it is known: no branch or loop has it under another name."""
    held = items.items

    def key_at(place: Value) -> Value:
        return key(held.item(place))

    found = generator_reductions.extreme(function, GeneratorExpression(Range(0, held.length, 1)), {"key": key_at})
    return held.item(found)


@staged_form_of(sorted)
@of_each_list
def sorted_(items: Value, *, key: Callable[[Any], Any] | None = None, reverse: bool = False) -> Value:
    """As `sorted`."""
    if not tracing():
        return sorted(items, key=key, reverse=reverse)
    if text_items.is_one_of_texts(items):
        return lists.items_of(items).through(lambda one: sorted_(one, key=key, reverse=reverse))
    if isinstance(items, TracedTexts) and items.ndim == 1 and key is None:
        ordered = lists.items_of(text_order.in_order(items, reverse))
        return placed(ordered) if is_dynamic_list(ordered) else lists.made_growable(ordered)
    # The values of two items are never compared.
    key = operator.itemgetter(0) if key is None and isinstance(items, KeyedItems) else passed_functions.called(key)
    made = lists.items_of(items if key else order_free(items))
    if not is_dynamic_list(made):
        return lists.made_growable(container_order.sorted_items(made, key, reverse))
    made.sort(key=key, reverse=reverse)
    return placed(made)


def _bounds(within: Callable[[Interval, Interval], Interval], a: object, b: object) -> Value:
    if not all(isinstance(v, (int, PythonScalar)) for v in (a, b)):
        return FULL
    if any(isinstance(v, PythonScalar) and v.python is not int for v in (a, b)):
        return FULL
    return within(interval_of(a), interval_of(b))


def _extreme_of_array(function: Callable[..., object], array: TracedArray) -> Value:
    """Python's `min` of a vector: NaNs are passed over, unless the first element is one."""
    atom = array.atom
    name = "reduce_min" if function is min else "reduce_max"
    if atom.type.dtype.kind != "f":
        return wrap.numpy_result(atoms.op(name, atom, axes=(0,)))
    first = atoms.reshape(atoms.cut(atom, 0, 1), ())
    bad = atoms.ufunc(np.isnan, first)
    worst = atoms.literal(np.inf if function is min else -np.inf, atom.type.dtype)
    cleaned = atoms.select(atoms.ufunc(np.isnan, atom), atoms.broadcast_to(worst, atom.type.shape), atom)
    return wrap.numpy_result(atoms.select(bad, first, atoms.op(name, cleaned, axes=(0,))))


@staged_form_of(sum)
@of_each_list
def sum_(items: Value, start: Value = 0) -> Value:
    """As `sum`; over an array, one reduction."""
    items = iterated(plain(summands(items)))
    if (source := generator_reductions.source(items)) is not None:
        return generator_reductions.total(source, start)
    if not isinstance(items, TracedArray) or not items.ndim or not items.shape[0]:
        return _sum_of_each(items, start)
    # The dtype of all partial sums is that of the first.
    first = start + items[0]
    if not isinstance(first, Tracer) or items.shape[0] == 1:
        return sum(items[1:], first)
    began = wrap.as_atom(first)
    reduction = "reduce_any" if began.type.dtype == np.bool_ else "reduce_sum"

    def total(line: Atom) -> Value:
        return wrap.numpy_result(atoms.op(reduction, line, axes=(0,)))

    if isinstance(start, int) and start == 0:
        return start + total(atoms.convert(items.atom, began.type.dtype))
    others = atoms.convert(items[1:].atom, began.type.dtype)
    if began.type.shape != others.type.shape[1:]:
        return first + total(others)
    line = atoms.op("concatenate", atoms.reshape(began, (1, *began.type.shape)), others, axis=0)
    return python_scalar(wrap.as_atom(total(line))) if isinstance(first, PythonScalar) else total(line)


def _sum_of_each(items: Value, start: Value) -> Value:
    if not tracing() or isinstance(start, (str, bytes, bytearray)):
        return sum(items, start)
    running = RunningSum(start)
    for item in items:
        running = running.plus(item)
    return running.value()


@staged_form_of(any)
@of_each_list
def any_(items: object) -> Value:
    """As `any`: elements after the first true one are not evaluated."""
    return _quantify(items, "reduce_any", boolean.or_, False)


@staged_form_of(all)
@of_each_list
def all_(items: object) -> Value:
    """As `all`."""
    return _quantify(items, "reduce_all", boolean.and_, True)


def _quantify(items: Value, reduction: str, connective: Callable[..., Any], empty: bool) -> Value:
    items = order_free(items)
    items = iterated(plain(items))
    if (source := generator_reductions.source(items)) is not None:
        return generator_reductions.quantified(source, until=not empty)
    if isinstance(items, TracedArray) and items.ndim == 1:
        return python_scalar(atoms.op(reduction, atoms.convert(items.atom, np.bool_), axes=(0,)))
    return _quantify_each(remaining(items), connective, empty)


def _quantify_each(items: Iterable[Value], connective: Callable[..., Any], empty: bool) -> Value:
    for item in items:
        decided = truth(item)
        if isinstance(decided, bool):
            if decided is not empty:
                return decided
            continue
        return connective(python_scalar(decided), lambda: _quantify_each(items, connective, empty))
    return empty
