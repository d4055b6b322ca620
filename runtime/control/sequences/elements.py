"""The rows of an array, and the elements of a list whose length is known only at run time, gone over by a loop."""

from __future__ import annotations

from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.columnar.node_access import NodeItems
from anabranch.runtime.control.sequences.countable import ChangedError, Countable
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values.arrays import indexing
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists import records
from anabranch.runtime.values.dynamic_lists.growable_list import is_fixed
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar


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
