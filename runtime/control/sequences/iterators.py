"""Iterators over what a staged `for` can count over, each for one use; and items of an unrolled loop."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import Builder, current, tracing
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.heap.container_slots import IteratorSlot, Slot
from anabranch.runtime.values.heap.opaque import Remaining
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar


class OnceStructure(Structure):
    """An iterator over ranges that nobody has asked for an item: their bounds, and what else it was made with.

    `extra` makes a range of bounds.
    """

    def children(self, value: Value) -> list[Value]:
        return [*(bound for column in value.columns for bound in column.bounds_), *value.settings_]

    def build(self, children: Sequence[Value]) -> Value:
        n = len(children) // 3 * 3
        cls: Any = self.cls
        return cls.of_columns_([self.extra(children[i : i + 3]) for i in range(0, n, 3)], *children[n:])


class Once(Countable):
    """An iterator: what goes over it a second time would find it used up."""

    # Makes such an iterator over sequences, with the settings; None where ranges alone do not make one.
    of_columns_: ClassVar[Callable[..., Once] | None] = None

    @property
    def settings_(self) -> tuple[Value, ...]:
        """The values that it is made with beside its columns: fewer than three."""
        return ()

    def __anabranch_structure__(self) -> Structure | None:
        columns = self.columns
        if (
            self.of_columns_ is None
            or self._taken
            or self.under_way
            or any(column.bounds_ is None for column in columns)
        ):
            return None
        return OnceStructure(type(self), tuple(range(3 * len(columns) + len(self.settings_))), columns[0].of_bounds_)

    def __init__(self) -> None:
        self._made: Builder | None = current() if tracing() else None
        self._taken = False
        self._under_way: Iterator[Any] | None = None
        self._given = 0  # how many items have been asked for one by one

    def __anabranch_slot__(self) -> Slot:
        return IteratorSlot(self)

    def __iter__(self) -> Iterator[Value]:
        if self._made is not None and self._made is not current():
            if self._under_way is not None:
                raise self._moved()
            self.take_up()
            return self.steps()
        if self._under_way is None:
            self.take_up()
            self._under_way = self._one_by_one()
        return self._under_way

    def _one_by_one(self) -> Iterator[Value]:
        for item in self.steps_from_(self._given):
            self._given += 1
            yield item

    def __next__(self) -> Value:
        self.refuse_elsewhere()
        return next(iter(self))

    def refuse_elsewhere(self) -> None:
        """Refuse an iterator that is used in a branch or a loop outside of which it was made."""
        if self._made is not None and self._made is not current():
            raise self._moved()

    def want_resumable_(self) -> None:
        """Have the function be traced once more, with an iterator in this one's place that goes on anywhere."""
        current().trace.want_going_on(self)

    def _moved(self) -> UnsupportedOperationError:
        self.want_resumable_()
        return UnsupportedOperationError(_MOVED)

    @property
    def under_way(self) -> bool:
        """Return whether items have been asked for one by one."""
        return self._under_way is not None

    def progress_(self) -> tuple[bool, int | None]:
        """Return whether the iteration has begun, and how many items have been asked for one by one."""
        return self._taken, None if self._under_way is None else self._given

    def leads_to_(self) -> tuple[Value, ...]:
        """The iterators that it takes items of."""
        return tuple(column for column in self.columns if isinstance(column, Once))

    def go_back_(self, progress: tuple[bool, int | None]) -> None:
        """Be at such a place again."""
        taken, given = progress
        if self.progress_() != progress:
            self._taken, self._given, self._under_way = taken, given or 0, None
            self._under_way = None if given is None else self._one_by_one()

    def take_up(self) -> None:
        """Note that the iteration begins."""
        if self._taken:
            self.want_resumable_()
            raise UnsupportedOperationError(
                "an iterator (enumerate, zip, reversed, or one of itertools) is used a second time, when it may be "
                "exhausted; make a new one for each loop"
            )
        if self._made is not None and _is_outside_of_a_loop(self._made):
            raise self._moved()
        self._taken = True


def _is_outside_of_a_loop(made: Builder) -> bool:
    """Return whether a loop goes on here that had not begun where an iterator was made: one step would use it up."""
    around = list(current().outwards())
    inside = around[: around.index(made)] if made in around else []
    return any(builder.selector is not None and builder.way is None for builder in inside)


_MOVED = (
    "an iterator made outside of a run-time branch or loop is used inside of it, so that how much is left of it is "
    "known only at run time; make it inside"
)


class Tail(Countable):
    """All but the first item of a sequence that has one."""

    def __init__(self, items: Countable) -> None:
        self.items = items

    @property
    def length(self) -> Value:
        return self.items.length - 1

    @property
    def columns(self) -> tuple[Countable, ...]:
        return (self.items,)

    def at(self, index: Value) -> Value:
        return self.items.at(index + 1)

    def end(self, left: Atom) -> None:
        self.items.end(left)


class OfOne(Once):
    """An iterator over the items of one sequence, of which it has as many."""

    def __init__(self, items: Countable) -> None:
        super().__init__()
        self.items = items

    @property
    def length(self) -> Value:
        return self.items.length

    @property
    def columns(self) -> tuple[Countable, ...]:
        return (self.items,)

    def end(self, left: Atom) -> None:
        self.items.end(left)


class Enumerated(OfOne, sample=lambda: enumerate(())):
    """`enumerate(items, start)`."""

    def __init__(self, items: Countable, start: Value) -> None:
        super().__init__(items)
        self._first = start

    @staticmethod
    def of_columns_(columns: Sequence[Countable], *settings: Value) -> Enumerated:
        return Enumerated(*columns, *settings)

    @property
    def settings_(self) -> tuple[Value, ...]:
        return (self._first,)

    @property
    def is_known(self) -> bool:
        return super().is_known and isinstance(self._first, int)

    def at(self, index: int | PythonScalar) -> Value:
        return (self._first + index, self.items.at(index))

    def end_errors(self) -> list[tuple[Atom, str]]:
        """The conditions of what is numbered."""
        return self.items.end_errors()


class Zipped(Once, sample=zip):
    """`zip(*columns)`: as long as the shortest."""

    def __init__(self, columns: tuple[Countable, ...], strict: bool) -> None:
        super().__init__()
        if any(c.end_errors() for c in columns):
            raise ConcretizationError(
                "zip of a zip(..., strict=True) whose length is known only at run time is not supported; give all of "
                "them to one zip"
            )
        self.strict = strict
        self._columns = columns

    def __anabranch_structure__(self) -> Structure | None:
        return None if self.strict else super().__anabranch_structure__()

    @staticmethod
    def of_columns_(columns: Sequence[Countable], *_: Value) -> Zipped:
        return Zipped(tuple(columns), False)

    @property
    def columns(self) -> tuple[Countable, ...]:
        return self._columns

    @property
    def length(self) -> Value:
        shortest = self.columns[0].length
        for column in self.columns[1:]:
            shortest = shorter(shortest, column.length)
        return shortest

    def at(self, index: int | PythonScalar) -> Value:
        return tuple(c.at(index) for c in self.columns)

    def end(self, left: Atom) -> None:
        super().end(left)
        for column in self.columns:
            column.end(left)

    def end_errors(self) -> list[tuple[Atom, str]]:
        """The conditions of different lengths: the first column that ends ends it, unless one goes on after that."""
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


def shorter(a: object, b: object) -> Value:
    """The smaller of two lengths."""
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    if 0 in (known for known in (a, b) if isinstance(known, int)):
        return 0
    low = interval_of(a).min(interval_of(b))
    return python_scalar(atoms.ufunc(np.minimum, wrap.as_atom(a, np.int64), wrap.as_atom(b, np.int64)), low)


class Reversed(OfOne, sample=lambda: reversed(())):
    """`reversed(items)`."""

    @staticmethod
    def of_columns_(columns: Sequence[Countable], *_: Value) -> Reversed:
        return Reversed(*columns)

    def at(self, index: int | PythonScalar) -> Value:
        length = self.items.length
        if isinstance(length, int) and isinstance(index, PythonScalar):
            last = atoms.ufunc(np.subtract, atoms.literal(length - 1, np.int64), index.atom)
            return self.items.at(python_scalar(last, Interval(0, max(length - 1, 0))))
        return self.items.at(length - 1 - index)


def remaining(items: Iterable[object]) -> Iterable[Value]:
    """The items, by one iterator however often it is asked for.

    An iterator that the user has a name for stays itself: a branch that moves it is found, and refused.
    """
    iterator = iter(items)
    return iterator if iterator is items and is_named(iterator) else Remaining(iterator)


def is_named(iterator: object) -> bool:
    """Return whether a variable of the user's functions holds the iterator, or another object."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != "trace_call":
        if not internal(frame.f_code.co_filename) and any(v is iterator for v in frame.f_locals.values()):
            return True
        frame = frame.f_back
    return False
