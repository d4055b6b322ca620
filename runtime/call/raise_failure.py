"""A failure of a computation, raised with the user's lines in the traceback."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from anabranch.runtime.errors import AnabranchError, ShapeMismatchError
from anabranch.runtime.tracing.failures import Failure
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import containers
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.failures.user_traceback import add_line
from anabranch.runtime.values.pytrees import layout as layouts


def raise_failure(failure: Failure, found: Mapping[Storage, np.ndarray]) -> NoReturn:
    """Raise what the computation failed with, with the user's lines in the traceback."""
    error = _fresh(failure.make([found[s] for s in failure.details]))
    if not failure.frames:
        raise error
    if isinstance(error, AnabranchError):
        filename, line, _ = failure.frames[-1]
        add_line(error, filename, line)
    raise _at(error, failure.frames)


def is_of_compiled_code(failure: Failure) -> bool:
    """Return whether a failure is one that eager Python would not have raised: a small buffer, an int of 65 bits."""
    held = getattr(failure.make, "layout", None)
    if held is not None:
        return isinstance(held, layouts.Node) and not eager_raises(held.structure.cls)
    return not eager_raises(type(failure.make([np.zeros(s.type.shape, s.type.dtype) for s in failure.details])))


def eager_raises(cls: type[BaseException]) -> bool:
    """Return whether eager Python raises exceptions of a class where compiled code does."""
    return not issubclass(cls, AnabranchError) or issubclass(cls, ShapeMismatchError)


def _fresh(error: BaseException) -> BaseException:
    """The exception as a new object, so that one raised twice does not gather tracebacks."""
    structure = containers.ExceptionStructure(type(error))
    try:
        made: BaseException = structure.build(structure.children(error))
    except Exception:  # a class that needs more than its arguments
        return error
    return made


def _without_columns(instructions: int) -> bytes:
    """The line table of a code object on one line whose columns are not known: a traceback marks no part of the line.

    An entry is for at most eight instructions, of kind 13 (a line and no columns), with the line 0 further on.
    """
    chunks = [min(8, instructions - done) for done in range(0, instructions, 8)]
    return b"".join(bytes((0x80 | 13 << 3 | (n - 1), 0)) for n in chunks)


def _at(error: BaseException, frames: run_time_checks.Frames) -> BaseException:
    """The error with a traceback that goes through these lines."""
    thrown: Callable[[], None] | None = None
    for filename, line, name in reversed(frames):
        code = compile("raise error" if thrown is None else "step()", filename, "exec")
        code = code.replace(co_name=name, co_firstlineno=line, co_linetable=_without_columns(len(code.co_code) // 2))
        scope: dict[str, Any] = {"error": error, "step": thrown}
        thrown = types.FunctionType(code, scope)
    try:
        assert thrown is not None
        thrown()
    except type(error) as caught:
        traceback = caught.__traceback__
        return caught.with_traceback(traceback.tb_next if traceback is not None else None)
    return error
