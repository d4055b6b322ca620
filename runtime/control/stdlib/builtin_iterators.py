"""`len`, `next`, and the iterators among Python's built-in functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import lists
from anabranch.runtime.control.branches.truth import truth_value
from anabranch.runtime.control.containers import generator_reductions
from anabranch.runtime.control.generator_expression import GeneratorExpression, Written
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.iteration.user_iterators import Stepped, iterated
from anabranch.runtime.control.sequences import as_countable, countable_ranges, iterators, live_lists
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.sequences.iterators import is_named
from anabranch.runtime.control.staging.signature_errors import staged_form_of
from anabranch.runtime.control.stdlib import itertools_iterators, itertools_source as source
from anabranch.runtime.control.stdlib.choices import is_traced, of_each_list, plain
from anabranch.runtime.control.stdlib.going_on import (
    by_places,
    goes_on,
    has_places,
    one,
    only,
    resumable,
    row,
    that_may_go_on,
)
from anabranch.runtime.control.stdlib.itertools_iterators import Filtered, Mapped, ending, ends, unless_ended
from anabranch.runtime.control.subscript import at
from anabranch.runtime.control.texts import text_operations
from anabranch.runtime.control.try_ import try_
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import attributes, user_classes, wrap
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.arrays.index_numbers import as_int, own_length
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, is_dynamic_list
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.hashed import Hashed, OfHashed
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN, looked_up


@staged_form_of(len)
def len_(items: Value) -> Value:
    """As `len`; of an array or a list whose size is known only at run time, a traced int."""
    if isinstance(items, UnionValue):
        items = plain(items)
        if (found := looked_up(len, items)) is not UNKNOWN:
            return found
        if isinstance(items, UnionValue):
            return items.through(len_)
    if isinstance(items, Growable) and items.is_dynamic and not items.is_fixed:
        assert items.items is not None
        return items.items.length
    if isinstance(items, RunTimeContainer):
        return items.count_
    if isinstance(items, Text) and tracing():
        return text_operations.length(items)
    if isinstance(items, Countable) and items.is_sized:
        return items.fresh().length
    if isinstance(items, DynamicArray):
        return items.shape[0]
    if isinstance(items, HostTyped) and items._item_count is not None:
        return items._item_count
    length = own_length(items) if tracing() else None
    return len(items) if length is None else length


@staged_form_of(range)
def range_(*args: Value) -> Value:
    """As `range`; with run-time bounds, a range that `for` stages."""
    args = tuple(_of_ints(arg) if isinstance(arg, UnionValue) else arg for arg in args)
    if not any(map(is_traced, args)) or len(args) > 3:
        return range(*args)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return countable_ranges.Range(start, stop, step)


def _of_ints(bound: UnionValue) -> Value:
    left = bound.without_undefined()
    left = left.integral() if isinstance(left, UnionValue) else left
    return left.of_plain_numbers().resolve(range) if isinstance(left, UnionValue) else left


@staged_form_of(enumerate)
def enumerate_(items: Value, start: Value = 0) -> Value:
    """As `enumerate`."""
    return _of_each(lists.listed_of_one(items), start)


@of_each_list
def _of_each(items: Value, start: Value) -> Value:
    items = iterated_once(items)
    if is_asked(items):
        return one(source.numbered, asked(items), as_int(start))
    return resumable(
        (items,),
        lambda: _enumerated(items, start),
        lambda: by_places((items, as_int(start)), length_of, _numbered),
    )


def _enumerated(items: Value, start: Value) -> Value:
    if isinstance(items, PushIterator) and not items.begun:
        return itertools_iterators.Numbered(items, as_int(start))
    staged = as_countable.countable(items)
    if staged is None:
        return live_lists.note(enumerate(items, start), (items,), start)
    return iterators.Enumerated(staged, as_int(start))


def iterated_once(items: Value) -> Value:
    """The iterator of an object whose class defines it in Python; a generator, which goes on anywhere, as it is."""
    return items if hasattr(type(items), "send") else lists.listed_of_one(iterated(items))


_OF_ONE_LENGTH = (np.ndarray, TracedArray, tuple, range, countable_ranges.Range)


@staged_form_of(zip)
def zip_(*columns: Value, strict: bool = False) -> Value:
    """As `zip`; staged when every column is a range or an array, or one has a length known only at run time."""
    columns = tuple(map(iterated_once, columns))
    if strict or not columns:
        return _zipped(columns, strict)
    pushing = [k for k, column in enumerate(columns) if isinstance(column, PushIterator) and not column.begun]
    others = [column for column in columns if not isinstance(column, PushIterator)]
    if len(pushing) == 1 and others and all(isinstance(column, _OF_ONE_LENGTH) for column in others):
        (k,) = pushing
        return one(source.beside, columns[:k], columns[k], columns[k + 1 :])
    if any(map(is_asked, columns)):
        return one(source.together, tuple(map(asked, columns)))
    if len(pushing) > 1:
        return _of_generators(columns)
    return resumable(columns, lambda: _zipped(columns, strict), lambda: by_places(columns, _shortest, row))


def _of_generators(columns: tuple[Value, ...]) -> Iterator[Value]:
    """As `zip` of generators whose ends are known while tracing; where one is not, all are to go on anywhere."""
    try:
        yield from zip(*columns, strict=False)
    except ConcretizationError:
        for column in columns:
            if isinstance(column, PushIterator):
                column.want_resumable_()
        raise


def is_asked(column: Value) -> bool:
    """Return whether each item of an iterator is asked for by a method in Python, which may end it at run time."""
    if isinstance(column, Stepped):
        return column.iterator_ is not None
    return tracing() and user_classes.own_method(column, "__next__") is not None


def asked(column: Value) -> Value:
    """An iterator over a column that is asked for one item after the other, also under run-time conditions."""
    if isinstance(column, Stepped) and column.iterator_ is not None:
        return column.iterator_
    if has_places(column):
        column = by_places((column,), length_of, only)
    if isinstance(column, (PushIterator, iterators.Once)):
        column.want_resumable_()
        raise ConcretizationError(
            "a generator is gone over beside another, and whether either has one more item is known only at run time; "
            "make a list of its items first"
        )
    return iter_(column)


def _shortest(columns: tuple[Value, ...]) -> Value:
    return functools.reduce(iterators.shorter, map(len_, columns))


def _zipped(columns: tuple[Value, ...], strict: bool) -> Value:
    staged = live_lists.staged(columns) if columns else None
    if staged is None:
        made = zip(*columns, strict=strict)
        return made if strict else live_lists.note(made, columns)
    return iterators.Zipped(staged, strict)


@staged_form_of(reversed)
@of_each_list
def reversed_(items: Value) -> Value:
    """As `reversed`."""
    if isinstance(items, iterators.Once):
        raise TypeError(f"'{attributes.class_of(items).__name__}' object is not reversible")
    if isinstance(items, RunTimeContainer) and issubclass(items.native, (set, frozenset)):
        return reversed(items.native())  # raises what Python raises
    return resumable(
        (items,),
        lambda: _reversed(items),
        lambda: by_places((items, len_(items)), lambda held: held[1], _from_the_end),
    )


def _reversed(items: Value) -> Value:
    staged = as_countable.countable(items)
    if staged is not None:
        return iterators.Reversed(staged)
    item = None if hasattr(type(items), "__reversed__") else user_classes.own_method(items, "__getitem__")
    if item is None or not tracing() or not hasattr(type(items), "__len__"):
        return reversed(items)
    return GeneratorExpression(range_(len_(items) - 1, -1, -1), item)


@staged_form_of(iter)
def iter_(items: Value, /, *sentinel: Value) -> Value:
    """As `iter`."""
    if sentinel:
        made = iter(items, *sentinel)
        return one(source.until, items, *sentinel) if tracing() else made
    items = lists.listed_of_one(items)
    if tracing() and is_dynamic_list(items):
        return by_places((items,), length_of, only)
    if tracing() and isinstance(items, _OF_DICTS):
        return by_places((items, len_(items)), _unchanged, _in_order) if goes_on() else that_may_go_on(iter(items))
    return resumable((items,), lambda: iter(items), lambda: by_places((items,), length_of, only))


_OF_DICTS: Any = (dict, type({}.keys()), type({}.values()), type({}.items()), Hashed, OfHashed)


def _unchanged(held: tuple[Value, ...]) -> Value:
    """The number of items of a dict or a set, which must be what it was when the iteration began."""
    items, count = held
    now = len_(items)
    text = f"{'dictionary' if hasattr(items, 'keys') or not isinstance(items, Hashed) else 'Set'} changed size"
    changed = wrap.as_atom(now != count, np.bool_)
    run_time_checks.fail_if(changed, lambda _: RuntimeError(f"{text} during iteration"))
    return now


def _in_order(held: tuple[Value, ...], place: Value) -> Value:
    """The item at a place of a dict, a set or a view, in their order."""
    items = held[0]
    if isinstance(items, (Hashed, OfHashed)):
        found = as_countable.countable(items)
        assert found is not None, "a dict of run-time keys is counted over"
        return found.at(place)
    return at(list(items))[place]


def length_of(held: tuple[Value, ...]) -> Value:
    """The number of items that the first has that is held."""
    return len_(held[0])


def _numbered(held: tuple[Value, ...], place: Value) -> Value:
    return (held[1] + place, only(held, place))


def _from_the_end(held: tuple[Value, ...], place: Value) -> Value:
    return only(held, held[1] - 1 - place)


@staged_form_of(next)
def next_(iterator: Value, *default: Value) -> Value:
    """As `next`, of an iterator made by the function itself.

    Raises `UnsupportedOperationError` for one from outside, which would move on once for each trace instead of for each
    call.
    """
    if isinstance(iterator, UnionValue):
        return iterator.through(lambda one: next_(one, *default))
    if tracing() and current().trace.outside.is_outside(iterator):
        raise UnsupportedOperationError(
            "next() of an iterator from outside would give the same item at each call; pass the item as an argument"
        )
    if isinstance(iterator, PushIterator) and not iterator.begun and not is_named(iterator):
        # Nobody is likely to ask it again; if somebody does, it is refused, as a generator that a loop has left.
        return generator_reductions.first(iterator, *default)
    if default and hasattr(type(iterator), "next_or"):
        return iterator.next_or(*default)  # whether there is one more is known only at run time
    own = user_classes.own_method(iterator, "__next__") if tracing() else None
    if own is not None:
        return try_(own, (lambda: StopIteration, lambda: default[0])) if default else own()
    try:
        return next(iterator, *default)
    except ConcretizationError:
        if isinstance(iterator, PushIterator):
            iterator.want_resumable_()
        raise


# `call(function, *args)`, which this module cannot import: it stands above.
_Call = Callable[..., Any]


def map_(call: _Call, function: Any, *columns: Value) -> Value:
    """As `map`."""
    of_items = functools.partial(call, function)
    if len(columns) == 1:
        if ends():
            return _until_ended(columns[0], _always, of_items)
        of_item = ending(of_items)
        return _picked(columns[0], lambda: Mapped(columns[0], of_item), _always, of_item)
    rows = zip_(*columns)
    if ends():
        return _until_ended(rows, _always, lambda row: of_items(*row))
    of_row = ending(lambda row: of_items(*row))
    return map(unless_ended(of_row), rows) if isinstance(rows, zip) else Mapped(rows, of_row)


def filter_(call: _Call, function: object, items: object) -> Value:
    """As `filter`."""
    test: Any = truth_value if function is None else functools.partial(call, function)
    if ends():
        return _until_ended(items, test, _itself)
    test = test if function is None else ending(test)
    return _picked(items, lambda: Filtered(items, condition=test), test, _itself)


def _until_ended(items: Value, test: Callable[[Any], Any], element: Callable[[Any], Any]) -> Value:
    """The iterator of `map` or `filter` whose function may raise StopIteration at run time."""
    if has_places(items) or is_asked(items):
        return one(source.until_ended_next, asked(items), test, element)
    return one(source.until_ended, items, test, element)


def _itself(item: Value) -> Value:
    return item


def _always(_: object) -> bool:
    return True


def each(
    items: Value,
    element: Callable[..., Any] = _itself,
    condition: Callable[..., Any] | None = None,
    width: Any = None,
    nested: bool = False,
    whole: bool = False,
) -> Value:
    """A generator expression of the user's."""
    made = Written(items, element, condition, width, nested, whole)
    if nested or whole:
        return made
    return _picked(items, lambda: made, made.keeps_, made.element_of)


def _picked(
    items: Value, made: Callable[[], Value], test: Callable[[Any], Any], element: Callable[[Any], Any]
) -> Value:
    """An iterator over the elements of the items that pass a test: as `made` gives it, or one that goes on anywhere."""
    if not (isinstance(items, PushIterator) or is_asked(items)):
        return resumable(
            (items,), made, lambda: one(source.picked, (items,), length_of, only, test, element), source.picked
        )
    if goes_on():
        return one(source.picked_next, asked(items), test, element)
    return that_may_go_on(made(), source.picked_next)
