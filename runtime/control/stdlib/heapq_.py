"""`heapq` on lists that hold run-time values: Python's own algorithms, so that lists are the same after each step."""

from __future__ import annotations

import functools
import heapq
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.control.columnar import array_lists
from anabranch.runtime.control.containers import container_order
from anabranch.runtime.control.generator_expression import for_each
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.sequences import as_countable
from anabranch.runtime.control.sequences.as_countable import is_countable
from anabranch.runtime.control.staging.signature_errors import fitted
from anabranch.runtime.control.stdlib import heapq_source as source
from anabranch.runtime.control.stdlib.builtin_iterators import len_, range_
from anabranch.runtime.control.stdlib.builtin_reductions import sorted_
from anabranch.runtime.control.stdlib.going_on import has_places, one
from anabranch.runtime.control.subscript import at
from anabranch.runtime.control.while_ import while_
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import containers, passed_functions, wrap
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, element_kinds, is_dynamic_list
from anabranch.runtime.values.failures import run_time_checks

Less = Callable[[Any, Any], Value]


def _less(a: object, b: object) -> Value:
    return container_order.compared(operator.lt, a, b)


def _sift_down(heap: Value, start: Value, place: Value, less: Less = _less) -> None:
    """Move the item at a place up to where no parent is greater."""
    new = at(heap)[place]

    def test(place: Value, heap: Value = heap) -> Value:
        return boolean.and_(place > start, lambda: less(new, at(heap)[(place - 1) >> 1]))

    def body(place: Value, heap: Value = heap) -> Value:
        parent = (place - 1) >> 1
        at(heap)[place] = at(heap)[parent]
        return parent

    at(heap)[while_(test, body, (place,), ("place",))] = new


def _sift_up(heap: Value, start: Value, less: Less = _less) -> None:
    """Move smaller children up until a leaf is free, and the item there; then it goes up to its place."""
    end, new = len_(heap), at(heap)[start]

    def test(place: Value) -> Value:
        return 2 * place + 1 < end

    def body(place: Value, heap: Value = heap) -> Value:
        left = 2 * place + 1
        right_is_less = boolean.and_(left + 1 < end, lambda: boolean.not_(less(at(heap)[left], at(heap)[left + 1])))
        child = if_(right_is_less, lambda: left + 1, lambda: left)
        at(heap)[place] = at(heap)[child]
        return child

    place = while_(test, body, (start,), ("place",))
    at(heap)[place] = new
    _sift_down(heap, start, place, less)


def heapify(heap: object, less: Less = _less) -> None:
    """As `heapq.heapify`."""
    half = len_(heap) // 2

    def sift(step: object, heap: object = heap) -> None:
        _sift_up(heap, half - 1 - step, less)

    for_each(as_countable.countable(range_(half)), sift)


def _first_of(count: Value, ordered: Value) -> Value:
    """The first of some items in order."""
    return at(ordered)[: if_(count > 0, lambda: count, lambda: 0)]


def nsmallest(n: object, iterable: object, key: Callable[[Any], object] | None = None) -> Value:
    """As `heapq.nsmallest`."""
    return _first_of(n, sorted_(iterable, key=key))


def nlargest(n: object, iterable: object, key: Callable[[Any], object] | None = None) -> Value:
    """As `heapq.nlargest`."""
    return _first_of(n, sorted_(iterable, key=key, reverse=True))


def heappush(heap: Value, item: Value) -> None:
    """As `heapq.heappush`."""
    heap.append(item)
    _sift_down(heap, 0, len_(heap) - 1)


def _refuse_empty(heap: object) -> None:
    empty = wrap.as_atom(len_(heap) == 0, np.bool_)
    run_time_checks.fail_if(empty, lambda _: IndexError("index out of range"))


def heappop(heap: Value, less: Less = _less) -> Value:
    """As `heapq.heappop`."""
    _refuse_empty(heap)
    last = heap.pop()

    def sifted(heap: Value = heap) -> Value:
        first = at(heap)[0]
        at(heap)[0] = last
        _sift_up(heap, 0, less)
        return first

    return if_(len_(heap) > 0, sifted, lambda: last)


def heappushpop(heap: object, item: object) -> Value:
    """As `heapq.heappushpop`."""

    def exchanged(heap: object = heap) -> Value:
        return heapreplace(heap, item)

    less = boolean.and_(len_(heap) > 0, lambda: _less(at(heap)[0], item))
    return if_(less, exchanged, lambda: item)


def heapreplace(heap: object, item: object, less: Less = _less) -> Value:
    """As `heapq.heapreplace`."""
    _refuse_empty(heap)
    first = at(heap)[0]
    at(heap)[0] = item
    _sift_up(heap, 0, less)
    return first


def _ranked_less(a: Any, b: Any) -> Value:
    """Compare entries of the heap of a merge, whose items themselves may be such as cannot be compared."""
    return _less(a[:2], b[:2])


def _ranked_greater(a: Any, b: Any) -> Value:
    return _ranked_less(b, a)


def merge(*iterables: Value, key: Callable[[Any], object] | None = None, reverse: bool = False) -> Value:
    """As `heapq.merge`."""
    if key is None and not any(is_countable(i) or containers.has_traced(i) for i in iterables):
        return heapq.merge(*iterables, reverse=reverse)
    if not has_places(*iterables):
        raise UnsupportedOperationError(
            "heapq.merge of iterators takes their items one by one, in an order known only at run time; make lists of "
            "them first"
        )
    current().trace.lists.demand_growth()
    less = _ranked_greater if reverse else _ranked_less
    steps = [functools.partial(step, less=less) for step in (heapify, heapreplace, heappop)]
    ready = passed_functions.called(key)
    return one(source.merge, iterables, _count_of, _item_of, ready, -1 if reverse else 1, *steps)


def _count_of(columns: tuple[Value, ...], number: Value) -> Value:
    return _of_column(columns, number, len_)


def _item_of(columns: tuple[Value, ...], number: Value, place: Value) -> Value:
    return _of_column(columns, number, lambda column: at(column)[place])


def _of_column(columns: tuple[Value, ...], number: Value, function: Callable[[Value], Value]) -> Value:
    """The result of a function for the column that has a number."""
    first, *others = columns
    if not others:
        return function(first)
    return if_(number == 0, lambda: function(first), lambda: _of_column(tuple(others), number - 1, function))


_STAGED: dict[object, Callable[..., Any]] = {
    heapq.heappush: heappush, heapq.heappop: heappop, heapq.heappushpop: heappushpop, heapq.heapreplace: heapreplace,
    heapq.heapify: heapify,
}  # fmt: skip
_OF_SORTED: dict[object, Callable[..., Any]] = {heapq.nsmallest: nsmallest, heapq.nlargest: nlargest}


def counterpart(function: Any) -> Callable[..., Any] | None:
    """The staged form of a function of `heapq`, for lists that hold run-time values; None for any other function."""
    # By identity: objects of the user's that are called may compare in ways of their own.
    for known, of_sorted in _OF_SORTED.items():
        if function is known and tracing():
            return of_sorted
    if function is heapq.merge and tracing():
        return fitted(merge, function)
    staged = _STAGED.get(function) if type(function) is type(heapq.heappush) else None
    if staged is None or not tracing():
        return None

    def choose(heap: Value, *items: Value) -> Value:
        if not (is_dynamic_list(heap) or containers.has_traced((heap, *items))):
            return function(heap, *items)
        if not isinstance(heap, Growable) and current().trace.lists.grow_here:
            current().trace.lists.demand_growth()
        _put_side_by_side(heap, items)
        return fitted(staged, function)(heap, *items)

    return choose


def _put_side_by_side(heap: object, items: Sequence[object]) -> None:
    """Make the heap a list whose length may change while its elements are in one array, if they can be.

    The loops of the algorithms take as many equations then however many elements there are.
    """
    if not isinstance(heap, Growable) or not all(map(array_lists.fits, items)):
        return
    if heap.row_binding is not None:
        heap.separate()  # type: ignore[attr-defined]
    if heap.items is None:
        contents: Any = heap.contents()  # type: ignore[attr-defined]
        if not contents or element_kinds(contents) is not None:
            heap.become(heap.as_items())  # type: ignore[attr-defined]
    elif heap.items.structure.fixed:
        heap._items = heap.items.with_dynamic_length()  # type: ignore[attr-defined]
