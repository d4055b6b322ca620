"""Push iteration: generator functions and generator expressions of the user's, which push their items.

A loop over one runs the generator's own loops with the loop's body inside them, so that both are staged together.
Code that asks for one item after the other (`next`, `zip`, NumPy) gets them while the generator's control flow is
decided by what is known while tracing.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Generator
from typing import Any

from anabranch.base.signals import Interrupt
from anabranch.base.value import Value
from anabranch.runtime.control.iteration import generator_source
from anabranch.runtime.control.iteration.interleaving import Interleaving
from anabranch.runtime.control.iteration.pull_iteration import pulled
from anabranch.runtime.control.iteration.push_iterator import Consumer, PushIterator, no_items
from anabranch.runtime.control.staging import recursion_depth
from anabranch.runtime.control.try_ import passes, reconstructed
from anabranch.runtime.errors import (
    AnabranchError,
    UnsupportedOperationError,
)
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.call_state import Active
from anabranch.runtime.values import user_classes
from anabranch.runtime.values.union import UnionValue

# What a generator that calls itself can be instead.
_GATHER = "write it as a function that returns a list, or appends to one that it is given"


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
        self.out_: Value = None  # the list that all items are appended to, by a function that calls itself
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
        give: Any = giving(_past_try_statements(consume, at_once=True), self.sender)
        give.out = self.out_
        if self._code is None or not tracing() or self.out_ is not None:
            self.returned = function(give, *args, **kwargs)
            return
        if (out := getattr(consume, "out", None)) is not None and self.gathers_in_(out):
            return
        if out is None and self.is_gathered_():
            self._push_gathered(consume)
            return
        builder = current()
        active = builder.trace.calls.active.setdefault(self._code, Active())
        try:
            recursion_depth.guard_depth(f"the generator {self._code.co_name}", active, builder, _GATHER, most=0)
        except (AnabranchError, RecursionError):
            builder.trace.wanted_resumable.add((_GATHERED, self._code))
            raise
        active.depths.append(builder.depth)
        try:
            self.returned = function(give, *args, **kwargs)
        finally:
            active.depths.pop()

    def gathers_in_(self, out: Value) -> bool:
        """Append all items to a list by a function that calls itself where this does, if it is to; return whether."""
        if not self.is_gathered_():
            return False
        args = self.call[1]
        current().trace.outside.called(generator_source.gather)(out, _begun, self.original, args)
        return True

    def _push_gathered(self, consume: Consumer) -> None:
        """Make all items by a function that calls itself, and push them then."""
        called, turns = current().trace.outside.called, Interleaving((self.call, self.original))
        items, failed = called(generator_source.listed)(_begun, self.original, self.call[1])
        why = turns.end_of_making()
        if why is None:
            called(generator_source.push)(items, failed, consume)
            why = turns.end_of_use()
        if why is not None:
            name = getattr(self.original, "__name__", self.what)
            raise UnsupportedOperationError(
                f"the generator {name} calls itself to a depth known only at run time, so that all its items are made "
                f"before the first is used, but it {why}; {_GATHER}"
            )

    def is_gathered_(self) -> bool:
        """Return whether all items are to be made first, by a function that calls itself."""
        return not self.call[2] and self.original is not None and (_GATHERED, self._code) in current().trace.resumable

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


def _begun(function: Callable[..., Any], args: tuple[Value, ...], out: Value) -> Value:
    """A generator of which all items are appended to a list, and with them those that it delegates to."""
    made = current().trace.outside.called(function)(*args)
    made.out_ = out
    return made


# With the code of a generator: it is to be run by a function that calls itself where it does.
_GATHERED = "gathered"


class _Given(tuple[()]):
    """In place of a generator whose items were appended to the list already."""

    __slots__ = ()


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
        if made.out is not None:
            if isinstance(items, UnionValue):
                return items.through(delegate)
            items = user_classes.iterated(items)
        if isinstance(items, GeneratorCall):
            if made.out is not None and items.gathers_in_(made.out):
                return _Given()
            items.sender = lambda: made.sent
        return items

    made: Any = give
    made.sent, made.delegate, made.result_of, made.out = None, delegate, _returned, None
    return give


def _returned(items: Value) -> Value:
    """The value of a `yield from` of these, all of which were given away."""
    if isinstance(items, _Given):
        raise UnsupportedOperationError(
            f"a generator that calls itself to a depth known only at run time returns a value to its caller; {_GATHER}"
        )
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
