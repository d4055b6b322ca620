"""Unpacking, `a, b = items`, of lists of run-time length: how many items the user's code asks for."""

from __future__ import annotations

import dis
import sys
import types

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values import wrap
from anabranch.runtime.values.failures import run_time_checks


def targets() -> int | None:
    """Return to how many names the innermost of the user's frames unpacks something now; None where it does not."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and internal(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return None
    code = frame.f_code.co_code
    if dis.opname[code[frame.f_lasti]] != "UNPACK_SEQUENCE":
        return None
    return code[frame.f_lasti + 1]  # of more than 255 the first is another instruction


def check_length(length: Value, expected: int) -> None:
    """Raise at run time what Python does where there are more or fewer items than names."""
    more, fewer = (wrap.as_atom(test, np.bool_) for test in (length > expected, length < expected))
    run_time_checks.fail_if(more, lambda _: ValueError(f"too many values to unpack (expected {expected})"))
    text = f"not enough values to unpack (expected {expected}, got %d)"
    run_time_checks.fail_if(fewer, lambda count: ValueError(text % count), wrap.as_atom(length, np.int64))
