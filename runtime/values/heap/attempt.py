"""Attempts while tracing: what one has done is kept where it works out, and undone where it does not."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Self, TypeVar

from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values.heap.snapshot import reachable

T = TypeVar("T")
Errors = type[BaseException] | tuple[type[BaseException], ...]


class Attempt:
    """The state before an attempt: of the current builder, and of the objects that some roots or the trace lead to.

    As a context manager it undoes what its block has done where that raises one of the errors in `undone_by`; the error
    goes on.
    """

    __slots__ = ("_builder", "_undone_by", "heap", "start")

    def __init__(self, *roots: object, undone_by: Errors = ()) -> None:
        self._builder = current()
        self._undone_by = undone_by
        self.start = self._builder.checkpoint()
        self.heap = reachable(self._builder.trace.heap, roots)

    def undo(self) -> None:
        """Put everything back; what is attempted after that can be undone again."""
        self._builder.rollback(self.start)
        self.heap.rewind()
        self.heap.restore()

    @property
    def adds_equations(self) -> bool:
        """Return whether the builder has got equations since."""
        return len(self._builder.equations) > self.start.equations

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        if isinstance(error, self._undone_by):
            self.undo()


def first_possible(roots: tuple[object, ...], cannot: Errors, *strategies: Callable[[], T]) -> T:
    """The result of the first strategy that works out; `cannot` is what those before the last one raise where not."""
    *others, last = strategies
    for strategy in others:
        trying = Attempt(*roots)
        try:
            return strategy()
        except cannot:
            trying.undo()
    return last()
