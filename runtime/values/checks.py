"""Run-time failures: what raises while tracing when it is known, and leaves the computation as a result when not."""

from __future__ import annotations

import pathlib
import re
import sys
import types
from collections.abc import Callable, Iterable

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
            frames.append((code.co_filename, frame.f_lineno, users_name(code)))
        frame = frame.f_back
    return _joined(reversed(frames))


_GENERATED = re.compile(r"(if_true|if_false|while_test|while_body|for_body|<lambda>)(_\d+)?")


def users_name(code: types.CodeType) -> str:
    """The name of the user's function that a code object is, or is a part of."""
    parts = code.co_qualname.split(".<locals>.")
    while len(parts) > 1 and _GENERATED.fullmatch(parts[-1]):
        parts.pop()
    return parts[-1].rpartition(".")[2] or code.co_name


def _joined(frames: Iterable[tuple[str, int, str]]) -> Frames:
    """The frames with the parts of one function, called by one another, made one."""
    joined: list[tuple[str, int, str]] = []
    for frame in frames:
        if joined and joined[-1][0] == frame[0] and joined[-1][2] == frame[2]:
            joined.pop()
        joined.append(frame)
    return tuple(joined)


def traceback_frames(error: BaseException) -> Frames:
    """The user's frames of a caught exception, innermost last."""
    frames: list[tuple[str, int, str]] = []
    tb = error.__traceback__
    while tb is not None:
        code = tb.tb_frame.f_code
        if not internal(code.co_filename):
            frames.append((code.co_filename, tb.tb_lineno, users_name(code)))
        tb = tb.tb_next
    return _joined(frames)


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
