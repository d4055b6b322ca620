"""Where in the user's file an error comes from, and a traceback that shows only the user's own frames."""

from __future__ import annotations

import linecache
import re
import types
from collections.abc import Iterator

from anabranch.runtime.tracing.source_frames import Position, instruction, internal, position
from anabranch.runtime.values.failures.run_time_checks import is_part


def positions(error: BaseException) -> Position | None:
    """(file, line, column, end column) of the innermost of the user's frames; columns count from 0."""
    found = None
    for tb in _walk(error.__traceback__):
        code = tb.tb_frame.f_code
        if not internal(code.co_filename):
            found = instruction(code, tb.tb_lasti, tb.tb_lineno)
    return found


def _walk(tb: types.TracebackType | None) -> Iterator[types.TracebackType]:
    while tb is not None:
        yield tb
        tb = tb.tb_next


def add_location(error: BaseException) -> None:
    """Append file, line, column, the source line and a caret to an error's message, once."""
    place = positions(error)
    if place is not None:
        _append(error, *place)


def add_line(error: BaseException, filename: str, line: int) -> None:
    """The same for a place of which the line is known alone."""
    _append(error, filename, line, 0, 0)


def add_function(error: BaseException, code: types.CodeType) -> None:
    """The same for an error of a whole function: the line of its `def`, below its decorators."""
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    below = next((i for i, text in enumerate(lines) if re.match(rf"\s*(async\s+)?def\s+{code.co_name}\b", text)), 0)
    add_line(error, code.co_filename, code.co_firstlineno + below)


def add_call_site(error: BaseException, caller: types.FrameType) -> None:
    """The same for an error in the arguments of a call: the place is where the call stands."""
    _append(error, *position(caller))


def _append(error: BaseException, filename: str, line: int, start: int, end: int) -> None:
    if getattr(error, "anabranch_located", False) or not error.args or not isinstance(error.args[0], str):
        return
    text = linecache.getline(filename, line).rstrip("\n")
    stripped = text.lstrip()
    shift = len(text) - len(stripped)
    width = max(min(end, len(text)) - start, 1) if end else max(len(stripped), 1)
    caret = " " * max(start - shift, 0) + "^" * width
    column = f":{start + 1}" if end else ""
    message = f"{error.args[0]}\n  {filename}:{line}{column}\n    {stripped}\n    {caret}"
    error.args = (message, *error.args[1:])
    error.anabranch_located = True  # type: ignore[attr-defined]


def _followed(tb: types.TracebackType, rest: types.TracebackType | None) -> types.TracebackType:
    """The entry of a traceback with others than its own after it."""
    # A signal may come at an instruction that belongs to no line.
    line = tb.tb_lineno or tb.tb_frame.f_code.co_firstlineno
    return types.TracebackType(rest, tb.tb_frame, tb.tb_lasti, line)


def hide_internal_frames(error: BaseException) -> None:
    """Drop the project's own frames from an error's traceback."""
    kept: types.TracebackType | None = None
    inner: types.FrameType | None = None
    for tb in reversed(list(_walk(error.__traceback__))):
        code = tb.tb_frame.f_code
        if internal(code.co_filename):
            continue
        if inner is not None and kept is not None and is_part(inner, code):
            # A branch or a loop body was called by the function that it is a part of: its own line says more. A part
            # of an expression has no name that says whose it is.
            if inner.f_code.co_name == "<lambda>":
                kept = kept.tb_next if kept.tb_lineno == tb.tb_lineno else kept
                kept = _followed(tb, kept)
        else:
            kept = _followed(tb, kept)
        inner = tb.tb_frame
    error.__traceback__ = kept
