"""Arrays that lie in an arena: each is its number among the arrays of one type, which are rows of one memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import demand
from anabranch.runtime.tracing.storage import ElsewhereStorage, Storage
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arena_contents import HostArena, InArenaStructure
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists import item_kinds
from anabranch.runtime.values.pytrees import layout as layouts


class RowStorage(ElsewhereStorage):
    """The memory of an array in an arena: a row of the arena's."""

    __slots__ = ("arena", "number")

    def __init__(self, arena: Any, number: Value) -> None:
        super().__init__(arena.type)
        self.arena, self.number = arena, number

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("strides", "readonly") and value is not None:
            raise UnsupportedOperationError(
                "an array that is read-only, or not in C order, is an item of a list of run-time length, a dict or an "
                "object, and such arrays are written to; make it in C order (np.ascontiguousarray), or copy it"
            )
        super().__setattr__(name, value)

    def may_be(self, other: Storage) -> bool:
        return isinstance(other, RowStorage) and other.arena is self.arena

    def read(self) -> Atom:
        atom: Atom = self.arena.read(self.number)
        return atom

    def write(self, value: Atom) -> None:
        self.arena.write(self.number, value)


class ArrayInArena(TracedArray):
    """An array that is one of those of an arena; it is the same array wherever the number is the same."""

    __slots__ = ()
    storage: RowStorage

    def __anabranch_structure__(self) -> ArrayStructure:
        return ArrayStructure(type(self), ("number",), self.storage.arena)


@frozen
class ArrayStructure(InArenaStructure):
    """That of an array in an arena."""

    @property
    def array_arena(self) -> Any:
        return self.extra

    def children(self, value: Value) -> list[Value]:
        return [value.storage.number]

    def build(self, children: Sequence[Value]) -> Value:
        return in_arena(self.extra, children[0])

    def meet(self, other: layouts.Layout) -> None:
        """Have an array that one name stands for beside one of the arena lie there, too.

        Raises `Restart` where it could have done so since it was made. Raises `UnsupportedOperationError` where it
        cannot: a write to the name would have to reach the one or the other.
        """
        abstract = layouts.numeric(other)
        if isinstance(other, layouts.Constant) and isinstance(other.value, TracedArray):
            item_kinds.demand_arena(other.value)
        if abstract is not None and abstract.type == self.extra.type:
            lists = current().trace.lists  # in a loop or a branch it is not known which array it is: any of this type
            demand(lists.arena_sites, {s for s in (lists.made_arrays or {}).values() if s.type == self.extra.type})
        is_row = isinstance(other, layouts.Node) and isinstance(other.structure, ArrayStructure)
        if is_row or layouts.is_dynamic_array(other) or (abstract is not None and abstract.kind is Kind.ARRAY):
            raise UnsupportedOperationError(
                "a name stands for an array that is an item of a list of run-time length, a dict or an object, or for "
                "another one that lies apart, depending on a run-time condition; take copies of both (x.copy())"
            )


def in_arena(arena: Any, number: Value) -> ArrayInArena:
    """The array of a number."""
    return ArrayInArena(RowStorage(arena, number))


def are_same(a: object, b: object) -> Value:
    """`a is b`, where one of them is an array in an arena."""
    if not (isinstance(a, ArrayInArena) and isinstance(b, ArrayInArena)):
        return False
    return a.storage.may_be(b.storage) and a.storage.number == b.storage.number


def share_memory(a: TracedArray, b: TracedArray) -> Value:
    """Return whether two arrays are, or are views of, one."""
    one, other = a.storage, b.storage
    if isinstance(one, RowStorage) and isinstance(other, RowStorage):
        return one.may_be(other) and one.number == other.number
    return one is other


class HostArrays(HostArena):
    """The arrays of an arena, which has one column."""

    def member(self, number: int, members: Sequence[Any]) -> Any:
        if number not in self.known:
            (row,) = self._columns[0].items(number, 1, members)
            self.known[number] = np.array(row)
        return self.known[number]
