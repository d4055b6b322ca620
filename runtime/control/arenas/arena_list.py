"""A list that lies in an arena: what Python's lists do, by the list's number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.arenas.list_arena import ListArena, sum_of
from anabranch.runtime.control.dynamic_lists import deep_copies, dynamic_list, dynamic_list_methods, item_access
from anabranch.runtime.control.dynamic_lists.run_time_sequence import RunTimeSequence
from anabranch.runtime.control.generator_expression import for_each
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arena_contents import ArenaItems, InArena
from anabranch.runtime.values.arrays.index_numbers import as_int
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar, is_array
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.python_numbers.sequence_index import place_of


class Elements(Countable):
    """The elements of a list in an arena, which must not get longer or shorter while they are gone over."""

    is_sized = True

    def __init__(self, owner: ArenaList) -> None:
        self._owner, self._length = owner, owner.count_

    @property
    def holds(self) -> tuple[object, ...]:
        parts: tuple[object, ...] = self._owner.arena_.parts
        return parts

    def at(self, index: int | PythonScalar) -> Value:
        return self._owner.element_(index)

    def end(self, left: Atom) -> None:
        before, now = (wrap.as_atom(n, np.int64) for n in (self._length, self._owner.count_))
        if before is now:
            return
        changed = atoms.logical_and(atoms.ufunc(np.not_equal, before, now), atoms.logical_not(left))
        run_time_checks.fail_if(
            changed,
            lambda _: UnsupportedOperationError(
                "a list that is an item of another gets longer or shorter in a loop over it; go over a copy, list(…)"
            ),
        )


class ArenaList(RunTimeSequence, InArena):
    """A list."""

    __slots__ = ()
    _what = "a list that is an item of another, whose length is known only at run time"

    @property
    def count_(self) -> Value:
        return self.arena_.length_of(self.number_)

    @property
    def memory_(self) -> tuple[Any, ...]:
        parts: tuple[Any, ...] = self.arena_.parts
        return parts

    def countable_(self) -> Elements:
        return Elements(self)

    def element_(self, place: Value) -> Value:
        """The element at a place that is in range."""
        return self.arena_.element(self.number_, place)

    def written_(self) -> ArenaItems:
        """The new contents of the caller's list, where it stands for one."""
        return ArenaItems(self)

    def grown_(self) -> Any:
        made = dynamic_list.GrowableList()
        current().trace.identity.created.add(made)
        dynamic_list_methods.append_each(made, self.countable_())
        made.become(made.as_items())
        return made

    # ---- elements ----------------------------------------------------------------------------------------------------

    def _place(self, key: Value, text: str) -> Value:
        return place_of(item_access.check_index(self, key), self.count_, text)

    def __getitem__(self, key: Value) -> Value:
        if isinstance(key, slice):
            return self._made(self.grown_()[key])
        return self.element_(self._place(key, "list index out of range"))

    def __setitem__(self, key: Value, value: Value) -> None:
        if isinstance(key, slice):
            self._changed("__setitem__", key, value)
        else:
            self.arena_.write(self.number_, self._place(key, "list assignment index out of range"), value)

    def __delitem__(self, key: Value) -> None:
        if isinstance(key, slice):
            self._changed("__delitem__", key)
        else:
            self._remove_at(self._place(key, "list assignment index out of range"))

    def _become(self, items: Any) -> None:
        """Have the elements of another list."""
        self.arena_.set_length(self.number_, 0)
        self.extend(items)

    def _changed(self, method: str, *args: Value, **options: Any) -> None:
        """Have what a method makes of the same elements in a list of their own."""
        changed = self.grown_()
        getattr(changed, method)(*args, **options)
        self._become(changed)

    def _remove_at(self, place: Value) -> None:
        last = size_arithmetic.subtract(self.count_, 1)

        def move(step: Value, arena: Any = self.arena_) -> None:
            here = sum_of(place, step)
            arena.write(self.number_, here, arena.element(self.number_, sum_of(here, 1)))

        for_each(Range(0, size_arithmetic.subtract(last, place), 1), move)
        self.arena_.set_length(self.number_, last)

    # ---- methods -----------------------------------------------------------------------------------------------------

    def append(self, value: Value) -> None:
        """As `list.append`."""
        self.arena_.append(self.number_, value)

    def extend(self, values: Value) -> None:
        """As `list.extend`."""

        def append(value: Value, owner: ArenaList = self, parts: Any = self.arena_.parts) -> None:
            owner.append(value)

        for_each(_grown(values), append)

    def __iadd__(self, values: Value) -> Self:
        if is_array(values) or isinstance(values, NumPyScalar):
            return NotImplemented
        self.extend(values)
        return self

    def pop(self, place: Value = -1) -> Value:
        """As `list.pop`."""
        item_access.fail_if(wrap.as_atom(self.count_ == 0, np.bool_), IndexError, "pop from empty list")
        at = self._place(place, "pop index out of range")
        value = self.element_(at)
        if type(place) is int and place == -1:
            self.arena_.set_length(self.number_, size_arithmetic.subtract(self.count_, 1))
        else:
            self._remove_at(at)
        return value

    def insert(self, place: Value, value: Value) -> None:
        """As `list.insert`."""
        length = self.count_
        at = python_scalar(item_access.clipped(as_int(place), length), Interval(0, interval_of(length).high))
        self.append(value)

        def move(step: Value, arena: Any = self.arena_) -> None:
            here = size_arithmetic.subtract(length, step)
            arena.write(self.number_, here, arena.element(self.number_, size_arithmetic.subtract(here, 1)))

        for_each(Range(0, size_arithmetic.subtract(length, at), 1), move)
        self.arena_.write(self.number_, at, value)

    def remove(self, value: Value) -> None:
        """As `list.remove`."""
        self._changed("remove", value)

    def clear(self) -> None:
        """As `list.clear`."""
        self.arena_.set_length(self.number_, 0)

    def copy(self) -> Value:
        """As `list.copy`."""
        return self._made(self.grown_())

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Value]) -> Value:
        deep_copies.check_held(self.arena_)
        return self.copied_()

    def reverse(self) -> None:
        """As `list.reverse`."""
        self._changed("reverse")

    def sort(self, *, key: Callable[[Any], object] | None = None, reverse: bool = False) -> None:
        """As `list.sort`."""
        self._changed("sort", key=key, reverse=reverse)

    # ---- with others -------------------------------------------------------------------------------------------------

    def _made(self, items: Any) -> Value:
        return dynamic_list.placed(items)

    def _list_of(self, other: Value) -> Value:
        return _grown(other) if isinstance(other, (list, InArena)) else NotImplemented

    def __radd__(self, other: Value) -> Value:
        if not isinstance(other, list):
            return NotImplemented
        made = dynamic_list.listed(other)
        made.extend(self.grown_())
        return self._made(made)

    def _is_one_with(self, other: Value) -> Value:
        return isinstance(other, ArenaList) and other.arena_ is self.arena_ and self.number_ == other.number_

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'list'")


def _grown(other: Value) -> Value:
    """A list; of one in an arena, which may be the one that changes, the elements in a list of their own."""
    return other.grown_() if isinstance(other, InArena) else other


ListArena.stand_in = ArenaList
