"""Lists and tuples of run-time length that have no list of their own: how they are ordered, unpacked and searched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from anabranch.base.value import Value
from anabranch.runtime.control.boolean import not_, or_
from anabranch.runtime.control.containers import generator_reductions
from anabranch.runtime.control.dynamic_lists import dynamic_list_methods
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.staging import unpacking
from anabranch.runtime.control.staging.ordered import Ordered
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values.run_time_container import RunTimeContainer


class RunTimeSequence(Ordered, RunTimeContainer):
    """Such a sequence."""

    __slots__ = ()
    _what: str  # for messages

    def element_(self, place: Value) -> Value:
        """The element at a place that is in range."""
        raise NotImplementedError

    def items_of_(self, other: Value) -> Countable | None:
        """The items of another sequence that this one may be equal to; None of anything else."""
        raise NotImplementedError

    def is_one_with_(self, other: Value) -> Value:
        """Return whether another sequence is known to be the same object."""
        return self is other

    def __eq__(self, other: object) -> Value:
        items = self.items_of_(other)
        if items is None:
            return NotImplemented
        return or_(self.is_one_with_(other), lambda: dynamic_list_methods.equal(self.countable_(), items))

    def __ne__(self, other: object) -> Value:
        same = self.__eq__(other)
        return same if same is NotImplemented else not_(same)

    def _ordered(self, operation: Callable[[Any, Any], Any], other: Value) -> Value:
        items = self.items_of_(other)
        if items is None:
            return NotImplemented
        return if_(
            self.is_one_with_(other),
            lambda: operation(0, 0),  # what is in it is equal to itself, NaN too
            lambda: dynamic_list_methods.ordered(operation, self.countable_(), items),
        )

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
