"""StopIteration that would leave the body of a generator, or a function that an iterator calls."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.errors import AnabranchError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.source_frames import internal


class Body:
    """The body of a generator, out of which no StopIteration comes."""

    @staticmethod
    def of(code: types.CodeType | None) -> Body:
        """Return that of a generator function with this code: one of the project's stands for an iterator of C code."""
        return _Iterator() if code is not None and internal(code.co_filename) else Body()

    def __init__(self) -> None:
        self.depth = 0  # how many try statements are around it
        self._failures = current().trace.failures if tracing() else None
        self._outer: Any = None
        self._consumers: StopIteration | None = None  # raised by who takes the items

    def instead(self, error: StopIteration) -> BaseException:
        """Return what is raised at run time in place of a StopIteration."""
        if error is self._consumers:
            return error
        made = RuntimeError("generator raised StopIteration")
        made.__cause__ = error
        return made

    def at_once(self, error: StopIteration) -> BaseException:
        """Return what is raised in place of a StopIteration that is raised for sure."""
        return self.instead(error)

    def run(self, code: Callable[..., Any], *args: Value, **kwargs: Value) -> Value:
        """Call the code."""
        self._enter()
        try:
            return code(*args, **kwargs)
        except StopIteration as error:
            made = self.at_once(error)
            if made is error:
                raise
            raise made from error
        finally:
            self._leave()

    def outside(self, consume: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return `consume`, called by this code with an item, as code that is none of it."""

        def consumed(item: Value) -> Value:
            self._leave()
            try:
                return consume(item)
            except StopIteration as error:
                self._consumers = error
                raise
            finally:
                self._enter()

        return consumed

    def _enter(self) -> None:
        if self._failures is not None:
            self._outer, self._failures.body = self._failures.body, self
            self.depth = len(self._failures.regions)

    def _leave(self) -> None:
        if self._failures is not None:
            self._failures.body = self._outer


class _Iterator(Body):
    """The code of an iterator, which a StopIteration ends."""

    def run(self, code: Callable[..., Any], *args: Value, **kwargs: Value) -> Value:
        return code(*args, **kwargs)

    def outside(self, consume: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return consume


def instead_of(error: BaseException) -> BaseException:
    """Return what is raised at run time where an exception is raised in the code that is traced now.

    Raises that, where it is an error of the project's.
    """
    failures = current().trace.failures
    body = failures.body
    # A try statement of the body's own may catch it.
    if not isinstance(error, StopIteration) or body is None or len(failures.regions) > body.depth:
        return error
    made = body.instead(error)
    if isinstance(made, AnabranchError):
        raise made
    return made
