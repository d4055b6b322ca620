"""Exceptions that end the tracing: what the user's code would not raise, and its handlers must not catch."""

from __future__ import annotations

import linecache

from anabranch.runtime.errors import IntegerRangeError, ShapeMismatchError


def is_own(error: BaseException) -> bool:
    """Return whether an exception ends the tracing, and is not what the user's code would raise when it runs."""
    if isinstance(error, (ShapeMismatchError, IntegerRangeError)):
        return False
    if type(error) is AssertionError:
        return _is_of_a_fault(error)
    return isinstance(error, (KeyboardInterrupt, GeneratorExit)) or type(error).__module__.startswith("anabranch.")


def _is_of_a_fault(error: AssertionError) -> bool:
    """Return whether an assertion of the project's own failed, which the user's handlers must not catch."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not trace.tb_frame.f_globals.get("__name__", "").startswith("anabranch."):
        return False
    # The user's are raised there, too, by the statements that stand for `assert` and `raise`.
    return linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).lstrip().startswith("assert ")
