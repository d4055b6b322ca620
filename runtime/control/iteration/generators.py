"""Push iteration: generator functions and generator expressions of the user's, which push their items.

A loop over one runs the generator's own loops with the loop's body inside them, so that both are staged together.
Code that asks for one item after the other (`next`, `zip`, NumPy) gets them while the generator's control flow is
decided by what is known while tracing.
"""

from __future__ import annotations

import abc
import functools
import sys
import types
from collections.abc import Callable, Generator, Iterator
from typing import Any

from anabranch.base.signals import Interrupt
from anabranch.base.value import Value
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.iteration.pull_iteration import pulled
from anabranch.runtime.control.loops.unroll_budget import Cost
from anabranch.runtime.control.staging import recursion_depth, unpacking
from anabranch.runtime.control.try_ import passes, reconstructed
from anabranch.runtime.errors import (
    AnabranchError,
    ConcretizationError,
    StructureMismatchError,
    UnsupportedOperationError,
)
from anabranch.runtime.tracing.builder import Builder, current, tracing
from anabranch.runtime.tracing.call_state import Active
from anabranch.runtime.values.attributes import Bare
from anabranch.runtime.values.heap.container_slots import IteratorSlot
from anabranch.runtime.values.heap.slots import MovedError
from anabranch.runtime.values.heap.snapshot import first_possible

Consumer = Callable[[Any], Any]
# What a generator that calls itself can be instead.
_GATHER = "write it as a function that returns a list, or appends to one that it is given"
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


class GeneratorCall(PushIterator, sample=no_items):
    """The result of a call of a generator function."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Value, ...],
        kwargs: dict[str, Value],
        original: Callable[..., Any] | None = None,
        code: types.CodeType | None = None,
    ) -> None:
        super().__init__()
        self.call = (function, args, kwargs)
        self.original = original  # the user's generator function, where it is one that exists outside
        self._code = original.__code__ if isinstance(original, types.FunctionType) else code

    def repeated_(self) -> tuple[object, ...] | None:
        """The call, and what the iterators among its arguments lead to."""
        roots = list[Any]([self.call])
        for arg in self.call[1]:
            its = arg.repeated_() if isinstance(arg, PushIterator) else ()
            if its is None:
                return None
            roots += its
        return tuple(roots)

    def run(self, consume: Consumer) -> None:
        """Run the function's body."""
        function, args, kwargs = self.call
        give = giving(_past_try_statements(consume, at_once=True), self.sender)
        if self._code is None or not tracing():
            self.returned = function(give, *args, **kwargs)
            return
        builder = current()
        active = builder.trace.calls.active.setdefault(self._code, Active())
        recursion_depth.guard_depth(f"the generator {self._code.co_name}", active, builder, _GATHER, most=0)
        active.depths.append(builder.depth)
        try:
            self.returned = function(give, *args, **kwargs)
        finally:
            active.depths.pop()

    def want_resumable_(self) -> None:
        if tracing() and self._code is not None:
            current().trace.wanted_resumable.add(self._code)

    def pull(self) -> Generator[Value, Value, Value]:
        """The items one by one."""
        function, args, kwargs = self.call
        # Not of `self`: what is asked no more is found out by its being forgotten.
        return pulled(
            lambda consume: function(
                giving(_past_try_statements(consume, at_once=False), lambda: consume.sent), *args, **kwargs
            ),
            self._code,
        )

    # ---- what generators have beside the methods of iterators --------------------------------------------------------

    def send(self, value: Value) -> Value:
        """The next item, with `value` as that of the yield which it waits at."""
        self._check_place()
        if self._items is None and value is not None:
            raise TypeError("can't send non-None value to a just-started generator")
        return next(self) if self._items is None else self._as_begun().send(value)

    def throw(self, *error: Any) -> Value:
        """The next item, after an exception was raised at the yield that it waits at."""
        self._check_place()
        return self._as_begun().throw(*error)

    def close(self) -> None:
        """End it."""
        self._check_place()
        self._as_begun().close()

    def _as_begun(self) -> Generator[Value, Value, Value]:
        if self._items is None:
            self._items = _nothing() if self._used_up() else self.pull()
        if not isinstance(self._items, types.GeneratorType):
            self._items = _nothing()
        self._moves += 1
        return self._items


def _nothing() -> Generator[Value, Value, Value]:
    yield from ()


def giving(consume: Consumer, sender: Callable[[], Value] = lambda: None) -> Consumer:
    """The parameter by which a generator function's code gives its items away, with what the code asks it for.

    A function, so that what stands in its closure is found. `sender` tells what was sent in for the last item.
    """

    def give(item: Value) -> Value:
        stop = consume(item)
        made.sent = sender()
        return stop

    def delegate(items: Value) -> Value:
        if isinstance(items, GeneratorCall):
            items.sender = lambda: made.sent
        return items

    made: Any = give
    made.sent, made.delegate, made.result_of = None, delegate, _returned
    return give


def _returned(items: Value) -> Value:
    """The value of a `yield from` of these, all of which were given away."""
    return items.returned if isinstance(items, GeneratorCall) else None


def _past_try_statements(consume: Consumer, at_once: bool) -> Consumer:
    """`consume`, refused where a try statement of the generator around a yield would catch what its user raises.

    `at_once` says that what is done with the item is done when `consume` has returned.
    """
    if not tracing():
        return consume
    trace = current().trace
    depth = len(trace.failures.regions)

    def given(item: object) -> Value:
        nonlocal depth
        if len(trace.failures.regions) == depth:
            stop = consume(item)
            # Who asks for the next item one by one may do so inside of another try statement.
            depth = depth if at_once else len(trace.failures.regions)
            return stop
        if not at_once:
            raise UnsupportedOperationError(_IN_TRY)
        before, known = current().read(trace.failures.error_code), len(trace.failures.numbered)
        try:
            stop = consume(item)
        except (AnabranchError, Interrupt):
            raise
        except BaseException as error:
            raise UnsupportedOperationError(_IN_TRY) from error
        new = trace.failures.numbered[known:]
        if current().read(trace.failures.error_code) is not before and not (
            new and all(passes(reconstructed(f)) for f in new)
        ):
            raise UnsupportedOperationError(_IN_TRY)
        return stop

    return given


_IN_TRY = (
    "a generator yields inside of a try statement, which must not see what the code that takes the value raises; "
    "assign the value in the try statement and yield it after, or write try around the block of a with statement"
)


def generator(
    function: Callable[..., object],
    original: Callable[..., Any] | None = None,
    code: types.CodeType | None = None,
) -> Callable[..., GeneratorCall]:
    """Make `function`, which pushes its values to its first parameter, a generator function again."""

    @functools.wraps(function)
    def make(*args: object, **kwargs: object) -> GeneratorCall:
        return GeneratorCall(function, args, kwargs, original, code)

    return make
