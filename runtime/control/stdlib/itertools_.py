"""`map`, `filter`, `itertools`, `np.ndindex` and `np.nditer` over ranges, arrays and generators of run-time values."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import lists
from anabranch.runtime.control.containers import generator_reductions
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.iteration.user_iterators import iterated
from anabranch.runtime.control.sequences.as_countable import countable, is_countable
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.control.sequences.iterators import is_named, shorter
from anabranch.runtime.control.stdlib import itertools_source as source
from anabranch.runtime.control.stdlib.builtin_iterators import asked, filter_, is_asked, length_of, map_
from anabranch.runtime.control.stdlib.going_on import goes_on, has_places, one, only, resumable, that_may_go_on
from anabranch.runtime.control.stdlib.itertools_iterators import (
    Accumulated,
    Chained,
    Combined,
    Consecutive,
    Counting,
    Cycled,
    Picked,
    RepeatedItem,
    Taken,
)
from anabranch.runtime.control.stdlib.nditer_ import nditer_
from anabranch.runtime.control.subscript import at
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import atoms, chosen_containers, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.containers import has_traced
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

# More are gone over one by one, as Python makes them.
_MOST_COMBINATIONS = 2**20

# `call(function, *args)`, which this module cannot import: it stands above.
Call = Callable[..., Any]


Form = Callable[..., Any]


def _over(form: Form, first: int = 0, end: int | None = None) -> Form:
    """The staged form, whose arguments from one to another are iterables: a user's iterator comes as what pushes."""

    @functools.wraps(form)  # which says which arguments fit
    def over(call: Call, *args: Value, **kwargs: Value) -> Value:
        columns = [GeneratorExpression(a) if chosen_containers.is_choice(a) else iterated(a) for a in args[first:end]]
        return form(call, *args[:first], *columns, *(() if end is None else args[end:]), **kwargs)

    return over


def _staged(items: object) -> bool:
    return isinstance(items, PushIterator) or is_countable(items)


def starmap_(call: Call, function: object, rows: object) -> Value:
    """As `itertools.starmap`."""
    return GeneratorExpression(rows, lambda row: call(function, *row))


def product_(_: Call, *columns: Value, repeat: int = 1) -> Value:
    """As `itertools.product`."""
    if not columns or repeat < 1 or not any(map(_staged, columns)):
        return itertools.product(*columns, repeat=repeat)
    return _nested([_again(c) for c in columns] * repeat, ())


def _again(items: Value) -> Value:
    """The items in a form that can be gone over more than once."""
    if isinstance(items, (TracedArray, Range, range, np.ndarray)):
        return items
    return _listed(items) if _staged(items) else tuple(items)


def _listed(items: Value) -> Value:
    """A list of its own of some items, of which more are asked for than Python would at once."""
    made = lists.COUNTERPARTS[list](items)
    if isinstance(items, PushIterator):
        items.leave_()
    return made


def _nested(columns: list[Value], row: tuple[object, ...]) -> GeneratorExpression:
    first, *rest = columns
    if not rest:
        return GeneratorExpression(first, lambda item: (*row, item))
    return GeneratorExpression(first, lambda item: _nested(rest, (*row, item)), nested=True)


def chain_(_: Call, *parts: Value) -> Value:
    """As `itertools.chain`."""
    return Chained(parts) if any(map(_staged, parts)) else itertools.chain(*parts)


def islice_(call: Call, items: Value, *bounds: Value) -> Value:
    """As `itertools.islice`."""
    sequence = countable(items) if bounds else None
    asks = isinstance(items, PushIterator) or (tracing() and any(isinstance(bound, Tracer) for bound in bounds))
    if sequence is None and not (asks and bounds):
        return itertools.islice(items, *map(_known, bounds))
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    for word, bound in (("Start", start), ("Stop", stop)):
        _check_bound(word, bound)
    _check_step(step)
    if sequence is None:
        is_pushed = isinstance(items, PushIterator) and not is_asked(items)
        function, items = (source.islice, items) if is_pushed else (source.islice_next, asked(items))
        return call(function, items, 0 if start is None else start, stop, 1 if step is None else step)
    last = sequence.length if stop is None else shorter(stop, sequence.length)
    return Picked(sequence, Range(0 if start is None else start, last, 1 if step is None else step))


def _known(number: Value) -> Value:
    """A number that Python's own function asks for, known while tracing: of a run-time value it tells as of no int."""
    return number.__index__() if isinstance(number, (Tracer, UnionValue)) else number


def _check_bound(word: str, bound: object) -> None:
    """Raise the error of `islice` for a negative bound."""
    if bound is not None:
        negative = atoms.ufunc(np.less, wrap.as_atom(bound, np.int64), atoms.literal(0, np.int64))
        message = f"{word} argument for islice() must be None or an integer: 0 <= x <= sys.maxsize."
        run_time_checks.fail_if(negative, lambda _: ValueError(message))


def _check_step(step: object) -> None:
    """Raise the error of `islice` for a step that does not go on."""
    if step is not None:
        stays = atoms.ufunc(np.less_equal, wrap.as_atom(step, np.int64), atoms.literal(0, np.int64))
        message = "Step for islice() must be a positive integer or None."
        run_time_checks.fail_if(stays, lambda _: ValueError(message))


def pairwise_(call: Call, items: Value) -> Value:
    """As `itertools.pairwise`."""
    if isinstance(items, (PushIterator, UnionValue)):
        return call(source.pairwise, items)
    sequence = countable(items)
    return itertools.pairwise(items) if sequence is None else Consecutive(sequence)


def _combining(function: Callable[..., Iterator[tuple[int, ...]]]) -> Callable[..., Value]:
    """The staged form of `itertools.combinations` and of what chooses items in other ways."""

    def combined(_: Call, iterable: Value, *args: Value, **kwargs: Value) -> Value:
        args, kwargs = tuple(map(_known, args)), {name: _known(value) for name, value in kwargs.items()}
        if isinstance(iterable, PushIterator) or is_dynamic_list(iterable):
            pool = _listed(iterable)
        else:
            pool = tuple(iterable) if isinstance(iterable, list) else iterable  # a later change of it is not seen
        sequence = countable(pool)
        if sequence is not None and not isinstance(sequence.length, int):
            return _chosen(function, sequence, *args, **kwargs)
        if sequence is None:
            return function(pool, *args, **kwargs)
        places = list(itertools.islice(function(range(sequence.length), *args, **kwargs), _MOST_COMBINATIONS + 1))
        if len(places) > _MOST_COMBINATIONS:
            return function(sequence.steps(), *args, **kwargs)
        return Combined(sequence, places)

    return combined


def _chosen(function: Callable[..., Iterator[tuple[int, ...]]], items: Countable, r: int | None = None) -> Value:
    """The items at places that `function` chooses, of so many as are known only at run time."""
    if r is None:
        raise ConcretizationError(
            f"itertools.{function.__name__} of all items of a list whose length is known only at run time has tuples "
            "of that length; say how many items are chosen"
        )
    if r < 1:
        return function(range(2), r)
    repeats = function is itertools.combinations_with_replacement

    def nested(row: tuple[Value, ...]) -> GeneratorExpression:
        places: Any = Range(0 if not row or function is itertools.permutations else row[-1] + (not repeats), n, 1)
        apart = None if function is not itertools.permutations or not row else lambda i: _is_none_of(i, row)
        if len(row) == r - 1:
            return GeneratorExpression(places, lambda i: tuple(map(items.at, (*row, i))), apart)
        return GeneratorExpression(places, lambda i: nested((*row, i)), apart, nested=True)

    n = items.length
    return nested(())


def _is_none_of(place: Value, row: tuple[Value, ...]) -> Value:
    first, *rest = row
    return place != first if not rest else if_(place == first, lambda: False, lambda: _is_none_of(place, tuple(rest)))


def from_iterable_(_: Call, rows: Value) -> Value:
    """As `itertools.chain.from_iterable`."""
    if not _staged(rows):
        return chain_(_, *map(iterated, rows)) if type(rows) in (list, tuple) else itertools.chain.from_iterable(rows)
    return GeneratorExpression(rows, GeneratorExpression, nested=True)


def dropwhile_(call: Call, predicate: Value, items: Value) -> Value:
    """As `itertools.dropwhile`."""
    test = functools.partial(call, predicate)
    return call(source.dropwhile, test, items) if tracing() else itertools.dropwhile(test, items)


def filterfalse_(call: Call, predicate: Value, items: Value) -> Value:
    """As `itertools.filterfalse`."""
    test = None if predicate is None else functools.partial(call, predicate)
    return call(source.filterfalse, test, items) if tracing() else itertools.filterfalse(test, items)


def compress_(call: Call, data: Value, selectors: Value) -> Value:
    """As `itertools.compress`."""
    return call(source.compress, data, selectors) if tracing() else itertools.compress(data, selectors)


def zip_longest_(call: Call, *columns: Value, fillvalue: Value = None) -> Value:
    """As `itertools.zip_longest`."""
    if not any(map(_staged, columns)):
        return itertools.zip_longest(*columns, fillvalue=fillvalue)
    return call(source.zip_longest, tuple(map(_listed, columns)), fillvalue)


def groupby_(call: Call, items: Value, key: Value = None) -> Value:
    """As `itertools.groupby`."""
    ready = None if key is None else functools.partial(call, key)
    if not _staged(items) and (hasattr(items, "__next__") or not has_traced(items)):
        return itertools.groupby(items, ready)
    held = _listed(items)
    return call(source.groupby, call(len, held), lambda place: at(held)[place], ready)


def batched_(call: Call, items: Value, n: int, **options: Value) -> Value:
    """As `itertools.batched`."""
    if not _staged(items) or options.get("strict"):
        return itertools.batched(items, n, **options)  # type: ignore[attr-defined, unused-ignore]
    if n < 1:
        raise ValueError("n must be at least one")
    return call(source.batched, _listed(items), n)


def cycle_(call: Call, items: Value) -> Value:
    """As `itertools.cycle`."""
    if isinstance(items, PushIterator) or is_dynamic_list(items):
        return call(source.cycle_of, items)
    if not has_places(items) or not len(items):
        return _cycled(items)
    if isinstance(items, _ARRAYS) and is_named(items):
        return _cycled(items)
    if goes_on():
        held = items if isinstance(items, (*_FIXED, *_ARRAYS)) else tuple(items)
        return call(source.cycle, held, _Unchanged(items, held))
    if is_countable(items):
        return that_may_go_on(_cycled(items), source.cycle)
    # What the cycle goes over is what is found to have moved first.
    return that_may_go_on(itertools.cycle(that_may_go_on(iter(tuple(items)), source.cycle)), source.cycle)


_FIXED, _ARRAYS = (tuple, str, range), (TracedArray, np.ndarray)


class _Unchanged:
    """Refuses a list that has other items than when `cycle` began: Python goes over it once, and then over a copy.

    It is no function, so that the list is not taken for one that the generator changes.
    """

    __slots__ = ("_before", "_items")

    def __init__(self, items: Value, before: Value) -> None:
        self._items, self._before = items, before

    def __call__(self) -> None:
        now, before = self._items, self._before
        if now is before or (len(now) == len(before) and all(a is b for a, b in zip(now, before, strict=True))):
            return
        raise UnsupportedOperationError("a list is changed while itertools.cycle goes over it; go over tuple(the list)")


def _cycled(items: Value) -> Value:
    sequence = countable(items)
    if sequence is None or not isinstance(sequence.length, int) or sequence.length < 1:
        return itertools.cycle(items)
    return Cycled(sequence)


def accumulate_(call: Call, iterable: Value, func: object = None, *, initial: Value = None) -> Value:
    """As `itertools.accumulate`."""

    def combine(total: object, item: object) -> Value:
        return call(operator.add if func is None else func, total, item)

    def made() -> Value:
        if not _staged(iterable):
            return itertools.accumulate(iterable, combine, initial=initial)
        return Accumulated(iterable, combine, initial)

    def going_on() -> Value:
        first = () if initial is None else (initial,)
        return one(source.accumulate, (iterable,), length_of, only, combine, first)

    return resumable((iterable,), made, going_on, source.accumulate)


def reduce_(call: Call, function: object, items: Value, *initial: Value) -> Value:
    """As `functools.reduce`."""

    def combine(total: object, item: object) -> Value:
        return call(function, total, item)

    if chosen_containers.is_choice(items):
        return items.through(lambda one: reduce_(call, function, one, *initial))
    if isinstance(items, UnionValue):
        items = iter(items)  # why it cannot be gone over is not what `functools.reduce` would say
    if not _staged(items):
        return functools.reduce(combine, items, *initial)
    return generator_reductions.reduced(
        combine, items if isinstance(items, PushIterator) else GeneratorExpression(items), *initial
    )


def takewhile_(call: Call, function: object, items: object) -> Value:
    """As `itertools.takewhile`."""
    return Taken(items, lambda item: call(function, item))


def repeat_(_: Call, value: object, times: object = None) -> Value:
    """As `itertools.repeat`."""
    return (
        RepeatedItem(value, times)
        if isinstance(times, Tracer)
        else itertools.repeat(value, *(() if times is None else (times,)))
    )


def count_(call: Call, start: object = 0, step: object = 1) -> Value:
    """As `itertools.count`."""
    if not (_is_int(start) and _is_int(step)) or goes_on():
        return call(source.count, start, step)
    return that_may_go_on(Counting(start, step), source.count)


def _is_int(value: object) -> bool:
    return type(value) is int or (isinstance(value, PythonScalar) and value.abstract.dtype.kind == "i")


def ndindex_(_: Call, *shape: Value) -> Value:
    """As `np.ndindex`."""
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    if not sizes:
        return np.ndindex(*sizes)
    return _nested([Range(0, n, 1) if isinstance(n, Tracer) else range(n) for n in sizes], ())


def ndenumerate_(_: Call, array: Value) -> Value:
    """As `np.ndenumerate`."""
    if not isinstance(array, TracedArray) or not array.shape:
        return np.ndenumerate(array) if not isinstance(array, TracedArray) else iter([((), array[()])])
    return GeneratorExpression(_nested([range(n) for n in array.shape], ()), lambda index: (index, array[index]))


COUNTERPARTS: dict[object, Callable[..., Any]] = {
    map: map_, filter: filter_, itertools.starmap: starmap_, itertools.product: _over(product_),
    itertools.chain: _over(chain_), itertools.islice: _over(islice_, 0, 1), itertools.pairwise: _over(pairwise_),
    itertools.accumulate: _over(accumulate_, 0, 1), itertools.takewhile: takewhile_,
    itertools.repeat: repeat_, itertools.count: count_,
    itertools.combinations: _over(_combining(itertools.combinations), 0, 1),
    itertools.combinations_with_replacement: _over(_combining(itertools.combinations_with_replacement), 0, 1),
    itertools.permutations: _over(_combining(itertools.permutations), 0, 1),
    itertools.chain.from_iterable: _over(from_iterable_), itertools.dropwhile: _over(dropwhile_, 1),
    itertools.filterfalse: _over(filterfalse_, 1), itertools.compress: _over(compress_),
    itertools.zip_longest: _over(zip_longest_), itertools.groupby: _over(groupby_, 0, 1),
    itertools.cycle: _over(cycle_),
    **({itertools.batched: _over(batched_, 0, 1)} if hasattr(itertools, "batched") else {}),
    functools.reduce: _over(reduce_, 1, 2), np.ndindex: ndindex_, np.ndenumerate: ndenumerate_, np.nditer: nditer_,
}  # fmt: skip
