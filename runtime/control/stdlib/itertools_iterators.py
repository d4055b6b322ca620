"""The iterators that functions of `itertools` return: over what is counted, or over items that are pushed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.iteration.push_iterator import Consumer, PushIterator
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.control.sequences.iterators import Once
from anabranch.runtime.control.undefined import defined
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.source_frames import place
from anabranch.runtime.values import atoms
from anabranch.runtime.values.failures.ended_iterators import Body
from anabranch.runtime.values.heap.generator_names import GeneratorNames
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.undefined import Undefined


def _fitting(items: Countable) -> Countable:
    if items.end_errors():
        raise ConcretizationError(
            "zip(..., strict=True) of lengths known only at run time is supported only in a for statement; leave "
            "strict out, or compare the lengths first"
        )
    return items


class Picked(Once, sample=lambda: itertools.islice((), 0)):
    """Some items of a sequence."""

    def __init__(self, items: Countable, positions: Range) -> None:
        super().__init__()
        self.items, self.positions, self._length = _fitting(items), positions, positions.length

    def at(self, index: int | PythonScalar) -> Value:
        return self.items.at(self.positions.at(index))


class Consecutive(Once, sample=lambda: itertools.pairwise(())):
    """Each item with the next."""

    def __init__(self, items: Countable) -> None:
        super().__init__()
        self.items = _fitting(items)
        self._length = Range(1, items.length, 1).length

    def at(self, index: Value) -> Value:
        return (self.items.at(index), self.items.at(index + 1))


class Combined(Once, sample=lambda: itertools.combinations((), 0)):
    """Tuples of items of a sequence, each of the items at some places."""

    def __init__(self, items: Countable, places: list[tuple[int, ...]]) -> None:
        super().__init__()
        self.items, self._places, self._length = _fitting(items), places, len(places)
        self._tables = [atoms.literal(np.array(column, np.int64)) for column in zip(*places, strict=True)]

    @property
    def columns(self) -> tuple[Countable, ...]:
        return (self.items,)

    def at(self, index: int | PythonScalar) -> Value:
        if isinstance(index, int):
            return tuple(map(self.items.at, self._places[index]))
        place = atoms.reshape(index.atom, (1,))
        whole = Interval(0, max(self.items.length - 1, 0))
        return tuple(self.items.at(python_scalar(atoms.op("gather", t, place), whole)) for t in self._tables)


class RepeatedItem(Once, sample=lambda: itertools.repeat(None, 0)):
    """One value some times."""

    def __init__(self, value: Value, times: Value) -> None:
        super().__init__()
        self._value, self._length = value, Range(0, times, 1).length

    def at(self, index: int | PythonScalar) -> Value:
        return self._value


class Counting(Once, sample=itertools.count):
    """Numbers without an end."""

    def __init__(self, start: Value, step: Value) -> None:
        super().__init__()
        self._first, self._step = start, step

    _length = 2**62

    def at(self, index: int | PythonScalar) -> Value:
        return self._first + index * self._step


class Cycled(Once, sample=lambda: itertools.cycle(())):
    """Items again and again."""

    def __init__(self, items: Countable) -> None:
        super().__init__()
        self._again = _fitting(items)

    _length = 2**62

    def at(self, index: int | PythonScalar) -> Value:
        return self._again.at(index % self._again.length)


class EndedIteratorError(UnsupportedOperationError):
    """The function of an iterator such as `map` raised StopIteration, which ends the iterator as it does in Python."""


class _Function(Body):
    """A call of the function of such an iterator; the function is traced once more where it may end at run time."""

    def __init__(self, made_at: Hashable) -> None:
        super().__init__()
        self._made_at = made_at

    def instead(self, error: StopIteration) -> BaseException:
        current().trace.wanted_resumable.add((_ENDS, self._made_at))
        return UnsupportedOperationError(_ENDED)

    def at_once(self, error: StopIteration) -> BaseException:
        return EndedIteratorError(*self.instead(error).args)


def ending(function: Callable[..., Value]) -> Callable[..., Value]:
    """The function of such an iterator, which raises `EndedIteratorError` where it raises StopIteration at once."""
    if not tracing():
        return function
    made_at = place()
    return lambda *items: _Function(made_at).run(function, *items)


def unless_ended(function: Callable[..., Value]) -> Callable[..., Value]:
    """Such a function for Python's own iterators, which StopIteration ends."""

    def called(*items: Value) -> Value:
        try:
            return function(*items)
        except EndedIteratorError:
            raise StopIteration from None

    return called


def ends() -> bool:
    """Return whether the function of the iterator that the user's code makes now may end it at run time."""
    return tracing() and (_ENDS, place()) in current().trace.resumable


# With a place in the user's code that makes an iterator: its function may end it at run time.
_ENDS = "ends"
_ENDED = (
    "the function of a map or filter raises StopIteration, as next() does, and whether it does is known only at run "
    "time; ask for the items in a for statement"
)


class OfFunction(GeneratorExpression):
    """An iterator whose function may end it: it is no generator, in which that were an error."""

    def pull(self) -> Iterator[Value]:
        """The items one by one."""
        try:
            yield from super().pull()
        except EndedIteratorError:
            return


class Mapped(OfFunction, sample=lambda: map(repr, ())):
    """The iterator that `map` returns."""


class Filtered(OfFunction, sample=lambda: filter(None, ())):
    """The iterator that `filter` returns."""


class Chained(PushIterator, sample=itertools.chain):
    """One iterable after the other."""

    def __init__(self, parts: tuple[Value, ...]) -> None:
        super().__init__()
        self._parts = [GeneratorExpression(p) for p in parts]

    def run(self, consume: Consumer) -> Value:
        """Each part, while `consume` wants more."""
        left: Any = False
        for part in self._parts:
            left = if_(left, lambda: True, lambda part=part: part.run(consume))
        return left

    def pull(self) -> Iterator[Value]:
        """The items one by one."""
        return itertools.chain(*self._parts)


class Taken(PushIterator, sample=lambda: itertools.takewhile(bool, ())):
    """The items up to the first that fails a test."""

    def __init__(self, items: Value, test: Callable[[Any], Any]) -> None:
        super().__init__()
        self._each, self._test = GeneratorExpression(items), test

    def run(self, consume: Consumer) -> Value:
        """Each item, as long as they pass."""
        return self._each.run(lambda item: if_(self._test(item), lambda: consume(item), lambda: True))

    def pull(self) -> Iterator[Value]:
        """The items one by one."""
        return itertools.takewhile(self._test, self._each)


class Accumulated(PushIterator, sample=lambda: itertools.accumulate(())):
    """The accumulated values of the items up to each."""

    def __init__(self, items: Value, combine: Callable[[Any, Any], Any], initial: Value) -> None:
        super().__init__()
        self._each, self._combine, self._initial = GeneratorExpression(items), combine, initial

    def run(self, consume: Consumer) -> Value:
        """The first item or the initial value, then each total."""
        each, start = self._each, self._initial
        split = each.first() if start is None else None
        if split is not None:
            start, each = split
        row = GeneratorNames(
            (start is not None, Undefined("total") if start is None else start), ("whether it began", "the total")
        )

        def step(item: Value) -> Value:
            row[1] = if_(row[0], lambda: self._combine(defined(row[1]), item), lambda: item)
            row[0] = True
            return consume(row[1])

        if start is None:
            return each.run(step)
        return if_(consume(start), lambda: True, lambda: each.run(step))

    def pull(self) -> Iterator[Value]:
        """The items one by one."""
        return itertools.accumulate(self._each, self._combine, initial=self._initial)


class Numbered(PushIterator, sample=lambda: enumerate(())):
    """The items of an iterator that pushes them, each after its number."""

    def __init__(self, items: PushIterator, start: Value) -> None:
        super().__init__()
        self._source, self._each, self._first = items, GeneratorExpression(items), start

    def repeated_(self) -> tuple[object, ...] | None:
        """The roots of the items that are numbered."""
        return self._source.repeated_()

    def run(self, consume: Consumer) -> Value:
        """A number and an item, each time."""
        row = GeneratorNames((self._first,), ("the number of the item",))

        def step(item: Value) -> Value:
            number = row[0]
            row[0] = number + 1
            return consume((number, item))

        return self._each.run(step)

    def pull(self) -> Iterator[Value]:
        """The items one by one."""
        return enumerate(self._each, self._first)
