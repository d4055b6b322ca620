"""Run-time failures: what raises while tracing when it is known, and leaves the computation as a result when not."""

from __future__ import annotations

import pathlib
import sys
import types
from collections.abc import Callable

import numpy as np

from anabranch.runtime.ir import Atom, Literal
from anabranch.runtime.trace import Failure, current
from anabranch.runtime.values import atoms

_HERE = pathlib.Path(__file__)
# In an editable install the package's folders are links, and code knows its file by either path.
_PACKAGE = tuple(
    str(folder) for place in (_HERE, _HERE.resolve()) for folder in (place.parents[1], place.parents[2] / "transpile")
)

Frames = tuple[tuple[str, int, str], ...]


def internal(filename: str) -> bool:
    """Whether a code object's file is part of the project."""
    return filename.startswith(_PACKAGE)


def user_frames(limit: int = 16) -> Frames:
    """(file, line, function) of the user's frames, innermost last, up to the call that is being traced."""
    frames: list[tuple[str, int, str]] = []
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and len(frames) < limit:
        code = frame.f_code
        if internal(code.co_filename):
            if code.co_name == "trace_call":
                break
        else:
            frames.append((code.co_filename, frame.f_lineno, code.co_name))
        frame = frame.f_back
    return tuple(reversed(frames))


def traceback_frames(error: BaseException) -> Frames:
    """The user's frames of a caught exception, innermost last."""
    frames: list[tuple[str, int, str]] = []
    tb = error.__traceback__
    while tb is not None:
        code = tb.tb_frame.f_code
        if not internal(code.co_filename):
            frames.append((code.co_filename, tb.tb_lineno, code.co_name))
        tb = tb.tb_next
    return tuple(frames)


def fail_if(pred: Atom, make: Callable[[int], BaseException], detail: Atom | None = None) -> None:
    """Raise `make(detail)` when `pred` (a bool scalar) is true: now when it is a literal, else at run time.

    The first failure of a call wins.
    """
    if isinstance(pred, Literal):
        if pred.value:
            raise make(int(detail.value) if isinstance(detail, Literal) else 0)
        return
    record_failure(pred, Failure(make, user_frames()), detail)


def record_failure(pred: Atom, failure: Failure, detail: Atom | None = None) -> None:
    """Set the error code to this failure's number where `pred` holds and nothing has failed before."""
    builder = current()
    trace = builder.trace
    trace.failures.append(failure)
    number = Literal(np.array(len(trace.failures), np.int32))
    code = builder.read(trace.error_code)
    first = atoms.logical_and(pred, atoms.ufunc(np.equal, code, atoms.literal(0, np.int32)))
    builder.write(trace.error_code, atoms.select(first, number, code))
    if detail is not None:
        before = builder.read(trace.error_detail)
        builder.write(trace.error_detail, atoms.select(first, atoms.convert(detail, np.int64), before))
