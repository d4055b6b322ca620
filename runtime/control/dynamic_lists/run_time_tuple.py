"""Tuples whose length is known only at run time.

Such a tuple has its items side by side, as a list of run-time length has, or in a list of an arena that nobody else
has.
"""

from __future__ import annotations

from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.dynamic_lists import dynamic_list, dynamic_list_methods
from anabranch.runtime.control.dynamic_lists.run_time_sequence import RunTimeSequence
from anabranch.runtime.control.sequences import as_countable
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values.arrays.index_numbers import as_int, check_place
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list, is_fixed
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.tuple_structure import TupleStructure
from anabranch.runtime.values.python_numbers.sequence_index import place_of
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


class RunTimeTuple(RunTimeSequence):
    """A tuple; `held_` are its `Items`, or a list of an arena."""

    __slots__ = ("held_",)
    native = tuple
    _what = "a tuple whose length is known only at run time"

    def __init__(self, held: Any) -> None:
        self.held_ = held

    def __anabranch_structure__(self) -> Structure:
        arena = None if isinstance(self.held_, Items) else self.held_.arena_
        return TupleStructure(type(self), ("items",), arena)

    @property
    def is_free(self) -> bool:
        """Return whether its items lie in no arena."""
        return isinstance(self.held_, Items)

    @property
    def count_(self) -> Value:
        return self.held_.length if isinstance(self.held_, Items) else self.held_.count_

    def countable_(self) -> Any:
        return as_countable.countable(self.grown_() if isinstance(self.held_, Items) else self.held_)

    def grown_(self) -> Any:
        """A list with the same items."""
        if not isinstance(self.held_, Items):
            return self.held_.grown_()
        made = dynamic_list.GrowableList()
        made.become(self.held_)
        current().trace.identity.created.add(made)
        return made

    # ---- items -------------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Value) -> Value:
        if isinstance(key, slice):
            return self._made(self.grown_()[key])
        if isinstance(key, UnionValue):
            key = key.resolve()
        if isinstance(key, Tracer):
            check_place(key, "tuple")
        elif not hasattr(key, "__index__"):
            return ()[key]  # raises what Python does
        return self.element_(place_of(as_int(key), self.count_, "tuple index out of range"))

    def element_(self, place: Value) -> Value:
        held = self.held_
        return held.item(place) if isinstance(held, Items) else held.element_(place)

    def index(self, *args: Value) -> Value:
        """As `tuple.index`."""
        return dynamic_list_methods.index(self.grown_(), *args, missing="tuple.index(x): x not in tuple")

    # ---- with others -------------------------------------------------------------------------------------------------

    def _made(self, items: Any) -> Value:
        return made_of(items, self)

    def _list_of(self, other: Value) -> Value:
        return list_of(other) if isinstance(other, (tuple, RunTimeTuple)) else NotImplemented

    def __radd__(self, other: Value) -> Value:
        if not isinstance(other, tuple):
            return NotImplemented
        made = list_of(other)
        made.extend(self.grown_())
        return self._made(made)

    def __hash__(self) -> int:
        self._plain()
        return 0


def list_of(items: Value) -> Any:
    """A new list of the items of a tuple."""
    return items.grown_() if isinstance(items, RunTimeTuple) else dynamic_list.growing(list(items))


def tuple_of(made: Any) -> Value:
    """The tuple of the items of a new list."""
    if isinstance(made, RunTimeContainer):
        return RunTimeTuple(made)
    return RunTimeTuple(made.items) if is_dynamic_list(made) and not is_fixed(made) else tuple(made)


def made_of(made: Any, origin: RunTimeTuple) -> Value:
    """The tuple of the items of a new list, in the memory of the tuple that they come from."""
    held = origin.held_
    return tuple_of(made) if isinstance(held, Items) else RunTimeTuple(held.arena_.holding(made))
