"""`try` with `except*`: each handler gets the part of a group of exceptions that it catches, and all run that get one.

What kind of exception has been raised is known while tracing, apart from the values in it, so that a group is split
there. What the handlers raise, and what none of them has caught, is put together after the last.
"""

from __future__ import annotations

import contextvars
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from anabranch.base.by_identity import IdentitySet
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control.try_ import Block, Handler, try_

# The leaves of the group that a `raise` without anything raises again, in an attribute of what it raises.
_AGAIN = "__anabranch_again__"


def try_star_(
    body: Block,
    *handlers: Handler,
    orelse: Block | None = None,
    final: Block | None = None,
    exits: Sequence[str] = (),
) -> Value:
    """Run `body`, then `orelse`; where it raises, each handler on the part that it catches; `final` after all.

    Handlers and exits are as for `try_`.
    """

    def handle(error: BaseException) -> Value:
        return _Handling(error, handlers, tuple(exits)).run(0, error, (), None)

    return try_(body, (lambda: BaseException, handle), orelse=orelse, final=final, exits=exits)


@frozen
class _Part:
    """The part of a group that a handler has, and the places of its leaves in the whole."""

    error: BaseException
    leaves: tuple[int, ...]


_handled: contextvars.ContextVar[tuple[_Part, ...]] = contextvars.ContextVar("handled", default=())


def reraised() -> BaseException:
    """The exception that a `raise` without anything raises in a handler: the part that the handler has caught."""
    error = sys.exception()
    assert error is not None
    for part in _handled.get():
        if part.error is error:
            vars(error)[_AGAIN] = part.leaves
    return error


@frozen
class _Handling:
    """The handlers of one exception."""

    error: BaseException
    handlers: Sequence[Handler]
    exits: tuple[str, ...]

    def run(self, first: int, rest: BaseException | None, raised: tuple[BaseException, ...], result: Value) -> Value:
        """Run the handlers from the first that is left, then raise what is left; returns what the last one gives."""
        for place in range(first, len(self.handlers)):
            kinds, block = self.handlers[place]
            assert kinds is not None
            part, left = _split(rest, kinds()) if rest is not None else (None, None)
            if part is not None:
                return self._entered(block, part, place + 1, left, raised)
            rest = left
        error = self._to_raise(rest, raised)
        if error is None:
            return result
        context = error.__context__
        try:
            raise error
        except BaseException as again:
            again.__context__ = context
            raise

    def _entered(self, block: Block, part: BaseException, after: int, rest: BaseException | None, raised: Any) -> Value:
        leaves = list(_leaves(self.error))
        places = tuple([k for k, leaf in enumerate(leaves) if any(leaf is mine for mine in _leaves(part))])
        results: list[Value] = [None]

        def body() -> Value:
            context = part.__context__
            token = _handled.set((*_handled.get(), _Part(part, places)))
            try:
                raise part
            except BaseException as caught:
                caught.__context__, caught.__traceback__ = context, None
                results[0] = block(*(caught,)[: block.__code__.co_argcount])
                return results[0]
            finally:
                _handled.reset(token)

        def failed(error: BaseException) -> Value:
            return self.run(after, rest, (*raised, error), None)

        def following() -> Value:
            return self.run(after, rest, raised, results[0])

        return try_(body, (lambda: BaseException, failed), orelse=following, exits=self.exits)

    def _to_raise(self, rest: BaseException | None, raised: Sequence[BaseException]) -> BaseException | None:
        """The exception that leaves the statement; None where all was caught."""
        if not isinstance(self.error, BaseExceptionGroup):
            return raised[0] if raised else rest
        again: IdentitySet[BaseException] = IdentitySet() if rest is None else IdentitySet(_leaves(rest))
        leaves = list(_leaves(self.error))
        new = []
        for error in raised:
            places = vars(error).pop(_AGAIN, None)
            if places is None:
                new.append(error)
            else:
                again.update(leaves[place] for place in places)
        left = self.error.subgroup(lambda e: e in again) if again else None
        if not new:
            return left
        return BaseExceptionGroup("", new if left is None else [*new, left])


def _split(error: BaseException, kinds: Any) -> tuple[BaseException | None, BaseException | None]:
    """The part of an exception that is of some classes, as a group, and the rest.

    Raises `TypeError` for what `except*` does not take.
    """
    for cls in kinds if isinstance(kinds, tuple) else (kinds,):
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        if issubclass(cls, BaseExceptionGroup):
            raise TypeError("catching ExceptionGroup with except* is not allowed. Use except instead.")
    if isinstance(error, BaseExceptionGroup):
        return error.split(kinds)
    return (BaseExceptionGroup("", (error,)), None) if isinstance(error, kinds) else (None, error)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group that are no groups, in order."""
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error
