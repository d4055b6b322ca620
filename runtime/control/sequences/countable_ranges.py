"""Ranges as a staged `for` counts over them: with bounds known only at run time, and with known ones."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.sequences.iterators import Reversed
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays.index_numbers import as_int
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.number_sequence import NumberSequence
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.static_requests import with_static_request

_EMPTY = (
    "an empty range becomes an array, of which NumPy makes one of floats; use np.arange, or ask before whether there "
    "is anything in it"
)


class RangeStructure(Structure):
    """A range: its bounds and its step."""

    mutable = False
    holds_copies = True

    def holds(self, value: Value) -> bool:
        return isinstance(value, range)

    def children(self, value: Value) -> list[Value]:
        return [value.start, value.stop, value.step]

    def build(self, children: Sequence[Value]) -> Value:
        if not any(isinstance(c, PythonScalar) for c in children):
            return range(*children)
        made = Range.__new__(Range)
        # Nothing is checked again, least of all of a range that is not there yet.
        made.start, made.stop, made.step = children
        made._length = made._count()
        return made


class Range(Countable, NumberSequence, sample=lambda: range(0)):
    """`range(start, stop, step)` with run-time bounds."""

    is_sized = True

    def __init__(self, start: object, stop: object, step: object) -> None:
        self.start, self.stop, self.step = [as_int(bound, range) for bound in (start, stop, step)]
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
    def bounds_(self) -> tuple[Value, Value, Value]:
        return self.start, self.stop, self.step

    @staticmethod
    def of_bounds_(bounds: Sequence[Value]) -> Countable:
        made = _STRUCTURE.build(bounds)
        return KnownRange(made) if isinstance(made, range) else made

    def __anabranch_structure__(self) -> RangeStructure:
        return _STRUCTURE

    def _count(self) -> Value:
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

    def at(self, index: int | PythonScalar) -> Value:
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
        item = python_scalar(offset if zero else atoms.ufunc(np.add, first, offset), inside.clipped())
        if isinstance(item, PythonScalar):
            if step.low > 0 and isinstance(self.stop, PythonScalar):
                item.most = (self.stop.most[0], self.stop.most[1] - 1)
            elif step.high < 0 and isinstance(self.start, PythonScalar):
                item.most = self.start.most
        return item

    def as_array(self) -> Value:
        """As `numpy.array`; an empty one, of which NumPy makes floats, is refused at run time."""
        if isinstance(self.length, int):
            return registry.FUNCTIONS[np.array](list(self))
        run_time_checks.fail_if(wrap.as_atom(self.length == 0, np.bool_), lambda _: UnsupportedOperationError(_EMPTY))
        return self.as_indices()

    def as_indices(self) -> Value:
        return registry.FUNCTIONS[np.arange](self.start, self.stop, self.step)

    def __eq__(self, other: object) -> Any:
        """As of Python's ranges, which are equal where their items are."""
        if isinstance(other, range):
            other = Range(other.start, other.stop, other.step)
        if not isinstance(other, Range):
            return NotImplemented
        pairs = ((self.length, other.length), (self.start, other.start), (self.step, other.step))
        length, start, step = (wrap.as_atom(one == another, np.bool_) for one, another in pairs)
        short = (wrap.as_atom(self.length <= n, np.bool_) for n in (0, 1))
        for few, same in zip(short, (start, step), strict=True):
            length = atoms.logical_and(length, atoms.logical_or(few, same))
        return python_scalar(length)

    def __hash__(self) -> int:
        return hash(range(*(operator.index(x) for x in (self.start, self.stop, self.step))))

    def __reversed__(self) -> Reversed:
        return Reversed(self)

    def __getitem__(self, index: Value) -> Value:
        if isinstance(index, slice):
            error = ConcretizationError(
                "slicing a range whose length is known only at run time is not supported; write the range with the "
                "bounds that are meant"
            )
            raise with_static_request(error, self.length, "the length of a range")
        place = as_int(index, range)
        place = place + self.length * (place < 0)
        outside = _either(place < 0, place >= self.length)
        run_time_checks.fail_if(outside, lambda _: IndexError("range object index out of range"))
        return self.at(place)


_STRUCTURE = RangeStructure(Range, ("start", "stop", "step"))


def _either(a: object, b: object) -> Atom:
    """Return whether one of two Python bools is true, as an atom."""
    return atoms.logical_or(wrap.as_atom(a, np.bool_), wrap.as_atom(b, np.bool_))


def _is_one(atom: Atom) -> bool:
    return isinstance(atom, Literal) and bool(atom.value == 1)


class KnownRange(Countable):
    """A `range` whose bounds are known."""

    def __init__(self, items: range) -> None:
        self.items = items

    @property
    def bounds_(self) -> tuple[Value, Value, Value]:
        return self.items.start, self.items.stop, self.items.step

    of_bounds_ = staticmethod(Range.of_bounds_)

    @property
    def length(self) -> int:
        # As `len`, which knows no length beyond 64 bits.
        length = max(0, -((self.items.start - self.items.stop) // self.items.step))
        wrap.check_range(length)
        return length

    def at(self, index: int | PythonScalar) -> Value:
        items = self.items
        if not isinstance(index, PythonScalar):
            return items[index] if items else items.start  # of a loop without a step
        ends = (items[0], items[-1]) if items else (items.start, items.start)
        for bound in (*ends, items.step):
            wrap.check_range(bound)
        offset: Atom = index.atom
        if items.step != 1:
            offset = atoms.ufunc(np.multiply, offset, atoms.literal(items.step, np.int64))
        if items.start != 0:
            offset = atoms.ufunc(np.add, atoms.literal(items.start, np.int64), offset)
        return python_scalar(offset, Interval(min(ends), max(ends)))
