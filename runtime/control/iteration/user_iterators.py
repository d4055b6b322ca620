"""Iterators of the user's classes: `__next__` is asked for each item, and may end the iteration at run time."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.base.value import Value
from anabranch.runtime.control.exits import BREAK, NEXT
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.iteration.generators import Consumer, PushIterator
from anabranch.runtime.control.iteration.pull_iteration import pulled
from anabranch.runtime.control.try_ import try_
from anabranch.runtime.control.while_ import while_
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import user_classes
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue


class Stepped(PushIterator):
    """The remaining items of an iterator that is written in Python."""

    def __init__(self, iterator: object) -> None:
        super().__init__()
        self._iterator = iterator

    def run(self, consume: Consumer) -> None:
        """Ask for items until there is none, or no more is wanted."""
        step_through(self._iterator, consume)

    def pull(self) -> Iterator[Value]:
        """The items one by one."""
        iterator = self._iterator
        return pulled(lambda consume: step_through(iterator, consume))

    def anew(self) -> tuple[PushIterator, tuple[object, ...]] | None:
        """The same iterator: what it has moved by is put back."""
        return Stepped(self._iterator), (self._iterator,)


def step_through(iterator: Value, consume: Consumer) -> None:
    """The loop `while True: try: item = next(iterator) except StopIteration: break` around `consume(item)`."""

    def goes_on(going: object) -> Value:
        return going

    def step(going: Value) -> Value:
        def ask() -> Value:
            return True, iterator.__next__()

        def ended() -> Value:
            return False, Undefined("item")

        found, item = try_(ask, (lambda: StopIteration, ended))

        def taken() -> Value:
            left = consume(item.without_undefined() if isinstance(item, UnionValue) else item)
            return if_(left, lambda: (BREAK, True), lambda: (NEXT, True))

        return if_(found, taken, lambda: (NEXT, False))

    while_(goes_on, step, (True,), ("going",), exits=("break",))


def iterated(items: object) -> Value:
    """Return the iterator of an object whose class defines it in Python; anything else as it is."""
    found = user_classes.iterated(items)
    if tracing() and not isinstance(found, PushIterator) and user_classes.own_method(found, "__next__") is not None:
        return Stepped(found)
    return found
