"""Deques that may come to have a length known only at run time."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Iterable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.dynamic_lists import (
    dynamic_list,
    item_access,
    list_source,
)
from anabranch.runtime.control.dynamic_lists.dynamic_list import GrowableMethods
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import passed_functions
from anabranch.runtime.values.arrays.index_numbers import as_int
from anabranch.runtime.values.dynamic_lists.growable_list import DequeContents
from anabranch.runtime.values.tracer import Tracer


class GrowableDeque(GrowableMethods, collections.deque[Any]):  # type: ignore[misc]
    """A deque that may grow."""

    __slots__ = ("_items", "changes", "origins", "row_binding", "site")
    native = collections.deque
    _contents = DequeContents
    changes: tuple[int, int]  # how often code that was traced has added items, and removed some

    def __new__(cls, *args: Value, **kwargs: Value) -> Value:
        made = super().__new__(cls, *args, **kwargs)
        made.changes = (0, 0)
        return made

    def _gains(self) -> None:
        self.changes = (self.changes[0] + 1, self.changes[1])

    def _loses(self) -> None:
        self.changes = (self.changes[0], self.changes[1] + 1)

    def appendleft(self, value: object) -> None:
        """As `deque.appendleft`."""
        self._gains()
        if self.items is None:
            super().appendleft(value)
        else:
            self.become(self.items.pushed(value, front=True))

    def popleft(self) -> Value:
        """As `deque.popleft`."""
        self._loses()
        return super().popleft() if self.items is None else item_access.popleft(self)

    def extendleft(self, values: Iterable[object]) -> None:
        """As `deque.extendleft`."""
        for value in values:
            self.appendleft(value)

    def rotate(self, n: Value = 1) -> None:
        """As `deque.rotate`."""
        if self.items is not None or isinstance(n, Tracer):
            self.become(self.as_items())
            passed_functions.called(list_source.rotate)(self, as_int(n))
            return
        if len(self) > 1:  # an iterator over it then raises, as where it has got one and lost one
            self._gains()
            self._loses()
        super().rotate(n)


def _noting(method: str, note: Callable[[GrowableDeque], None]) -> Callable[..., Any]:
    """The method that deques share with lists, with a note of what it changes."""
    shared = getattr(GrowableMethods, method)

    @functools.wraps(shared)
    def noted(self: GrowableDeque, *args: Value) -> Value:
        note(self)
        return shared(self, *args)

    return noted


for _note, _names in (
    (GrowableDeque._gains, ("append", "extend", "insert")),
    (GrowableDeque._loses, ("pop", "remove", "clear", "__delitem__")),
):
    for _name in _names:
        setattr(GrowableDeque, _name, _noting(_name, _note))


def growing(values: object) -> Value:
    """The list, or deque without a limit, as one that may grow; outside of tracing, itself."""
    if tracing() and type(values) is collections.deque and values.maxlen is None:
        return dynamic_list.noted(GrowableDeque(values))
    return dynamic_list.growing(values)
