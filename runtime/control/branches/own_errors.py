"""Exceptions that end the tracing: what the user's code would not raise, and its handlers must not catch."""

from __future__ import annotations

import linecache

from anabranch.runtime.errors import IntegerRangeError, ShapeMismatchError


def is_own(error: BaseException) -> bool:
    """Return whether an exception ends the tracing, and is not what the user's code would raise when it runs."""
    if isinstance(error, (ShapeMismatchError, IntegerRangeError)):
        return False
    if type(error) in (AssertionError, AttributeError) and _is_of_a_fault(error):
        return True
    return isinstance(error, (KeyboardInterrupt, GeneratorExit)) or type(error).__module__.startswith("anabranch.")


def _is_of_a_fault(error: BaseException) -> bool:
    """Return whether an assertion of the project's own failed, or an attribute lacks in its own code.

    The user's handlers must not catch these. What the user's code would raise is raised there, too, by statements.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not trace.tb_frame.f_globals.get("__name__", "").startswith("anabranch."):
        return False
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip()
    if isinstance(error, AttributeError):
        return error.obj is None and not line.startswith("raise ") and "getattr(" not in line
    return line.startswith("assert ")
