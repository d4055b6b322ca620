"""Unpacking of items whose number is known only at run time: `a, b = items`, `[*items]`, `f(*items)`."""

from __future__ import annotations

import types

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.source_frames import internal, makes_a_list, users_instruction
from anabranch.runtime.values import wrap
from anabranch.runtime.values.failures import run_time_checks


def targets() -> int | None:
    """Return to how many names the innermost of the user's frames unpacks something now; None where it does not."""
    name, count = users_instruction()
    return count if name == "UNPACK_SEQUENCE" else None  # of more than 255 the first is another instruction


def demand_growth() -> None:
    """Have lists be such as may grow, where Python itself is about to make one of items that it asks for."""
    if tracing() and makes_a_list():
        current().trace.lists.demand_growth()


def asks(frame: types.FrameType) -> bool:
    """Return whether it is Python's own unpacking that calls from a frame: the user's code does not call there."""
    return not internal(frame.f_code.co_filename) and targets() is not None


def check_length(length: Value, expected: int) -> None:
    """Raise at run time what Python does where there are more or fewer items than names."""
    more, fewer = (wrap.as_atom(test, np.bool_) for test in (length > expected, length < expected))
    run_time_checks.fail_if(more, lambda _: ValueError(f"too many values to unpack (expected {expected})"))
    text = f"not enough values to unpack (expected {expected}, got %d)"
    run_time_checks.fail_if(fewer, lambda count: ValueError(text % count), wrap.as_atom(length, np.int64))
