"""A table: the elements of lists of one length, side by side in arrays, and the lists that are its rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import EscapedTracerError, UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.union import UnionValue

R = TypeVar("R", bound="Row")
# Among the sites of lists that are arrays: no list is a table in this trace.
NO_TABLES = "no tables"


# Where tables have up to so many rows, and something cannot be done with such, tracing starts again without.
_FEW = 64


class Row(Protocol):
    """A list that can be a row of a table: one that may grow."""

    row_binding: Any  # the `RowBinding` that says which row it is; None for a list that is none

    def bind_row(self, home: RowBinding) -> None:
        """Be a row of a table."""

    def unbind_row(self, contents: object) -> None:
        """Be a row no more, and hold these elements."""


class Table:
    """Elements of some rows of one width, side by side."""

    __slots__ = ("builder", "dead", "first", "items", "last", "owners", "width")

    def __init__(self, owners: Sequence[Row], width: int, items: Items, builder: Builder) -> None:
        self.owners, self.width, self.builder = tuple(owners), width, builder
        self.items = self.first = items
        self.dead = False
        self.last: Any = None

    def __anabranch_slot__(self) -> Slot:
        return _TableSlot(self)

    def place(self, index: int | PythonScalar, position: int | PythonScalar = 0) -> Atom:
        """The place of an element of a row."""
        if self.dead:
            raise EscapedTracerError(
                "a list that was made in a branch, loop body or call is used after that has ended; make it before"
            )
        width = atoms.literal(self.width, np.int64)
        start = atoms.ufunc(np.multiply, wrap.as_atom(index, np.int64), width)
        return atoms.ufunc(np.add, start, wrap.as_atom(position, np.int64))

    def element(self, index: int | PythonScalar, position: int | PythonScalar) -> Value:
        """One element of a row."""
        return self.items.item(self._int(self.place(index, position)))

    def set_element(self, index: int | PythonScalar, position: int | PythonScalar, value: object) -> None:
        """Write one element of a row."""
        self.items = self.items.with_item(self._int(self.place(index, position)), value)

    def _int(self, place: Atom) -> Value:
        return python_scalar(place, Interval(0, self.width * len(self.owners) - 1))

    def row(self, index: int | PythonScalar) -> Items:
        """The elements of a row."""
        place = self.place(index)
        lines = [item_memory.block(b, place, self.width) for b in self.items.memory]
        structure = self.items.structure.of_length(self.width)
        return Items(structure, (self.width, *map(ListBuffer, lines)))

    def set_row(self, index: int | PythonScalar, row: Items) -> None:
        """Write all elements of a row."""
        kinds = self.items.structure.with_kinds_of(row.structure)
        whole, part = Items.of(self.items, kinds), Items.of(row, kinds.of_length(self.width))
        place = self.place(index)
        pairs = zip(whole.memory, part.memory, strict=True)
        written = [item_memory.block_updated(a, b, place) for a, b in pairs]
        self.items = Items(kinds, (whole.length, *map(ListBuffer, written)))

    def dissolve(self, wanted: Callable[[Row], bool] = lambda _: True) -> None:
        """Let the rows hold their elements by themselves, those that are wanted; nobody can read the others."""
        unchanged = self.items is self.first
        for owner in self.owners:
            home = owner.row_binding
            if home is not None and home.table is self and wanted(owner):  # and was not put back to what it was before
                owner.unbind_row(home.before if unchanged else self.row(home.index))
        self.items, self.dead = self.first, True

    def finish(self) -> None:
        """Let the rows hold parts of the table: the function has ended."""
        self.last, self.items, self.dead = self.items, self.first, True

    def contents(self, home: RowBinding) -> Value:
        """Return the contents of a row after the function has ended."""
        is_unchanged = self.last is self.first and home.before is not None
        return home.before if is_unchanged else RowPart(self.last, home.index, self.width)


class RowPart:
    """The contents of a row of a table after the function has ended: a part of memory that the rows share."""

    __slots__ = ("items", "row", "width")

    def __init__(self, items: Items, row: int, width: int) -> None:
        self.items, self.row, self.width = items, row, width

    def __anabranch_structure__(self) -> Structure:
        return RowPartStructure(RowPart, (), (self.items.structure, self.row, self.width))


@frozen
class RowPartStructure(Structure):
    """The structure of a part; only the host builds something of it: the elements."""

    mutable = False
    flat = True

    def children(self, value: RowPart) -> list[Value]:
        return list(value.items.parts[1:])

    def build(self, children: Sequence[Value]) -> Value:
        structure, row, width = self.extra
        return structure.of_length(width).build([c[row * width : (row + 1) * width] for c in children])


class _TableSlot(Slot):
    __slots__ = ()

    def contents(self) -> Value:
        return self.target.items

    def restore(self, contents: Items) -> None:
        self.target.items = contents

    def parts(self) -> Iterable[object]:
        return ()

    @staticmethod
    def same_contents(now: object, before: object) -> bool:
        return now is before


class RowBinding:
    """The row of a table that a list is; `before` is what it held until then, for a list from before the table."""

    __slots__ = ("before", "index", "table")

    def __init__(self, table: Table, index: Value, before: Value = None) -> None:
        self.table, self.index, self.before = table, index, before

    def __anabranch_structure__(self) -> Structure:
        raise without_tables("changes its length in a branch or a loop")


@frozen
class RowStructure(Structure):
    """The structure of a list that a run-time index has led to: its table (`extra`), and which row of it it is."""

    mutable = False
    refers = True

    def children(self, value: Row) -> list[Value]:
        return [value.row_binding.index]

    def build(self, children: Sequence[Value]) -> Value:
        return view(self.cls, self.extra, children[0])


@frozen
class RowOfLists(Structure):
    """The structure of such a list where the table is no more: one of the lists that were its rows."""

    mutable = False

    def children(self, value: Row) -> list[Value]:
        return [value.row_binding.index, *value.row_binding.table.owners]

    def build(self, children: Sequence[Value]) -> Value:
        index, *rows = children
        if isinstance(index, int):
            return rows[index]
        return UnionValue(atoms.convert(wrap.as_atom(index), np.int32), tuple(rows))


def structure_of_row(row: Row) -> Structure | None:
    """The structure of a list that a run-time index has led to; None for the rows themselves."""
    home = row.row_binding
    if home.before is not None:
        return None
    if home.table.dead:
        return RowOfLists(type(row), tuple(range(1 + len(home.table.owners))))
    return RowStructure(type(row), ("index",), home.table)


def view(cls: Callable[[], R], table: Table, index: int | PythonScalar) -> R:
    """The list that is a row of a table."""
    made = cls()
    made.bind_row(RowBinding(table, index))
    current().trace.identity.created.add(made)
    return made


def without_tables(what: str) -> BaseException:
    """Return the exception to raise where something cannot be done with a row of a table."""
    trace = current().trace
    if trace.lists.array_sites is not None and math.prod([len(t.owners) for t in trace.lists.tables[:1]]) <= _FEW:
        trace.lists.array_sites.add(NO_TABLES)
        return Restart(lists=True)
    return UnsupportedOperationError(
        f"an item of a list of lists, chosen by a run-time value, {what}; keep the numbers in a NumPy array of two "
        "axes, or the lengths in a list of their own"
    )
