"""The memory that arrays of one type share which are items, and change: each is a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.arenas.list_arena import at, count_of, put
from anabranch.runtime.control.dynamic_lists import dynamic_list
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arena_array import ArrayInArena, HostArrays, in_arena
from anabranch.runtime.values.memory import item_memory


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
