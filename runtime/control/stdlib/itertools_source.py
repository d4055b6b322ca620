"""Functions of `itertools` as generators, which are rewritten and staged as the user's own are.

They have what Python's have where nothing but the items is looked at; only `groupby` asks for the keys of a whole group
before it gives it away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.iteration.push_iterator import use_up
from anabranch.runtime.control.subscript import at


class Group(GeneratorExpression, sample=lambda: iter(())):
    """The items of one group, as long as the next is not asked for."""


def each(held: Any, count: Callable[[Any], int], item: Callable[[Any, int], Any]) -> Iterator[Any]:
    """The items at the places from 0 on of what is held, as long as there are so many."""
    place = 0
    while place < count(held):
        yield item(held, place)
        place += 1


def picked(
    held: Any,
    count: Callable[[Any], int],
    item: Callable[[Any, int], Any],
    test: Callable[[Any], Any],
    element: Callable[[Any], Any],
) -> Iterator[Any]:
    """An element for each of these items that passes a test."""
    place = 0
    while place < count(held):
        this = item(held, place)
        place += 1
        if test(this):
            yield element(this)


def beside(before: Sequence[Any], items: Any, after: Sequence[Any]) -> Iterator[Any]:
    """As `zip` of an iterator between sequences, whose lengths stay."""
    place = 0
    if not all(place < len(column) for column in before):
        return
    for item in items:
        if not all(place < len(column) for column in after):
            return
        yield (*[at(column)[place] for column in before], item, *[at(column)[place] for column in after])
        place += 1
        if not all(place < len(column) for column in before):
            return


def together(iterators: Sequence[Iterator[Any]]) -> Iterator[Any]:
    """As `zip` of iterators."""
    while True:
        try:
            row = tuple([next(one) for one in iterators])
        except StopIteration:
            return
        yield row


def numbered(items: Iterator[Any], start: Any) -> Iterator[Any]:
    """As `enumerate` of an iterator."""
    while True:
        try:
            item = next(items)
        except StopIteration:
            return
        yield start, item
        start += 1


def picked_next(items: Iterator[Any], test: Callable[[Any], Any], element: Callable[[Any], Any]) -> Iterator[Any]:
    """An element for each item of an iterator that passes a test."""
    while True:
        try:
            item = next(items)
        except StopIteration:
            return
        if test(item):
            yield element(item)


def until_ended_next(items: Iterator[Any], test: Callable[[Any], Any], element: Callable[[Any], Any]) -> Iterator[Any]:
    """As `until_ended`, of an iterator."""
    while True:
        try:
            item = next(items)
            passes = test(item)
            made = element(item)
        except StopIteration:
            return
        if passes:
            yield made


def until_ended(items: Iterable[Any], test: Callable[[Any], Any], element: Callable[[Any], Any]) -> Iterator[Any]:
    """An element for each item that passes a test; either function ends it by StopIteration, as those of `map` do."""
    for item in items:
        try:
            passes = test(item)
            made = element(item)
        except StopIteration:
            return
        if passes:
            yield made


def until(function: Callable[[], Any], sentinel: Any) -> Iterator[Any]:
    """As `iter(function, sentinel)`."""
    while True:
        try:
            item = function()
        except StopIteration:
            return
        if item in (sentinel,):
            return
        yield item


def count(start: Any, step: Any) -> Iterator[Any]:
    """As `itertools.count`, which adds the step each time."""
    while True:
        yield start
        start = start + step


def accumulate(
    held: Any,
    count: Callable[[Any], int],
    item: Callable[[Any, int], Any],
    combine: Callable[[Any, Any], Any],
    initial: tuple[Any, ...],
) -> Iterator[Any]:
    """As `itertools.accumulate` of these items; `initial` is empty, or has the value to begin with."""
    place = 1 - len(initial)
    if place <= count(held):
        total = initial[0] if initial else item(held, 0)
        yield total
        while place < count(held):
            total = combine(total, item(held, place))
            place += 1
            yield total


def cycle(items: Sequence[Any], check: Callable[[], Any]) -> Iterator[Any]:
    """As `itertools.cycle`, of one item or more; `check` refuses where there are others now."""
    place = 0
    while True:
        check()
        yield at(items)[place]
        place = place + 1 if place + 1 < len(items) else 0


def cycle_of(items: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.cycle` of an iterator."""
    seen = []
    for item in items:
        yield item
        seen.append(item)
    while seen:
        yield from seen


def dropwhile(predicate: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.dropwhile`."""
    dropping = True
    for item in items:
        if dropping:
            dropping = bool(predicate(item))
        if not dropping:
            yield item


def filterfalse(predicate: Callable[[Any], Any] | None, items: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.filterfalse`."""
    for item in items:
        if not (item if predicate is None else predicate(item)):
            yield item


def compress(items: Iterable[Any], selectors: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.compress`."""
    for item, is_wanted in zip(items, selectors):  # noqa: B905
        if is_wanted:
            yield item


def islice(items: Iterable[Any], start: int, stop: int | None, step: int) -> Iterator[Any]:
    """As `itertools.islice`."""
    place, wanted = 0, start
    if stop is None or stop > 0:
        for item in items:
            if place == wanted and (stop is None or place < stop):
                wanted += step
                yield item
            place += 1
            if stop is not None and place >= stop:
                break


def islice_next(items: Iterator[Any], start: int, stop: int | None, step: int) -> Iterator[Any]:
    """As `itertools.islice` of an iterator."""
    place, wanted = 0, start
    while stop is None or place < stop:
        try:
            item = next(items)
        except StopIteration:
            return
        if place == wanted:
            wanted += step
            yield item
        place += 1


def pairwise(items: Iterable[Any]) -> Iterator[Any]:
    """As `itertools.pairwise`."""
    has_begun, before = False, None
    for item in items:
        if has_begun:
            yield before, item
        before, has_begun = item, True


def zip_longest(columns: Sequence[Any], fill: Any) -> Iterator[Any]:
    """As `itertools.zip_longest`."""
    count = 0
    for column in columns:
        count = max(count, len(column))
    for place in range(count):
        yield tuple([column[place] if place < len(column) else fill for column in columns])


def groupby(count: int, item: Callable[[int], Any], key: Callable[[Any], Any] | None) -> Iterator[Any]:
    """As `itertools.groupby`, of so many items; `item` returns the one at a place."""
    first = 0
    while first < count:
        this = item(first) if key is None else key(item(first))
        end = first + 1
        while end < count and (item(end) if key is None else key(item(end))) == this:
            end += 1
        group = Group(range(first, end), item)
        yield this, group
        use_up(group)
        first = end


def batched(items: Sequence[Any], size: int) -> Iterator[Any]:
    """As `itertools.batched`."""
    for first in range(0, len(items), size):
        yield tuple(items[first : first + size])


def repeatfunc(function: Callable[[], Any], times: int) -> list[Any]:
    """As `repeatfunc` of the recipes of `itertools`, at once."""
    found = []
    for _ in range(times):
        found.append(function())
    return found
