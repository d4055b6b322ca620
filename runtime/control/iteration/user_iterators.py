"""Iterators of the user's classes: `__next__` is asked for each item, and may end the iteration at run time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.exits import BREAK, NEXT
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.iteration.pull_iteration import pulled
from anabranch.runtime.control.iteration.push_iterator import Consumer, PushIterator
from anabranch.runtime.control.try_ import try_
from anabranch.runtime.control.while_ import while_
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import user_classes
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue


class Stepped(PushIterator):
    """The remaining items of an iterator that is written in Python."""

    _end: type[Exception] = StopIteration

    def __init__(self, source: object) -> None:
        super().__init__()
        self._source: Any = source

    @property
    def iterator_(self) -> Value:
        """The user's iterator, which knows itself what is left of it, where no code waits for its next item."""
        return None if self.begun else self._source

    @staticmethod
    def _element(source: Any, number: Value) -> Value:
        """The item of this number, or an exception of the class `_end` where there is none."""
        return user_classes.own_method(source, "__next__")()  # type: ignore[misc] # it has one

    def _check_place(self) -> None:
        if self.iterator_ is None:
            super()._check_place()

    def _used_up(self) -> bool:
        return self.iterator_ is None and super()._used_up()

    def run(self, consume: Consumer) -> None:
        """Ask for items until there is none, or no more is wanted."""
        self._each(consume)

    def pull(self) -> Iterator[Value]:
        """The items one by one."""
        return pulled(self._each)

    def repeated_(self) -> tuple[object, ...] | None:
        """The same iterator: what it has moved by is put back."""
        return (self._source,)

    def _each(self, consume: Consumer) -> None:
        """The loop `while True: try: item = next(iterator) except StopIteration: break` around `consume(item)`."""
        source = self._source  # by its name the steps reach the object that they change

        def goes_on(going: object, number: object) -> Value:
            return going

        def step(going: Value, number: Value) -> Value:
            def ask() -> Value:
                return True, self._element(source, number)

            def ended() -> Value:
                return False, Undefined("item")

            found, item = try_(ask, (lambda: self._end, ended))
            if isinstance(item, Undefined):  # there is none for sure
                return NEXT, False, number

            def taken() -> Value:
                left = consume(item.without_undefined() if isinstance(item, UnionValue) else item)
                return if_(left, lambda: (BREAK, True, number), lambda: (NEXT, True, number + 1))

            return if_(found, taken, lambda: (NEXT, False, number))

        while_(goes_on, step, (True, 0), ("going", "number"), exits=("break",))


class ByPlaces(Stepped):
    """The items of an object that is asked for one place after the other, as Python does where it has no `__iter__`."""

    _end = IndexError
    iterator_ = None

    @staticmethod
    def _element(source: Any, number: Value) -> Value:
        return source.__getitem__(number)


def iterated(items: object) -> Value:
    """Return the iterator of an object whose class defines it in Python; anything else as it is."""
    found = user_classes.iterated(items)
    if not tracing() or isinstance(found, PushIterator):
        return found
    if user_classes.own_method(found, "__next__") is not None:
        return Stepped(found)
    by_places = not hasattr(type(found), "__iter__") and user_classes.own_method(found, "__getitem__") is not None
    return ByPlaces(found) if by_places else found
