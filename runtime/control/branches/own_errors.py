"""Exceptions that end the tracing: what the user's code would not raise, and its handlers must not catch."""

from __future__ import annotations

import collections
import dis
import linecache
import traceback
import types

from anabranch.runtime.errors import IntegerRangeError, ShapeMismatchError
from anabranch.runtime.tracing.restarts import is_attempt
from anabranch.runtime.tracing.source_frames import installed, internal

# What the project's code does for the user it does by calls, such as `operator.getitem(v, key)` and
# `iterator.__next__()`, whose errors are the user's: those of these instructions, and of `next(...)`, are faults.
_NOT_FOR_THE_USER = (
    "BINARY_SLICE",
    "BINARY_SUBSCR",
    "DELETE_",
    "IMPORT_",
    "LOAD_",
    "STORE_",
    "UNPACK_",
)
# What operations raise that are given something else than they take.
_MISREADINGS = (TypeError, AttributeError)
# Where exceptions of several, or with several causes, are raised for the user.
_RAISING = "anabranch.runtime.control.raise_"
# So many frames of the project's in a row lie between no two calls of the user's functions.
_FRAMES = 200


def is_own(error: BaseException) -> bool:
    """Return whether an exception ends the tracing, and is not what the user's code would raise when it runs."""
    if isinstance(error, (ShapeMismatchError, IntegerRangeError)):
        return False
    if isinstance(error, (KeyboardInterrupt, GeneratorExit)) or type(error).__module__.startswith("anabranch."):
        return True
    if isinstance(error, RecursionError):
        return _is_of_values(error)
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    if is_attempt() and isinstance(error, _MISREADINGS) and not _is_raised(trace):
        return True  # an operation may have taken the stand-in of a value for something else
    inside = trace.tb_frame.f_globals.get("__name__", "").startswith("anabranch.")
    return inside and _is_of_a_fault(error, trace)


def _is_raised(trace: types.TracebackType) -> bool:
    """Return whether a statement of the user's has raised an exception here."""
    code = trace.tb_frame.f_code
    if trace.tb_frame.f_globals.get("__name__") == _RAISING:
        return True
    is_users = not internal(code.co_filename) and not installed(code.co_filename)
    return is_users and dis.opname[code.co_code[trace.tb_lasti]].startswith(("RAISE_", "RERAISE"))


def _is_of_values(error: RecursionError) -> bool:
    """Return whether it is no function of the user's that calls itself too often, but the walk over a value here."""
    innermost = collections.deque(traceback.walk_tb(error.__traceback__), maxlen=_FRAMES)
    files = {frame.f_code.co_filename for frame, _ in innermost}
    return len(innermost) == _FRAMES and all(internal(file) or installed(file) for file in files)


def _is_of_a_fault(error: BaseException, trace: types.TracebackType) -> bool:
    """Return whether an exception that arose in the project's code, here, is none that it raises for the user."""
    if isinstance(error, MemoryError):
        return False
    code = trace.tb_frame.f_code
    if type(error) is AssertionError:
        # The user's are raised there, too, by the statements that stand for `assert` and `raise`.
        return linecache.getline(code.co_filename, trace.tb_lineno).lstrip().startswith("assert ")
    instruction = dis.opname[code.co_code[trace.tb_lasti]]
    if type(error) is StopIteration and instruction in ("CALL", "PRECALL"):
        line, _, column, _ = list(code.co_positions())[trace.tb_lasti // 2]
        return linecache.getline(code.co_filename, line or 0)[column:].startswith("next(")
    return type(error) is NotImplementedError or instruction.startswith(_NOT_FOR_THE_USER)
