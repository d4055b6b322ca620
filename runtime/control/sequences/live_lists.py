"""Lists that a loop over them makes longer, alone or in `enumerate` and `zip`: their lengths are asked anew."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.sequences.countable import Countable, Elements
from anabranch.runtime.control.sequences.iterators import Enumerated, Zipped, is_named, shorter
from anabranch.runtime.control.sequences.stacked_sequences import StackedSequence
from anabranch.runtime.control.sequences.zip_columns import KnownItems, staged_one
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values.dynamic_lists.growable_list import Growable


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
