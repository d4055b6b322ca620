"""Lists that a loop over them makes longer, alone or in `enumerate` and `zip`; and columns of `zip`."""

from __future__ import annotations

import abc
import itertools
from collections.abc import Sequence
from typing import Any

from anabranch.base.by_identity import IdentityDict
from anabranch.base.value import Value
from anabranch.runtime.control.sequences import chosen_item
from anabranch.runtime.control.sequences.as_countable import countable, is_countable
from anabranch.runtime.control.sequences.countable import ChangedError, Countable, Elements, changes_length
from anabranch.runtime.control.sequences.iterators import Enumerated, Once, Zipped, is_named, shorter
from anabranch.runtime.control.sequences.stacked_sequences import StackedSequence
from anabranch.runtime.control.sequences.text_iteration import is_text
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
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


class Live(abc.ABC):
    """The iterable of a loop, with as many items as there are where a step begins."""

    @property
    @abc.abstractmethod
    def is_known(self) -> bool:
        """Return whether the lists have lengths that are known while tracing."""

    @property
    @abc.abstractmethod
    def length(self) -> Value:
        """How many items there are now."""

    @abc.abstractmethod
    def at(self, position: Value) -> Value:
        """The item at a position that is in range."""

    def end(self, left: Atom) -> None:  # noqa: B027 - most raise nothing
        """Raise what the end of the iteration raises, unless it was `left` before."""


class LiveList(Live):
    """A list, or a deque."""

    def __init__(self, items: Any) -> None:
        self._items = items

    @property
    def is_known(self) -> bool:
        return self._items.items is None

    @property
    def length(self) -> Value:
        return len(self._items) if self.is_known else self._items.items.length

    def at(self, position: Value) -> Value:
        return self._items[position]


class _Fixed(Live):
    """A column that no step makes longer."""

    def __init__(self, column: Countable) -> None:
        self._column = column

    @property
    def is_known(self) -> bool:
        return True

    @property
    def length(self) -> Value:
        return self._column.length

    def at(self, position: Value) -> Value:
        return self._column.at(position)

    def end(self, left: Atom) -> None:
        self._column.end(left)


class _Several(Live):
    """The columns of `zip`."""

    def __init__(self, columns: Sequence[Live]) -> None:
        self._columns = columns

    @property
    def is_known(self) -> bool:
        return all(column.is_known for column in self._columns)

    @property
    def length(self) -> Value:
        shortest, *others = (column.length for column in self._columns)
        for length in others:
            shortest = shorter(shortest, length)
        return shortest

    def at(self, position: Value) -> Value:
        return tuple(column.at(position) for column in self._columns)

    def end(self, left: Atom) -> None:
        for column in self._columns:
            column.end(left)


class _Numbered(_Several):
    """The list of `enumerate`, with numbers."""

    def __init__(self, items: Live, start: Value) -> None:
        super().__init__([items])
        self._start = start

    def at(self, position: Value) -> Value:
        return (self._start + position, *super().at(position))


def note(made: Value, columns: Sequence[Value], start: Value = None) -> Value:
    """One of Python's own `enumerate` or `zip`, which is new, with what it goes over, where lists may grow."""
    if tracing() and current().trace.lists.may_grow and (parts := _live(columns)) is not None:
        live: Live = _Several(parts) if start is None else _Numbered(parts[0], start)
        current().trace.lists.iterators[made] = live
    return made


def _live(columns: Sequence[Value]) -> list[Live] | None:
    """The columns, where one is a list that may grow, and the others have items to which indices lead."""
    if not any(map(_may_grow, columns)):
        return None
    parts: list[Live] = []
    for column in columns:
        noted = of(column)
        fixed = [] if noted is not None or _may_grow(column) else staged_one(column)
        if noted is None and not fixed and not _may_grow(column):
            return None
        parts.append(noted or (_Fixed(fixed[0]) if fixed else LiveList(column)))
    return parts


def _may_grow(column: Value) -> bool:
    return (isinstance(column, Growable) and column.native is list) or of(column) is not None


def of(items: Value) -> Live | None:
    """The columns of an `enumerate` or `zip` that has no name, where a list in it may grow; None for anything else."""
    if not tracing() or not current().trace.lists.may_grow:
        return None
    live = current().trace.lists.iterators.get(items)
    if live is None and isinstance(items, (Enumerated, Zipped)) and not (items.under_way or items.end_errors()):
        live = _of_countable(items)
    found: Live | None = live
    return None if found is None or isinstance(found, _Fixed) or is_named(items) else found


def _of_countable(column: Countable) -> Live:
    if isinstance(column, Enumerated):
        inner = _of_countable(column.items)
        return _Fixed(column) if isinstance(inner, _Fixed) else _Numbered(inner, column.settings_[0])
    if isinstance(column, Zipped) and not column.strict:
        parts = [_of_countable(part) for part in column.columns]
        return _Fixed(column) if all(isinstance(part, _Fixed) for part in parts) else _Several(parts)
    owner = column.source_ if isinstance(column, (Elements, StackedSequence, KnownItems)) else None
    return LiveList(owner) if isinstance(owner, Growable) and owner.native is list else _Fixed(column)
