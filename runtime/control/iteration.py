"""What a staged `for` can count over: ranges and arrays, and `enumerate`, `zip`, `reversed` of these."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from typing import Any

import numpy as np

from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.ir import Atom, Literal
from anabranch.runtime.values import atoms, checks, indexing, wrap
from anabranch.runtime.values.array import Array
from anabranch.runtime.values.choice import ChoiceValue
from anabranch.runtime.values.interval import Interval
from anabranch.runtime.values.python_operands import interval_of
from anabranch.runtime.values.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.traced import Traced


class Countable(abc.ABC):
    """An iterable with a length and an item at each position, both possibly known only at run time."""

    @property
    @abc.abstractmethod
    def length(self) -> Any:
        """A plain int, or a traced Python int."""

    @abc.abstractmethod
    def at(self, index: Any) -> Any:
        """The item at a position from 0 on that is known to be in range."""

    def __iter__(self) -> Iterator[Any]:
        if not isinstance(self.length, int):
            raise ConcretizationError(
                "an iteration whose length is known only at run time is used where anabranch does not stage it "
                "(a comprehension, list(), a call into code that is not rewritten); use a for statement"
            )
        return (self.at(i) for i in range(self.length))

    def __len__(self) -> int:
        return self.length if isinstance(self.length, int) else self.length.__index__()


class Range(Countable):
    """`range(start, stop, step)` with run-time bounds."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = map(_as_int, (start, stop, step))
        if isinstance(self.step, PythonScalar):
            zero = atoms.ufunc(np.equal, self.step.atom, atoms.literal(0, np.int64))
            checks.fail_if(zero, lambda _: ValueError("range() arg 3 must not be zero"))
        elif self.step == 0:
            raise ValueError("range() arg 3 must not be zero")
        self._length = self._count()

    @property
    def length(self) -> Any:
        return self._length

    def _count(self) -> Any:
        start, stop, step = (wrap.as_atom(x, np.int64) for x in (self.start, self.stop, self.step))
        zero, one = atoms.literal(0, np.int64), atoms.literal(1, np.int64)
        forward = atoms.ufunc(np.greater, step, zero)
        low, high = atoms.select(forward, start, stop), atoms.select(forward, stop, start)
        stride = atoms.ufunc(np.absolute, step)
        span = atoms.ufunc(np.subtract, atoms.ufunc(np.subtract, high, low), one)
        count = span if _is_one(stride) else atoms.ufunc(np.floor_divide, span, stride)
        count = atoms.ufunc(np.add, count, one)
        none = atoms.ufunc(np.less_equal, high, low)
        return python_scalar(atoms.select(none, zero, count), Interval(0, self.most))

    @property
    def most(self) -> int:
        """The length is at most this."""
        start, stop, step = map(interval_of, (self.start, self.stop, self.step))
        if step.low > 0:
            return max(0, -((start.low - stop.high) // step.low))
        if step.high < 0:
            return max(0, -((stop.low - start.high) // -step.high))
        return max(abs(stop.high - start.low), abs(start.high - stop.low))

    def at(self, index: Any) -> Any:
        start, stop = interval_of(self.start), interval_of(self.stop)
        step = interval_of(self.step)
        if step.low > 0:
            inside = Interval(start.low, max(stop.high - 1, start.low))
        elif step.high < 0:
            inside = Interval(min(stop.low + 1, start.high), start.high)
        else:
            inside = (start | stop).clipped()
        offset = wrap.as_atom(index, np.int64)
        if not _is_one(wrap.as_atom(self.step, np.int64)):
            offset = atoms.ufunc(np.multiply, offset, wrap.as_atom(self.step, np.int64))
        first = wrap.as_atom(self.start, np.int64)
        zero = isinstance(first, Literal) and first.value == 0
        return python_scalar(offset if zero else atoms.ufunc(np.add, first, offset), inside.clipped())

    def __reversed__(self) -> Reversed:
        return Reversed(self)


def _is_one(atom: Atom) -> bool:
    return isinstance(atom, Literal) and bool(atom.value == 1)


def _as_int(x: Any) -> Any:
    if isinstance(x, ChoiceValue):
        x = x.resolve()
    if not isinstance(x, Traced):
        return x.__index__()
    if x.abstract.dtype.kind not in "iub" or x.abstract.shape != ():
        raise TypeError(f"'{x.abstract}' object cannot be interpreted as an integer")
    if isinstance(x, PythonScalar) and x.python is int:
        return x
    return python_scalar(wrap.as_atom(x, np.int64))


class Fixed(Countable):
    """A `range` whose bounds are known."""

    def __init__(self, items: range) -> None:
        self.items = items

    @property
    def length(self) -> int:
        return len(self.items)

    def at(self, index: Any) -> Any:
        if not isinstance(index, PythonScalar):
            return self.items[index]
        items = self.items
        ends = (items[0], items[-1])
        offset: Atom = index.atom
        if items.step != 1:
            offset = atoms.ufunc(np.multiply, offset, atoms.literal(items.step, np.int64))
        if items.start != 0:
            offset = atoms.ufunc(np.add, atoms.literal(items.start, np.int64), offset)
        return python_scalar(offset, Interval(min(ends), max(ends)))


class Rows(Countable):
    """The first axis of an array."""

    def __init__(self, array: Array) -> None:
        if not array.shape:
            raise TypeError("iteration over a 0-d array")
        self.array = array

    @property
    def length(self) -> int:
        return self.array.shape[0]

    def at(self, index: Any) -> Any:
        return indexing.get(self.array, index)


class Tail(Countable):
    """All but the first item of a sequence that has one."""

    def __init__(self, items: Countable) -> None:
        self.items = items

    @property
    def length(self) -> Any:
        return self.items.length - 1

    def at(self, index: Any) -> Any:
        return self.items.at(index + 1)


class Enumerated(Countable):
    """`enumerate(items, start)`."""

    def __init__(self, items: Countable, start: Any) -> None:
        self.items, self.start = items, start

    @property
    def length(self) -> Any:
        return self.items.length

    def at(self, index: Any) -> Any:
        return (self.start + index, self.items.at(index))


class Zipped(Countable):
    """`zip(*columns)`: as long as the shortest."""

    def __init__(self, columns: tuple[Countable, ...], strict: bool) -> None:
        lengths = [c.length for c in columns]
        if strict and not all(isinstance(n, int) for n in lengths):
            raise ConcretizationError("zip(strict=True) over ranges of run-time length is not supported")
        if strict and len(set(lengths)) > 1:
            place = next(i for i, n in enumerate(lengths) if n != lengths[0])
            word = "longer" if lengths[place] > lengths[0] else "shorter"
            before = "argument 1" if place == 1 else f"arguments 1-{place}"
            raise ValueError(f"zip() argument {place + 1} is {word} than {before}")
        self.columns = columns

    @property
    def length(self) -> Any:
        shortest = self.columns[0].length
        for column in self.columns[1:]:
            shortest = shorter(shortest, column.length)
        return shortest

    def at(self, index: Any) -> Any:
        return tuple(c.at(index) for c in self.columns)


def shorter(a: Any, b: Any) -> Any:
    """The smaller of two lengths."""
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    low = interval_of(a).min(interval_of(b))
    return python_scalar(atoms.ufunc(np.minimum, wrap.as_atom(a, np.int64), wrap.as_atom(b, np.int64)), low)


class Reversed(Countable):
    """`reversed(items)`."""

    def __init__(self, items: Countable) -> None:
        self.items = items

    @property
    def length(self) -> Any:
        return self.items.length

    def at(self, index: Any) -> Any:
        length = self.items.length
        if isinstance(length, int) and isinstance(index, PythonScalar):
            last = atoms.ufunc(np.subtract, atoms.literal(length - 1, np.int64), index.atom)
            return self.items.at(python_scalar(last, Interval(0, max(length - 1, 0))))
        return self.items.at(length - 1 - index)


def countable(items: Any) -> Countable | None:
    """The staged form of an iterable; None for what is iterated while tracing."""
    if isinstance(items, ChoiceValue):
        items = items.without_undefined()
        if isinstance(items, ChoiceValue) and items.of_objects:
            return None
        items = items.resolve() if isinstance(items, ChoiceValue) else items
    if isinstance(items, Countable):
        return items
    if isinstance(items, range):
        return Fixed(items)
    if isinstance(items, Array):
        return Rows(items)
    if isinstance(items, np.ndarray) and items.ndim and items.dtype.kind in "biufc":
        return Rows(wrap.array_of(wrap.as_atom(items)))
    return None
