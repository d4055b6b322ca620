"""Push iteration: iterators that are used up once, by pushing each item to a function or one by one.

A loop over one runs the code that makes the items with the loop's body inside of it, so that both are staged together.
"""

from __future__ import annotations

import abc
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.loops.unroll_budget import Cost
from anabranch.runtime.control.staging import unpacking
from anabranch.runtime.errors import (
    ConcretizationError,
    StructureMismatchError,
    UnsupportedOperationError,
)
from anabranch.runtime.tracing.builder import Builder, current, tracing
from anabranch.runtime.values.attributes import Bare
from anabranch.runtime.values.heap.container_slots import IteratorSlot
from anabranch.runtime.values.heap.slots import MovedError
from anabranch.runtime.values.heap.snapshot import first_possible

Consumer = Callable[[Any], Any]
# What says that the items are not all known while tracing.
_NOT_DECIDED = (ConcretizationError, UnsupportedOperationError, StructureMismatchError)


# Attributes of iterators that say how far these have come.
_OWN = frozenset({"_made", "_spent", "_items", "_moves", "returned", "sender"})


def no_items() -> Iterator[Value]:
    """Return a generator without items."""
    return (_ for _ in list[Any]())


class PushIterator(Bare, abc.ABC, sample=no_items):
    """An iterator that is used up once: by pushing each item to a function, or one by one."""

    def __init__(self) -> None:
        self._made: Builder | None = current() if tracing() else None
        self._spent: bool | None = False  # None: perhaps not wholly
        self._items: Iterator[Any] | None = None
        self._moves = 0  # how often it was asked for an item
        self.returned: Value = None  # the value of a generator that has run to its end
        self.sender: Callable[[], Value] = lambda: None  # tells what is sent in while its items are pushed

    @property
    def begun(self) -> bool:
        """Return whether items have been asked for one by one."""
        return self._items is not None

    @property
    def what(self) -> str:
        """The iterable, for messages."""
        return "a generator"

    @abc.abstractmethod
    def run(self, consume: Consumer) -> Value:
        """Call `consume` with each item, until it wants no more; return whether it did, where that is known."""

    def for_each(self, consume: Consumer, may_stop: bool) -> None:
        """Push what is left; `may_stop` says that `consume` may want no more before the end."""
        self._check_place()
        if self._items is not None:
            self._push_each(consume)
        elif not self._used_up():
            self._spent = None if may_stop else True
            self.run(consume)

    def _push_each(self, consume: Consumer) -> None:
        for item in self.passing():
            stop = truth(consume(item))
            if not isinstance(stop, bool):
                self.want_resumable_()
                raise UnsupportedOperationError(
                    "a loop over a generator that next() was called on is left under a run-time condition; handle its "
                    "first items in the loop, too"
                )
            if stop:
                return

    def each(self, step: Callable[[Any], object]) -> None:
        """Push all that is left to a function."""

        def consume(item: object, step: Callable[[Any], object] = step) -> bool:
            step(item)
            return False

        made: Any = consume
        made.out = getattr(step, "out", None)
        self.for_each(consume, may_stop=False)

    def passing(self) -> Iterator[Value]:
        """The items that are left, one by one; what is sent in meanwhile is passed on."""
        if self._items is None:
            self._items = iter(()) if self._used_up() else self.pull()
        items, sent = self._items, None
        while True:
            self._moves += 1
            try:
                item = items.send(sent) if isinstance(items, types.GeneratorType) else next(items)
            except StopIteration as end:
                self.returned = end.value
                return
            yield item
            sent = self.sender()

    def items_or(self, otherwise: Callable[[PushIterator], object]) -> Value:
        """The list of the items, where it is known while tracing which there are; else what `driven` returns."""
        self._check_place()
        if self._items is not None:
            self._moves += 1
            return list(self._items)
        if self._used_up():
            return []
        roots = self.repeated_()
        if roots is None:
            return otherwise(self)
        return first_possible((self, *roots), _NOT_DECIDED, self._one_by_one, lambda: otherwise(self))

    def _one_by_one(self) -> list[Value]:
        self._spent = True
        cost = Cost(self.what, "its items are made one by one")
        made = []
        for item in self.pull():
            made.append(item)
            cost.count()
        return made

    def repeated_(self) -> tuple[object, ...] | None:
        """The roots of what yielding the items may change, where they can be yielded again; None where not."""
        return None

    # ---- what is attempted is undone ---------------------------------------------------------------------------------

    def __anabranch_slot__(self) -> IteratorSlot:
        return IteratorSlot(self)

    def progress_(self) -> tuple[object, ...]:
        """How far it has come, in a form to compare."""
        return self._spent, self._items, self._moves

    def leads_to_(self) -> tuple[Value, ...]:
        """The objects that yielding the items may change: all that it was made with."""
        return tuple(value for name, value in vars(self).items() if name not in _OWN)

    def go_back_(self, progress: tuple[Value, ...]) -> None:
        """Be where it was when its progress was this; an error where items that are gone would have to come again."""
        now = self.progress_()
        if all(a is b or a == b for a, b in zip(now, progress, strict=True)):
            return
        self._spent, self._items, self._moves = progress
        if self._items is not None or not self.begins_anew_():
            self.want_resumable_()
            raise MovedError(
                f"{self.what} is asked for items before and in a statement that is traced more than once; make a list "
                "of the items, or go over it in one for statement",
                self,
            )

    def begins_anew_(self) -> bool:
        """Have the items come from the first on, as far as the iterators that it takes them of do; return whether."""
        return True

    def __iter__(self) -> Iterator[Value]:
        if self._items is None and tracing() and unpacking.asks(sys._getframe(1)):
            return iter(current().trace.outside.called(list)(self))  # it checks at run time how many items there are
        return self

    def __next__(self) -> Value:
        self._check_place()
        if self._items is None:
            unpacking.demand_growth()
            self._items = iter(()) if self._used_up() else self.pull()
        self._moves += 1
        return self._items.__next__()

    @abc.abstractmethod
    def pull(self) -> Iterator[Value]:
        """The items one by one."""

    def leave_(self) -> None:
        """Have it be an error that anything more is asked of it."""
        self._spent, self._items = None, None

    def want_resumable_(self) -> None:
        """Have the function be traced once more, with a generator in this one's place that goes on anywhere."""
        if tracing():
            current().trace.want_going_on(self)

    def _used_up(self) -> bool:
        if self._spent is None:
            self.want_resumable_()
            raise UnsupportedOperationError(
                "a generator is used again after a loop that may have left it before its end; make a new one for "
                "each loop"
            )
        return self._spent

    def _check_place(self) -> None:
        if self._made is not None and self._made is not current():
            self.want_resumable_()
            raise UnsupportedOperationError(
                "a generator made outside of a run-time branch or loop is used inside of it, so that how much is "
                "left of it is known only at run time; make it inside"
            )


def use_up(source: PushIterator) -> None:
    """Let an iterator have no items left."""
    source._spent, source._items = True, None
