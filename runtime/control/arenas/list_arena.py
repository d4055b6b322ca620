"""The memory that lists share whose number is known only at run time, and arrays that are items.

All elements lie in one list that grows, the cells. Each list has a start, a length and room; one that outgrows its room
moves to the end of the cells and gets twice as much.
"""

from __future__ import annotations

import collections
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.dynamic_lists import dynamic_list, growable_deque, run_time_tuple
from anabranch.runtime.control.dynamic_lists.run_time_tuple import RunTimeTuple
from anabranch.runtime.control.generator_expression import for_each
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.container_state import demand
from anabranch.runtime.tracing.source_frames import place
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arena_array import ArrayInArena, HostArrays, in_arena
from anabranch.runtime.values.arena_contents import HostLists
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.union import UnionValue

_LEAST_ROOM = 4


class ListArena:
    """Lists that one place in the user's code makes."""

    __slots__ = ("callers", "cells", "lengths", "rooms", "site", "starts")
    on_host = (HostLists,)
    stand_in: Any  # the class of what stands for a list

    def __init__(self, site: Hashable) -> None:
        self.site = site
        self.callers: list[Any] = []  # lists of the caller's, which have the first numbers
        self.cells: Any = dynamic_list.GrowableList()
        self.starts: Any = dynamic_list.GrowableList()
        self.lengths: Any = dynamic_list.GrowableList()
        self.rooms: Any = dynamic_list.GrowableList()

    @property
    def parts(self) -> tuple[Any, ...]:
        """The lists that change."""
        return (self.cells, self.starts, self.lengths, self.rooms)

    @property
    def columns(self) -> tuple[Any, ...]:
        """Those that make up the lists."""
        return (self.cells, self.starts, self.lengths)

    def made(self) -> Value:
        """The number of a new list, which is empty."""
        number = count_of(self.starts)
        for part in (self.starts, self.lengths, self.rooms):
            part.append(0)
        return number

    def holding(self, made: Value) -> Value:
        """A new list of the same elements, in the arena: at the end of the cells, with no room for more."""
        number, end = self.made(), count_of(self.cells)
        self.cells.extend(made)
        length = size_arithmetic.subtract(count_of(self.cells), end)
        for part, value in ((self.starts, end), (self.lengths, length), (self.rooms, length)):
            put(part, number, value)
        return self.stand_in(self, number)

    def with_tuples(self, value: Value) -> Value:
        """The value, where it is a tuple, or one of a few, as one whose items lie in the arena."""
        if isinstance(value, UnionValue) and any(map(_is_free, value.options)):
            return value.each(self.with_tuples)
        if not _is_free(value):
            return value
        return RunTimeTuple(self.holding(run_time_tuple.list_of(value)))

    def with_parts(self, value: Value) -> Value:
        """The value, where it is a tuple, or one of a few, with tuples that are its parts as such."""
        if isinstance(value, UnionValue) and any(type(option) is tuple for option in value.options):
            return value.each(self.with_parts)
        if type(value) is not tuple:
            return value
        made = tuple(map(self.with_tuples, value))
        return value if all(a is b for a, b in zip(made, value, strict=True)) else made

    def begin(self, number: int, elements: Sequence[Value]) -> None:
        """Give a new list its elements; before anything is traced."""
        self.starts[number], self.lengths[number] = len(self.cells), len(elements)
        self.rooms[number] = len(elements)
        self.cells.extend(elements)

    def length_of(self, number: Value) -> Value:
        """How many elements a list has."""
        return at(self.lengths, number)

    def set_length(self, number: Value, length: Value) -> None:
        """Give a list another length, for which there is room."""
        put(self.lengths, number, length)

    def element(self, number: Value, place: Value) -> Value:
        """The element at a place of a list that is in range."""
        return at(self.cells, sum_of(at(self.starts, number), place))

    def write(self, number: Value, place: Value, value: Value) -> None:
        """Set the element at a place of a list for which there is room."""
        put(self.cells, sum_of(at(self.starts, number), place), value)

    def append(self, number: Value, value: Value) -> None:
        """Append an element to a list."""
        length = self.length_of(number)

        def grow(arena: ListArena = self) -> None:
            arena._grow(number, length, value)

        if_(length >= at(self.rooms, number), grow, lambda: None)
        self.write(number, length, value)
        self.set_length(number, sum_of(length, 1))

    def _grow(self, number: Value, length: Value, value: Value) -> None:
        """Move a list to the end of the cells, with twice the room; what is there yet is `value`."""
        start, end = at(self.starts, number), count_of(self.cells)
        room = if_(length < _LEAST_ROOM // 2, lambda: _LEAST_ROOM, lambda: sum_of(length, length))

        def copy(place: Value, cells: Any = self.cells) -> None:
            cells.append(at(cells, sum_of(start, place)))

        def add(_: Value, cells: Any = self.cells) -> None:
            cells.append(value)

        for_each(Range(0, length, 1), copy)
        for_each(Range(0, room - length, 1), add)
        put(self.starts, number, end)
        put(self.rooms, number, room)


def _is_free(value: Value) -> bool:
    """Return whether a value is a tuple whose items lie in no arena."""
    return type(value) is tuple or (isinstance(value, RunTimeTuple) and value.is_free)


def count_of(items: Any) -> Value:
    """How many elements a list has."""
    return items.items.length if items.is_dynamic else len(items)


def at(items: Any, place: Value) -> Value:
    """The element at a place of a list that is in range."""
    return items[place] if _is_known(items, place) else items.as_items().item(place)


def put(items: Any, place: Value, value: Value) -> None:
    """Set the element at a place of a list that is in range."""
    if _is_known(items, place):
        items[place] = value
    else:
        items.become(items.as_items().with_item(place, value))


def _is_known(items: Any, place: Value) -> bool:
    """Return whether elements are values of their own while tracing, and which one is meant is known."""
    return type(place) is int and not items.is_dynamic


def sum_of(a: Value, b: Value) -> Value:
    """The sum of two places."""
    return size_arithmetic.limited(size_arithmetic.add(a, b), 0, 2**62)


class ArrayArena:
    """The arrays of a type that some places in the user's code make."""

    on_host = (HostArrays,)

    def __init__(self, type: ArrayType) -> None:
        self.type = type
        self.column: Any = dynamic_list.GrowableList()
        self.callers: list[Any] = []

    @property
    def columns(self) -> tuple[Any, ...]:
        """The list that makes up the arrays."""
        return (self.column,)

    parts = columns  # it changes

    def made(self, value: Atom) -> ArrayInArena:
        """A new array."""
        number = count_of(self.column)
        with current().trace.lists.without_notes():
            self.column.append(wrap.array_of(value))
        return in_arena(self, number)

    def read(self, number: Value) -> Atom:
        """The contents of an array."""
        with current().trace.lists.without_notes():
            atom: Atom = at(self.column, number).atom
        return atom

    def rows(self, numbers: Atom) -> Atom:
        """The contents of several arrays along a new first axis; where there is no array of a number, any contents."""
        items = self.column.as_items()
        (buffer,) = items.buffers
        last = atoms.broadcast_to(atoms.literal(buffer.type.shape[0] - 1, np.int64), numbers.type.shape)
        none = atoms.broadcast_to(atoms.literal(0, np.int64), numbers.type.shape)
        return item_memory.gathered(buffer, atoms.ufunc(np.minimum, atoms.ufunc(np.maximum, numbers, none), last))

    def write(self, number: Value, value: Atom) -> None:
        """Replace the contents of an array."""
        with current().trace.lists.without_notes():
            put(self.column, number, wrap.array_of(value))


def growing(values: object) -> Value:
    """The list (or deque) as one that may grow, in the arena of the place that makes it; outside of tracing, itself."""
    made = growable_deque.growing(values)
    return dynamic_list.placed(made) if tracing() else made


class GrowingFactory:
    """The factory of a defaultdict's lists or deques, which may grow."""

    def __init__(self, native: type[Any]) -> None:
        self.native = native

    def __call__(self) -> Value:
        return growing(self.native())


class SharedFactory(GrowingFactory):
    """That of lists which are the same objects in the dict and elsewhere, after the call, too: they lie in an arena."""

    def __call__(self) -> Value:
        demand(current().trace.lists.arena_sites, {place()})
        return super().__call__()


GROWING: dict[Any, GrowingFactory] = {kind: GrowingFactory(kind) for kind in (list, collections.deque)}
