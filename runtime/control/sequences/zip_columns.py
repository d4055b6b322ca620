"""Columns of `zip`: items known while tracing, beside a sequence whose length is known only at run time."""

from __future__ import annotations

import itertools

from anabranch.base.by_identity import IdentityDict
from anabranch.base.value import Value
from anabranch.runtime.control.sequences import chosen_item
from anabranch.runtime.control.sequences.as_countable import countable, is_countable
from anabranch.runtime.control.sequences.countable import ChangedError, Countable, changes_length
from anabranch.runtime.control.sequences.iterators import Once
from anabranch.runtime.control.sequences.text_iteration import is_text
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import containers
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, is_dynamic_list
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.union import UnionValue

_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


class KnownItems(Countable):
    """The items of a list or tuple, each read by an index when it is asked for."""

    def __init__(self, items: Value) -> None:
        self.source_ = items
        self._length = len(items)

    @property
    def holds(self) -> tuple[object, ...]:
        return tuple(self.source_)

    @property
    def is_known(self) -> bool:
        return not any(map(containers.has_traced, self.source_))

    def at(self, index: int | PythonScalar) -> Value:
        if is_dynamic_list(self.source_):
            raise self._changed()
        return chosen_item.chosen(list(self.source_), index, index)

    def end(self, left: Atom) -> None:
        if is_dynamic_list(self.source_) or len(self.source_) != self._length:
            raise self._changed()

    def _changed(self) -> ChangedError:
        return changes_length(
            self.source_, "zip iterates over it beside something whose length is known only at run time"
        )


class ChosenItems(Countable):
    """The items of the one of a few lists that a choice is, where their length is known only at run time."""

    def __init__(self, choice: Value) -> None:
        self._choice = choice
        self._columns: IdentityDict[Value, Countable] = IdentityDict()
        for option in choice.options:
            self._columns.update((option, column) for column in staged_one(option))
        self._length = choice.through(lambda one: self._columns[one].length if one in self._columns else 0)

    @staticmethod
    def are_of(column: Value) -> bool:
        """Return whether a column is such a choice."""
        if not isinstance(column, UnionValue) or isinstance(column, Reference) or not column.of_objects:
            return False
        options = column.options
        if not all(is_countable(option) or _is_plain(option) for option in options):
            return False
        return any(map(is_countable, options)) or len(set(map(len, options))) > 1

    @property
    def holds(self) -> tuple[object, ...]:
        return (self._choice,)

    def at(self, index: int | PythonScalar) -> Value:
        some = self._choice.assuming([option for option in self._choice.options if option in self._columns])
        if not isinstance(some, UnionValue):
            return self._columns[some].at(index)
        return some.through(lambda one: self._columns[one].at(index))

    def end(self, left: Atom) -> None:
        self._choice.through(lambda one: self._columns[one].end(left) if one in self._columns else None)


def staged(columns: tuple[object, ...]) -> tuple[Countable, ...] | None:
    """The staged forms of the columns; None where all have lengths known while tracing, or one can't be staged."""
    if not tracing() or any(isinstance(c, Once) and c.under_way for c in columns):
        return None
    columns = tuple(ChosenItems(c) if ChosenItems.are_of(c) else c for c in columns)
    if any(map(is_text, columns)) and all(is_text(c) or is_countable(c) or _has_known_items(c) for c in columns):
        found = (_known_items(c) if not (is_text(c) or is_countable(c)) else countable(c) for c in columns)
        return tuple(c for c in found if c is not None)
    if not all(map(is_countable, columns)):
        if not any(map(_has_run_time_length, columns)):
            return None
        if not all(is_countable(c) or _has_known_items(c) for c in columns):
            return None
    return tuple(itertools.chain(*map(staged_one, columns)))


def _has_run_time_length(column: Value) -> bool:
    if is_dynamic_list(column):
        return not isinstance(column.items.length, int)
    return isinstance(column, Countable) and not isinstance(column.length, int)


def staged_one(column: Value) -> list[Countable]:
    """The staged form of one column, if it has any."""
    found = _known_items(column) if _has_known_items(column) else countable(column)
    return [] if found is None else [found]


def _is_plain(column: Value) -> bool:
    """Return whether it has items of a number known while tracing, to which indices lead."""
    kinds = (list, tuple, dict, str, *_VIEWS)
    return type(column) in kinds or (isinstance(column, Growable) and column.items is None)


def _has_known_items(column: Value) -> bool:
    """Return whether it has such items, at least one."""
    return _is_plain(column) and len(column) > 0


def _known_items(column: Value) -> KnownItems:
    return KnownItems(column if isinstance(column, (list, tuple)) else list(column))
