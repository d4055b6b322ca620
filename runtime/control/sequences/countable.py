"""An iterable that a staged `for` counts over: a length, and an item at each position."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.control.columnar.node_access import NodeItems
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms
from anabranch.runtime.values.arrays import indexing
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.attributes import Bare
from anabranch.runtime.values.dynamic_lists import records
from anabranch.runtime.values.dynamic_lists.growable_list import is_fixed
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.static_requests import source_leaves, with_static_request
from anabranch.runtime.values.tracer import SHOWN, shown_to_tools


class ChangedError(UnsupportedOperationError):
    """A list has been changed while a loop went over it as it was."""


def changes_length(items: Value, where: str = "it is iterated over") -> ChangedError:
    """The error for a list or deque that a loop over it makes longer or shorter."""
    return ChangedError(f"{a(type(items).__name__)} changes its length while {where}; iterate over a copy")


class Countable(Bare, abc.ABC, sample=lambda: iter(())):
    """An iterable with a length and an item at each position, both possibly known only at run time."""

    _length: Value

    def __repr__(self) -> str:
        return shown_to_tools(f"{SHOWN}{type(self).__name__}>")

    @property
    def length(self) -> Value:
        """A plain int, or a traced Python int: `_length`, where a class finds it in no other way."""
        return self._length

    @abc.abstractmethod
    def at(self, index: int | PythonScalar) -> Value:
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
    def bounds_(self) -> tuple[Value, Value, Value] | None:
        """The start, the stop and the step of a range; None for anything else."""
        return None

    @staticmethod
    def of_bounds_(bounds: Sequence[Value]) -> Countable:
        """The range of these bounds, which are those of one that is there."""
        raise NotImplementedError

    is_sized: ClassVar[bool] = False  # whether `len` may be asked of it
    is_few: ClassVar[bool] = False  # whether a loop over its items is unrolled where their steps add little
    little: ClassVar[int] = 0  # how many equations are little, where that is more than of any other loop

    def fresh(self) -> Countable:
        """The same as it is now, where a loop over it begins."""
        return self

    @property
    def holds(self) -> tuple[object, ...]:
        """The values that lead to the dicts and objects among the items, which a step may change."""
        return tuple(column.holds for column in self.columns)

    @property
    def has_records(self) -> bool:
        """Return whether some items are dicts or objects that are known one by one."""
        return any(column.has_records for column in self.columns)

    def end_errors(self) -> list[tuple[Atom, str]]:
        """Return the conditions that make the iteration raise ValueError at its end, with the messages."""
        return []

    def end(self, left: Atom) -> None:
        """Raise at run time what the end of the iteration raises, unless it was `left` before."""
        for pred, message in self.end_errors():
            ended = atoms.logical_and(pred, atoms.logical_not(left))
            run_time_checks.fail_if(ended, _value_error(message))

    def __iter__(self) -> Iterator[Value]:
        return self.steps()

    def steps(self) -> Iterator[Value]:
        """The items one by one, while tracing."""
        return self.steps_from_(0)

    def steps_from_(self, first: int) -> Iterator[Value]:
        """The same from a place on, which there is."""
        if not isinstance(self.length, int):
            if not (settings().auto_static and source_leaves(self.length)):
                current().trace.outside.needs_plain()
            error = ConcretizationError(
                "an iteration whose length is known only at run time is used where the length is needed while "
                "tracing (by a comprehension, list(), or code that is not compiled); use a for statement"
            )
            raise with_static_request(error, self.length, "the length of an iteration")
        return self._items(first, self.length)

    def _items(self, first: int, length: int) -> Iterator[Value]:
        yield from map(self.at, range(first, length))
        self.end(atoms.literal(False))

    def __len__(self) -> int:
        return self.length if isinstance(self.length, int) else self.length.__index__()


def _value_error(message: str) -> Callable[[int], BaseException]:
    return lambda _: ValueError(message)


class AxisItems(Countable):
    """The first axis of an array."""

    def __init__(self, array: TracedArray | DynamicArray) -> None:
        if not array.shape:
            raise TypeError("iteration over a 0-d array")
        self._array = array
        self._length = array.shape[0]

    def at(self, index: int | PythonScalar) -> Value:
        return indexing.get(self._array, index)


class HostItems(Countable):
    """The items of an array of dates or records, or of bytes."""

    def __init__(self, owner: HostTyped) -> None:
        self._owner: Any = owner
        self._length = self._owner._item_count

    def at(self, index: int | PythonScalar) -> Value:
        return self._owner._item_of_loop(index)


class ItemsOfNode(Countable):
    """The items of a list or tuple that is one of the nodes of a structure."""

    def __init__(self, owner: NodeItems) -> None:
        self._owner = owner
        self._length = owner.length

    def at(self, index: int | PythonScalar) -> Value:
        return self._owner.at(index)


class Elements(Countable):
    """The elements of a list whose length is known only at run time, as they are now."""

    def __init__(self, owner: Value) -> None:
        self._owner, self._now = owner, owner.items
        self._length = self._now.length

    @property
    def source_(self) -> Value:
        """The list."""
        return self._owner

    @property
    def holds(self) -> tuple[object, ...]:
        return records.members(self._now)

    def at(self, index: int | PythonScalar) -> Value:
        return (self._owner.items if self._keeps_its_length else self._now).item(index)

    @property
    def _keeps_its_length(self) -> bool:
        """Return whether the list is of static length, and no element was added or removed."""
        return is_fixed(self._owner) and self._owner.items.length == self._now.length

    def end(self, left: Atom) -> None:
        if self._owner.items is not self._now and not self._keeps_its_length:
            raise ChangedError(
                "a list whose length is known only at run time is changed while enumerate, zip, reversed or a "
                "comprehension iterates over it; use a plain for statement, an index, or a copy of the list"
            )
