"""Run-time failures: what raises while tracing when it is known, and leaves the computation as a result when not."""

from __future__ import annotations

import collections
import contextlib
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.tracing.failures import Details, Failure, UnreachableError
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values import atoms

Frames = tuple[tuple[str, int, str], ...]


def user_frames(limit: int = 16) -> Frames:
    """(file, line, function) of the user's frames, innermost last, up to the call that is being traced."""
    return _named(_running(limit))


def _running(limit: int) -> list[tuple[types.FrameType, int]]:
    """The user's frames that run now, with their lines, innermost last."""
    frames: list[tuple[types.FrameType, int]] = []
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and len(frames) < limit:
        code = frame.f_code
        if internal(code.co_filename):
            if code.co_name == "trace_call":
                break
        else:
            frames.append((frame, frame.f_lineno))
        frame = frame.f_back
    return frames[::-1]


_GENERATED = re.compile(
    r"(if_true|if_false|while_test|while_body|for_body|try_body|with_body|suppressed|except_\w+|else_body|finally_body)(_\d+)?"
)
# Functions of the project that call a user's function.
_CALLERS = frozenset({"call", "run", "_trace"})


def _is_generated(frame: types.FrameType) -> bool:
    """Return whether a frame is that of a function made by the rewriting: a block, or an expression as a lambda."""
    last = frame.f_code.co_qualname.rpartition(".")[2]
    if last != "<lambda>":
        return bool(_GENERATED.fullmatch(last))
    caller = frame.f_back
    return caller is not None and internal(caller.f_code.co_filename) and caller.f_code.co_name not in _CALLERS


def user_function_name(frame: types.FrameType) -> str:
    """The name of the user's function that a frame is one of, or of a part of."""
    parts = frame.f_code.co_qualname.split(".<locals>.")
    if not _is_generated(frame) or len(parts) == 1:
        return frame.f_code.co_name
    parts.pop()
    while len(parts) > 1 and _GENERATED.fullmatch(parts[-1]):
        parts.pop()
    return parts[-1].rpartition(".")[2]


def is_part(inner: types.FrameType, outer: types.CodeType) -> bool:
    """Return whether a frame is that of a branch, a loop body or an expression that stands in a function."""
    code = inner.f_code
    head = code.co_qualname.rpartition(".<locals>.")[0]
    return head == outer.co_qualname and code.co_filename == outer.co_filename and _is_generated(inner)


def _named(frames: Iterable[tuple[types.FrameType, int]]) -> Frames:
    """(file, line, function) of frames, outermost first; parts of one function that call one another are one."""
    names: dict[tuple[str, str], str] = {}
    joined: list[tuple[str, int, str]] = []
    for frame, line in frames:
        code, generated = frame.f_code, _is_generated(frame)
        around = (code.co_filename, code.co_qualname.rpartition(".<locals>.")[0])
        name = names[around] if around in names and generated else user_function_name(frame)
        names[code.co_filename, code.co_qualname] = name
        if generated and joined and (joined[-1][0], joined[-1][2]) == (code.co_filename, name):
            joined.pop()
        joined.append((code.co_filename, line, name))
    return tuple(joined)


def frames_of(error: BaseException) -> Frames:
    """The user's frames that a caught exception came through, innermost last: those still running, and those left."""
    frames = _running(16)
    tb = error.__traceback__
    while tb is not None:
        if not internal(tb.tb_frame.f_code.co_filename):
            frames.append((tb.tb_frame, tb.tb_lineno))
        tb = tb.tb_next
    return _named(frames)


def fail_if(pred: Atom, make: Callable[..., BaseException], *details: Atom) -> None:
    """Raise `make(*details)` when `pred` (a bool scalar) is true: now when it is a literal, else at run time.

    The first failure of a call wins.
    """
    if isinstance(pred, Literal):
        if not pred.value:
            return
        known = [int(d.value) for d in details if isinstance(d, Literal)]
        if len(known) == len(details):
            raise make(*(known or [0]))
    numbers = [atoms.convert(detail, np.int64) for detail in details]
    record_failure(pred, _Counted(make), None, user_frames(), numbers)
    if isinstance(pred, Literal):
        raise UnreachableError  # it fails for certain, and what its message tells of is known only then


def note_failure(pred: Atom, make: Callable[..., BaseException]) -> None:
    """Raise `make(0)` at run time when `pred` is true; nothing is raised while tracing."""
    record_failure(pred, _Counted(make), None, user_frames())


@frozen
class IntMessage:
    """Makes exceptions of a class with a text around ints, in other processes, too."""

    cls: type[BaseException]
    text: str

    def __call__(self, *numbers: int) -> BaseException:
        return self.cls(self.text.format(*numbers))


@frozen
class _Counted:
    """Makes a failure's exception with the ints that it tells of."""

    make: Callable[..., BaseException]

    def __call__(self, found: list[np.ndarray]) -> BaseException:
        return self.make(*(map(int, found) if found else (0,)))


class MayFailError(Exception):
    """Something may fail where nothing must."""


@contextlib.contextmanager
def refused() -> Iterator[None]:
    """Let what may fail at run time raise `MayFailError` while tracing, before anything has been noted of it."""
    trace = current().trace
    before, trace.failures.refused = trace.failures.refused, True
    try:
        yield
    finally:
        trace.failures.refused = before


def record_failure(
    pred: Atom,
    make: Callable[[list[np.ndarray]], BaseException],
    reconstruct: Callable[[list[Atom]], BaseException] | None,
    frames: Frames,
    details: Sequence[Atom] = (),
) -> None:
    """Set the error code to a new failure's number, and keep its details, where `pred` holds and none came before."""
    builder = current()
    trace = builder.trace
    if trace.failures.refused:
        raise MayFailError
    counts: collections.Counter[ArrayType] = collections.Counter()
    storages = []
    for detail in details:
        storages.append(trace.detail(detail.type, counts[detail.type]))
        counts[detail.type] += 1
    trace.failures.numbered.append(Failure(make, reconstruct, frames, tuple(storages)))
    number = Literal(np.array(len(trace.failures.numbered), np.int32))
    _check(builder, pred, number, tuple(zip(storages, details, strict=True)))
    if trace.failures.regions:
        trace.failures.regions[-1].note(builder)


def _check(builder: Builder, pred: Atom, number: Atom, details: Details) -> None:
    """Set the error code to a number, and keep details, where `pred` holds and nothing has failed before."""
    storages = [builder.trace.failures.error_code, *(storage for storage, _ in details)]
    code, *kept = map(builder.read, storages)
    made = atoms.check(code, pred, number, [value for _, value in details], kept)
    for storage, atom in zip(storages, made, strict=True):
        builder.write(storage, atom)


def raise_again(error: BaseException) -> bool:
    """Where a handler raises what it has caught, restore the error code; whether it was such an exception.

    One that the handler has changed is another.
    """
    trace = current().trace
    caught = trace.failures.caught.get(error)
    if caught is None or caught.changed:
        return False
    for region in trace.failures.regions:
        region.again.update(n for n in caught.numbers if n <= region.first)
    fail_again(caught.code, caught.details)
    return True


def details_of(numbers: Iterable[int]) -> Details:
    """The details of these failures, as they are now: others that are caught meanwhile write to the same places."""
    builder = current()
    storages = dict.fromkeys(s for n in numbers for s in builder.trace.failures.numbered[n - 1].details)
    return tuple([(storage, builder.read(storage)) for storage in storages])


def fail_again(number: Atom, details: Details = ()) -> None:
    """Set the error code to what it was when something failed, where nothing has failed since."""
    builder = current()
    _check(builder, atoms.literal(True), number, details)
    if builder.trace.failures.regions:
        builder.trace.failures.regions[-1].note(builder)
