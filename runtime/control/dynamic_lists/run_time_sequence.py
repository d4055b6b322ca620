"""Lists and tuples of run-time length that have no list of their own: what they do by means of a list that is made."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from anabranch.base.value import Value
from anabranch.runtime.control.boolean import differs
from anabranch.runtime.control.containers import generator_reductions
from anabranch.runtime.control.dynamic_lists import dynamic_list, dynamic_list_methods
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.staging import unpacking
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values.arrays.numpy_scalar import is_array
from anabranch.runtime.values.comparisons import Compared
from anabranch.runtime.values.run_time_container import RunTimeContainer


class RunTimeSequence(Compared, RunTimeContainer):
    """Such a sequence."""

    __slots__ = ()
    _what: str  # for messages

    def element_(self, place: Value) -> Value:
        """The element at a place that is in range."""
        raise NotImplementedError

    def grown_(self) -> Any:
        """A list of its own with the same items."""
        raise NotImplementedError

    def _made(self, items: Any) -> Value:
        """A new sequence of the items of a new list."""
        raise NotImplementedError

    def _list_of(self, other: Value) -> Value:
        """The items of another sequence of this kind as a list; NotImplemented for any other value."""
        raise NotImplementedError

    def _is_one_with(self, other: Value) -> Value:
        """Return whether another sequence is known to be the same object."""
        return self is other

    def __iter__(self) -> Iterator[Value]:
        expected = unpacking.targets() if tracing() else None
        if expected is None:
            self._plain()
        return iter(self.unpacked_(expected))

    def unpacked_(self, count: int) -> tuple[Value, ...]:
        unpacking.check_length(self.count_, count)
        return tuple([self.element_(place) for place in range(count)])

    def contains_(self, item: Value) -> Value:
        return generator_reductions.contains(GeneratorExpression(self.countable_()), item)

    def index(self, *args: Value) -> Value:
        """As that of the class that it stands for."""
        return self.grown_().index(*args)

    def count(self, value: Value) -> Value:
        """As that of the class that it stands for."""
        return self.grown_().count(value)

    # ---- with others -------------------------------------------------------------------------------------------------

    def __add__(self, other: Value) -> Value:
        items = self._list_of(other)
        if items is NotImplemented:
            return NotImplemented
        made = self.grown_()
        made.extend(items)
        return self._made(made)

    def __mul__(self, times: Value) -> Value:
        return NotImplemented if is_array(times) else self._made(self.grown_() * times)

    __rmul__ = __mul__

    def _compared(self, operation: Callable[[Any, Any], Any], other: Value) -> Value:
        items = self._items_of(other)
        if items is None:
            return NotImplemented
        if operation is operator.ne:
            return differs(self, other)
        return if_(
            self._is_one_with(other),
            lambda: operation(0, 0),  # what is in it is equal to itself, NaN too
            lambda: dynamic_list_methods.compared(operation, self.countable_(), items),
        )

    def _items_of(self, other: Value) -> Countable | None:
        """The items of another sequence of this kind; None of any other value."""
        if isinstance(other, type(self)):
            items: Countable = other.countable_()
            return items
        listed = self._list_of(other)
        if listed is NotImplemented:
            return None
        return dynamic_list_methods.items_of(dynamic_list.GrowableList(), listed)

    # ---- what needs its items while tracing --------------------------------------------------------------------------

    def __contains__(self, value: Value) -> Any:
        self._plain()

    def _plain(self, *_: object) -> NoReturn:
        if tracing():
            current().trace.outside.needs_plain()
        raise ConcretizationError(
            f"{self._what}, is used in code that is not compiled, or by an operation that needs it while "
            "tracing; use a for statement over it, or indices"
        )

    __len__ = __bool__ = __repr__ = __str__ = __format__ = _plain
