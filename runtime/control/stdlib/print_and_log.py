"""`print`, `logging` and `warnings`: the text appears when the compiled function runs, in order, at each call."""

from __future__ import annotations

import functools
import io
import logging
import pprint
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import containers, effects

_LEVELS = ("debug", "info", "warning", "warn", "error", "critical", "fatal", "log")


def print_(*values: Value, sep: Value = " ", end: Value = "\n", file: Value = None, flush: Value = False) -> None:
    """As `print`."""
    print_all(values, sep, end, file, flush)


def print_all(values: Value, sep: Value = " ", end: Value = "\n", file: Value = None, flush: Value = False) -> None:
    """As `print(*values)`, of a tuple, or of a list whose length is known only at run time.

    Raises `UnsupportedOperationError` for a file that the function itself has made, which would be read while tracing.
    """
    target = file
    if tracing() and (file is None or file is sys.stdout or file is sys.stderr):
        stream = "stderr" if file is sys.stderr else "stdout"
        target = effects.redirections().get(stream, file)
    if not tracing() or _is_own_file(target, (values, sep, end)):
        print(*values, sep=sep, end=end, file=file, flush=flush)
        return
    # The standard files may be others when the function runs.
    name = next((n for n in ("stdout", "stderr") if file is getattr(sys, n)), None)

    def perform(value: Value) -> None:
        shown, sep, end, flush = value
        print(*shown, sep=sep, end=end, file=getattr(sys, name) if name else file, flush=flush)

    effects.emit("print", perform, (values, sep, end, flush))


def _is_own_file(file: object, value: object) -> bool:
    """Return whether a file belongs to the function that is traced, and so does what is written to it."""
    if file is None or file in current().trace.output.streams.values() or current().trace.outside.is_outside(file):
        return False
    if file is sys.__stdout__ or file is sys.__stderr__:
        return False
    if _stays_inside(file, value):
        return True
    raise UnsupportedOperationError(
        f"print to {a(type(file).__name__)} that the function made or opened, of run-time values or under a run-time "
        "condition, would write only while the function is traced; build the text with f-strings and join, or print "
        "to a file from outside of the function"
    )


def _stays_inside(file: object, value: object) -> bool:
    """Return whether writing to a file that the function made has no effect but on what it goes on to compute."""
    inside = isinstance(file, (io.StringIO, io.BytesIO)) and not current().trace.outside.is_outside(file)
    return inside and current().parent is None and not containers.has_traced(value)


def _is_standard(file: object) -> bool:
    return any(file is known for known in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__))


def counterpart(function: Any) -> Callable[..., Any] | None:
    """The function to call instead of one that writes, while tracing."""
    if not tracing():
        return None
    if function is warnings.warn:
        return warn
    if function is pprint.pprint or function is pprint.pp:
        return functools.partial(_pprint, function)
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(owner, (logging.Logger, logging.LoggerAdapter)) and name in (*_LEVELS, "exception"):
        return _logged(function)
    if (
        isinstance(function, types.FunctionType)
        and function.__module__ == "logging"
        and name in (*_LEVELS, "exception")
    ):
        return _logged(function)
    if name in ("write", "writelines") and (isinstance(owner, io.IOBase) or _is_standard(owner)):
        return _writes(function, owner)
    return None


def warn(
    message: object, category: object = None, stacklevel: int = 1, source: object = None, **kwargs: object
) -> None:
    """As `warnings.warn`; what is shown is decided by the filters that hold when the compiled function runs."""

    def ready(value: object) -> functools.partial[None]:
        return functools.partial(warnings.warn, value, category, stacklevel, source, **kwargs)

    _at_the_line("warnings.warn", ready, message, stacklevel)


def _pprint(function: Callable[..., None], *args: object, **kwargs: object) -> None:
    """As `pprint.pprint`, to standard output."""
    if len(args) != 1 or kwargs.get("stream") is not None:
        raise UnsupportedOperationError(
            "pprint in compiled code takes one object, options by name, and no stream; call it once for each "
            "object, or use print(..., file=...)"
        )
    effects.emit("pprint", lambda value: function(value[0][0], **value[1]), (args, kwargs))


def _logged(function: Callable[..., None]) -> Callable[..., Any]:
    """A logging function; levels, handlers and filters are those of the time when the compiled function runs."""
    owner = getattr(function, "__self__", None)

    def log(*args: Value, stacklevel: int = 1, **kwargs: Value) -> None:
        if _is_off(owner, function.__name__, args):
            return
        if function.__name__ == "exception" or kwargs.get("exc_info"):
            raise UnsupportedOperationError(
                "logging an exception is not supported in compiled code, since Python is handling none when it runs; "
                "log the values instead, or call the function in a try statement and log there"
            )

        def ready(value: Value) -> functools.partial[None]:
            shown, named = value
            return functools.partial(function, *shown, stacklevel=stacklevel, **named)

        _at_the_line(f"logging.{function.__name__}", ready, (args, kwargs), stacklevel)

    return log


def _is_off(owner: logging.Logger | logging.LoggerAdapter[Any] | None, name: str, args: tuple[Value, ...]) -> bool:
    """Return whether a logger drops what it is given, by its level; where that changes the function is traced again."""
    logger = owner.logger if isinstance(owner, logging.LoggerAdapter) else owner
    if not isinstance(logger, logging.Logger) or type(logger).isEnabledFor is not logging.Logger.isEnabledFor:
        return False
    level = _NUMBERS.get(name, args[0] if args else None)
    if type(level) is not int:
        return False
    current().trace.outside.enter(logger)
    return not logger.isEnabledFor(level)


_NUMBERS = {
    "debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "warn": logging.WARNING,
    "error": logging.ERROR, "critical": logging.CRITICAL, "fatal": logging.CRITICAL,
}  # fmt: skip


def _at_the_line(name: str, ready: Callable[[Any], functools.partial[None]], value: object, depth: int) -> None:
    """Emit an effect that looks at the frames of its callers: `ready` gives the call, which adds none of its own."""
    places = effects.sites()
    effects.emit(name, lambda value: effects.with_caller_frames(places, ready(value), depth), value)


def _writes(function: Callable[..., Any], owner: object) -> Callable[..., Any]:
    """`file.write`: of a file that the function has made, it is done while tracing."""

    def write(*args: object) -> Value:
        if not _stays_inside(owner, args):
            raise UnsupportedOperationError(
                f"{function.__name__}() of a file in compiled code would write once, while the function is traced; "
                'write print(text, end="", file=...), which writes at each call'
            )
        return function(*args)

    return write
