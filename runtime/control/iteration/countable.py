"""What a staged `for` can count over: ranges and arrays, and `enumerate`, `zip`, `reversed` of these."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anabranch.runtime.config import settings
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.trace import Builder, current, tracing
from anabranch.runtime.values import atoms, attributes, wrap
from anabranch.runtime.values.arrays import indexing
from anabranch.runtime.values.arrays.dynamic_array import Sized
from anabranch.runtime.values.arrays.index_numbers import check_integer
from anabranch.runtime.values.arrays.traced_array import Array
from anabranch.runtime.values.dynamic_lists import records
from anabranch.runtime.values.dynamic_lists.growable import is_fixed, is_grown
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.interval import Interval
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.static_requests import leaves_behind, wanting
from anabranch.runtime.values.tracer import Traced
from anabranch.runtime.values.union import ChoiceValue


class ChangedError(UnsupportedOperationError):
    """A list has been changed while a loop went over it as it was."""


class Countable(attributes.Bare, abc.ABC):
    """An iterable with a length and an item at each position, both possibly known only at run time."""

    @property
    @abc.abstractmethod
    def length(self) -> Any:
        """A plain int, or a traced Python int."""

    @abc.abstractmethod
    def at(self, index: Any) -> Any:
        """The item at a position from 0 on that is known to be in range."""

    @property
    def columns(self) -> tuple[Countable, ...]:
        """The sequences that the items come from, where they come from others."""
        return ()

    @property
    def is_known(self) -> bool:
        """Return whether all items are known while tracing, so that each of a few had better be one step."""
        return bool(self.columns) and all(column.is_known for column in self.columns)

    @property
    def holds(self) -> Any:
        """The values that lead to the dicts and objects among the items, which a step may change."""
        return tuple(column.holds for column in self.columns)

    @property
    def has_records(self) -> bool:
        """Return whether some items are dicts or objects that are known one by one."""
        return any(column.has_records for column in self.columns)

    def misfits(self) -> list[tuple[Atom, str]]:
        """What makes the iteration raise ValueError at its end, as conditions and messages."""
        return []

    def end(self, left: Atom) -> None:
        """What the end of an iteration raises, unless it was `left` before."""
        for pred, message in self.misfits():
            ended = atoms.logical_and(pred, atoms.logical_not(left))
            run_time_checks.fail_if(ended, _value_error(message))

    def __iter__(self) -> Iterator[Any]:
        return self.steps()

    def steps(self) -> Iterator[Any]:
        """The items one by one, while tracing."""
        if not isinstance(self.length, int):
            if not (settings().auto_static and leaves_behind(self.length)):
                current().trace.needs_plain()
            error = ConcretizationError(
                "an iteration whose length is known only at run time is used where anabranch does not stage it "
                "(a comprehension, list(), a call into code that is not rewritten); use a for statement"
            )
            raise wanting(error, self.length, "the length of an iteration")
        return self._items(self.length)

    def _items(self, length: int) -> Iterator[Any]:
        yield from map(self.at, range(length))
        self.end(atoms.literal(False))

    def __len__(self) -> int:
        return self.length if isinstance(self.length, int) else self.length.__index__()


def _value_error(message: str) -> Callable[[int], BaseException]:
    return lambda _: ValueError(message)


class Once(Countable):
    """An iterator: what goes over it a second time would find it used up."""

    def __init__(self) -> None:
        self._made: Builder | None = current() if tracing() else None
        self._taken = False
        self._under_way: Iterator[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        if self._made is not None and self._made is not current():
            if self._under_way is not None:
                raise UnsupportedOperationError(_MOVED)
            self.take_up()
            return self.steps()
        if self._under_way is None:
            self.take_up()
            self._under_way = self.steps()
        return self._under_way

    def __next__(self) -> Any:
        if self._made is not None and self._made is not current():
            raise UnsupportedOperationError(_MOVED)
        return next(iter(self))

    @property
    def under_way(self) -> bool:
        """Whether items have been asked for one by one."""
        return self._under_way is not None

    def take_up(self) -> None:
        """Note that the iteration begins."""
        if self._taken:
            raise UnsupportedOperationError(
                "an iterator (enumerate, zip, reversed, one of itertools') is used a second time, when it may be used "
                "up; make it anew for each loop"
            )
        self._taken = True


_MOVED = (
    "an iterator made outside of a run-time branch or loop is moved inside of it, so that how much is left of it is "
    "known only at run time; make it inside"
)


class Range(Countable):
    """`range(start, stop, step)` with run-time bounds."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = map(_as_int, (start, stop, step))
        for bound in (self.start, self.stop, self.step):
            if isinstance(bound, int):
                wrap.check_range(bound)
        if isinstance(self.step, PythonScalar):
            zero = atoms.ufunc(np.equal, self.step.atom, atoms.literal(0, np.int64))
            run_time_checks.fail_if(zero, lambda _: ValueError("range() arg 3 must not be zero"))
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

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            error = ConcretizationError(
                "a slice of a range whose length is known only at run time is not supported; write the range with the "
                "bounds that are meant"
            )
            raise wanting(error, self.length, "the length of a range")
        place = _as_int(index)
        place = place + self.length * (place < 0)
        outside = _either(place < 0, place >= self.length)
        run_time_checks.fail_if(outside, lambda _: IndexError("range object index out of range"))
        return self.at(place)


def _either(a: Any, b: Any) -> Atom:
    """Whether one of two Python bools is true, as an atom."""
    return atoms.logical_or(wrap.as_atom(a, np.bool_), wrap.as_atom(b, np.bool_))


def _is_one(atom: Atom) -> bool:
    return isinstance(atom, Literal) and bool(atom.value == 1)


def _as_int(x: Any) -> Any:
    if isinstance(x, ChoiceValue):
        x = x.resolve(range)
    if not isinstance(x, Traced):
        return x.__index__()
    check_integer(x)
    if isinstance(x, PythonScalar) and x.python is int:
        return x
    return python_scalar(wrap.as_atom(x, np.int64))


class Fixed(Countable):
    """A `range` whose bounds are known."""

    def __init__(self, items: range) -> None:
        self.items = items

    @property
    def length(self) -> int:
        # As `len`, which knows no length beyond 64 bits.
        length = max(0, -((self.items.start - self.items.stop) // self.items.step))
        wrap.check_range(length)
        return length

    def at(self, index: Any) -> Any:
        if not isinstance(index, PythonScalar):
            return self.items[index]
        items = self.items
        ends = (items[0], items[-1])
        for bound in (*ends, items.step):
            wrap.check_range(bound)
        offset: Atom = index.atom
        if items.step != 1:
            offset = atoms.ufunc(np.multiply, offset, atoms.literal(items.step, np.int64))
        if items.start != 0:
            offset = atoms.ufunc(np.add, atoms.literal(items.start, np.int64), offset)
        return python_scalar(offset, Interval(min(ends), max(ends)))


class Rows(Countable):
    """The first axis of an array."""

    def __init__(self, array: Array | Sized) -> None:
        if not array.shape:
            raise TypeError("iteration over a 0-d array")
        self._array = array
        self._length = array.shape[0]

    @property
    def length(self) -> Any:
        return self._length

    def at(self, index: Any) -> Any:
        return indexing.get(self._array, index)


class Elements(Countable):
    """The elements of a list whose length is known only at run time, as they are now."""

    def __init__(self, owner: Any) -> None:
        self._owner, self._now = owner, owner.items

    @property
    def length(self) -> Any:
        return self._now.length

    @property
    def holds(self) -> Any:
        return records.members(self._now)

    def at(self, index: Any) -> Any:
        return (self._owner.items if self._keeps_its_length else self._now).item(index)

    @property
    def _keeps_its_length(self) -> bool:
        """Return whether the list is of static length, and no element was added or removed."""
        return is_fixed(self._owner) and self._owner.items.length == self._now.length

    def end(self, left: Atom) -> None:
        if self._owner.items is not self._now and not self._keeps_its_length:
            raise ChangedError(
                "a list whose length is known only at run time is changed while enumerate, zip, reversed or a "
                "comprehension goes over it; go over it with a plain for statement or by an index, or over a copy"
            )


class Tail(Countable):
    """All but the first item of a sequence that has one."""

    def __init__(self, items: Countable) -> None:
        self.items = items

    @property
    def length(self) -> Any:
        return self.items.length - 1

    @property
    def columns(self) -> tuple[Countable, ...]:
        return (self.items,)

    def at(self, index: Any) -> Any:
        return self.items.at(index + 1)


class Enumerated(Once):
    """`enumerate(items, start)`."""

    def __init__(self, items: Countable, start: Any) -> None:
        super().__init__()
        self.items, self._first = items, start

    @property
    def length(self) -> Any:
        return self.items.length

    @property
    def columns(self) -> tuple[Countable, ...]:
        return (self.items,)

    @property
    def is_known(self) -> bool:
        return super().is_known and isinstance(self._first, int)

    def at(self, index: Any) -> Any:
        return (self._first + index, self.items.at(index))

    def misfits(self) -> list[tuple[Atom, str]]:
        """Those of what is numbered."""
        return self.items.misfits()

    def end(self, left: Atom) -> None:
        self.items.end(left)


class Zipped(Once):
    """`zip(*columns)`: as long as the shortest."""

    def __init__(self, columns: tuple[Countable, ...], strict: bool) -> None:
        super().__init__()
        if any(c.misfits() for c in columns):
            raise ConcretizationError("zip of a strict zip of run-time lengths is not supported; zip all at once")
        self.strict = strict
        self._columns = columns

    @property
    def columns(self) -> tuple[Countable, ...]:
        return self._columns

    @property
    def length(self) -> Any:
        shortest = self.columns[0].length
        for column in self.columns[1:]:
            shortest = shorter(shortest, column.length)
        return shortest

    def at(self, index: Any) -> Any:
        return tuple(c.at(index) for c in self.columns)

    def end(self, left: Atom) -> None:
        super().end(left)
        for column in self.columns:
            column.end(left)

    def misfits(self) -> list[tuple[Atom, str]]:
        """Where lengths differ: the first column that ends ends it, unless one goes on after the first has ended."""
        if not self.strict:
            return []
        first, *others = (wrap.as_atom(c.length, np.int64) for c in self.columns)
        shortest = wrap.as_atom(self.length, np.int64)
        found: list[tuple[Atom, str]] = []
        ends = [atoms.ufunc(np.equal, n, shortest) for n in (first, *others)]
        decided: Atom = atoms.literal(False)
        for place, here in enumerate(ends[1:], 1):
            before = "argument 1" if place == 1 else f"arguments 1-{place}"
            for word, pred in (
                ("shorter", atoms.logical_and(atoms.logical_not(ends[0]), here)),
                ("longer", atoms.logical_and(ends[0], atoms.logical_not(here))),
            ):
                now = atoms.logical_and(pred, atoms.logical_not(decided))
                decided = atoms.logical_or(decided, pred)
                if not isinstance(now, Literal) or now.value:
                    found.append((now, f"zip() argument {place + 1} is {word} than {before}"))
        return found


def shorter(a: Any, b: Any) -> Any:
    """The smaller of two lengths."""
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    low = interval_of(a).min(interval_of(b))
    return python_scalar(atoms.ufunc(np.minimum, wrap.as_atom(a, np.int64), wrap.as_atom(b, np.int64)), low)


class Reversed(Once):
    """`reversed(items)`."""

    def __init__(self, items: Countable) -> None:
        super().__init__()
        self.items = items

    @property
    def length(self) -> Any:
        return self.items.length

    @property
    def columns(self) -> tuple[Countable, ...]:
        return (self.items,)

    def at(self, index: Any) -> Any:
        length = self.items.length
        if isinstance(length, int) and isinstance(index, PythonScalar):
            last = atoms.ufunc(np.subtract, atoms.literal(length - 1, np.int64), index.atom)
            return self.items.at(python_scalar(last, Interval(0, max(length - 1, 0))))
        return self.items.at(length - 1 - index)

    def end(self, left: Atom) -> None:
        self.items.end(left)


def is_countable(items: Any) -> bool:
    """Whether a `for` over the iterable is staged; outside of a trace none is."""
    if not tracing():
        return False
    if is_grown(items) or lines().form_of(items) is not None:
        return True
    return isinstance(items, (Countable, range, Array, Sized)) or (
        isinstance(items, np.ndarray) and bool(items.ndim) and items.dtype.kind in "biufc"
    )


def countable(items: Any) -> Countable | None:
    """The staged form of an iterable that is gone over now; None for what is iterated while tracing."""
    if isinstance(items, ChoiceValue):
        items = items.without_undefined()
        if isinstance(items, ChoiceValue) and items.of_objects:
            one_of_many: Countable | None = _texts().characters(items)
            return one_of_many
        items = items.resolve() if isinstance(items, ChoiceValue) else items
    if not tracing():
        return None
    if isinstance(items, Once):
        if items.under_way:
            return None
        items.take_up()
    if isinstance(items, Countable):
        return items
    if isinstance(items, range):
        return Fixed(items)
    if is_grown(items):
        return Elements(items)
    if isinstance(items, (Array, Sized)):
        return Rows(items)
    if isinstance(items, np.ndarray) and items.ndim and items.dtype.kind in "biufc":
        return Rows(wrap.array_of(wrap.as_atom(items)))
    line: Countable | None = lines().line(items) or _texts().characters(items)
    return line


def lines() -> Any:
    """The module of lists that are gone over so, which stands above this one."""
    from anabranch.runtime.control.iteration import stacked_sequences as module  # noqa: PLC0415

    return module


def _texts() -> Any:
    """The module of text that is gone over so, which stands above this one."""
    from anabranch.runtime.control.iteration import text_iteration as module  # noqa: PLC0415

    return module


attributes.register(Countable, lambda _: iter(()))
attributes.register(Range, lambda _: range(0))
attributes.register(Enumerated, lambda _: enumerate(()))
attributes.register(Zipped, lambda _: zip())
attributes.register(Reversed, lambda _: reversed(()))
