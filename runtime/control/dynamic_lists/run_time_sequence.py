"""Lists and tuples of run-time length that have no list of their own: how they are ordered, unpacked and searched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from anabranch.base.value import Value
from anabranch.runtime.control.containers import generator_reductions
from anabranch.runtime.control.generator_expression import GeneratorExpression
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
