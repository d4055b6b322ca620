"""Signals while a function is traced, lowered and compiled: what a handler raises ends that, and nothing else sees it.

Python runs a signal's handler between any two instructions. What it raises there would look like an exception of the
code that is being traced, be caught by a `try` of the user's and become part of what is compiled; or it would come
between a change of state and the code that puts it back. So a handler's exception travels as an `Interrupt`, which no
construct catches, and code that must not be left half done is `whole`; what enters and leaves the `with` blocks of the
project always is.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found] # what `signal` is made of
import _thread
import contextlib
import functools
import signal
import threading
import time
import types
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_RETRY = 0.002


class Interrupt(BaseException):
    """Carries what a signal's handler has raised out of a compilation."""


_whole: set[types.CodeType] = set()
_ENTERING = ("__enter__", "__exit__")
_MANAGERS = ("anabranch", "contextlib", "numpy", "warnings")  # whose managers the project's `with` blocks have

# Whose objects own memory of C's: one that was cut short where it frees that would free it again.
_WHOLE_LIBRARIES = ("llvmlite",)


def whole(function: F) -> F:
    """Mark a function that a signal's handler must not cut short: the handler runs when it has ended."""
    _whole.add(function.__code__)
    return function


class _Watch:
    """The watched part of the main thread's work: how deep it is nested, and what a handler has raised in it."""

    def __init__(self) -> None:
        self.depth = 0
        self.raised: BaseException | None = None
        self._handlers: list[tuple[int, Callable[..., Any], Callable[..., Any]]] = []

    @whole
    def begin(self) -> None:
        """Take the place of the handlers that are written in Python."""
        self.raised = None
        self._handlers = []
        for number in _NUMBERS:
            # Not by `signal`, which makes each answer a member of an enumeration: a tenth of a small trace.
            handler = _signal.getsignal(number)
            if callable(handler):
                ours = functools.partial(_handle, getattr(handler, "anabranch_original", handler))
                ours.anabranch_original = ours.args[0]  # type: ignore[attr-defined]
                self._handlers.append((number, ours, ours.args[0]))
                signal.signal(number, ours)

    @whole
    def end(self) -> None:
        """Give the handlers their places back, where nobody else has taken them."""
        for number, ours, original in self._handlers:
            if signal.getsignal(number) is ours:
                signal.signal(number, original)


_watch = _Watch()
_NUMBERS = sorted(signal.valid_signals())


class Watched:
    """A block that a signal ends at once: the exception of the handler leaves it as it is.

    Where the block swallows that exception, it is raised at its end. Only the main thread runs handlers; in others the
    block is an ordinary one. Blocks may be nested.
    """

    __slots__ = ("_is_watched",)

    @whole
    def __enter__(self) -> None:
        self._is_watched = threading.current_thread() is threading.main_thread() and _can_have_handlers()
        if self._is_watched:
            if not _watch.depth:
                _watch.begin()
            _watch.depth += 1

    @whole
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        if not self._is_watched:
            return
        _watch.depth -= 1
        if _watch.depth:
            return
        _watch.end()
        raised, _watch.raised = _watch.raised, None
        if raised is not None:
            if isinstance(error, Interrupt):
                raised.__traceback__ = trace
            raise raised from None


@functools.cache
def _can_have_handlers() -> bool:
    """Return whether this is the interpreter whose main thread runs handlers."""
    try:
        signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))
    except (ValueError, TypeError):  # another interpreter; or a handler that was not set by Python
        return False
    return True


def check() -> None:
    """Raise again what a handler has raised, for code that may not have seen it.

    Raises
    ------
    Interrupt
    """
    if _watch.raised is not None:
        raise Interrupt


def _handle(original: Callable[..., object], number: int, frame: types.FrameType | None) -> None:
    """Run the user's handler, later where the frame that is interrupted must not be left."""
    if _is_whole(frame):
        with contextlib.suppress(RuntimeError):  # no more threads can be had
            # Not by `threading`, of whose locks the interrupted code may hold one.
            _thread.start_new_thread(_again, (number,))
            return
    if not _watch.depth:
        original(number, frame)
        return
    try:
        original(number, frame)
    except BaseException as error:
        _watch.raised = error
        raise Interrupt from None


def _is_whole(frame: types.FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code in _whole or (frame.f_code.co_name in _ENTERING and _is_of_own_block(frame)):
            return True
        if _library(frame) in _WHOLE_LIBRARIES:
            return True
        frame = frame.f_back
    return False


def _is_of_own_block(entering: types.FrameType) -> bool:
    """Return whether the block that is entered or left is the project's, or its manager a generator of the project's.

    The user's own methods may take long, and so may what a manager calls that passes on what the user's block does.
    """
    block = entering.f_back
    passes_on = block is None or block.f_code.co_name in _ENTERING
    if not passes_on and _library(block) == "anabranch" and _library(entering) in _MANAGERS:
        return True
    return _library(getattr(getattr(entering.f_locals.get("self"), "gen", None), "gi_frame", None)) == "anabranch"


def _library(frame: types.FrameType | None) -> str:
    """The package or module at the top that a frame's code is of."""
    return "" if frame is None else str(frame.f_globals.get("__name__")).partition(".")[0]


def _again(number: int) -> None:
    time.sleep(_RETRY)
    _thread.interrupt_main(number)  # type: ignore[arg-type] # which may have no name
