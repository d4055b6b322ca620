"""What a computation failed with, raised with the user's lines in the traceback."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from anabranch.runtime.trace import Failure, Storage
from anabranch.runtime.values import checks, containers

NDArray = np.ndarray[Any, Any]


def raise_failure(failure: Failure, found: Mapping[Storage, NDArray]) -> NoReturn:
    """Raise what the computation failed with, with the user's lines in the traceback."""
    error = _fresh(failure.make([found[s] for s in failure.details]))
    if not failure.frames:
        raise error
    raise _at(error, failure.frames)


def _fresh(error: BaseException) -> BaseException:
    """The exception as a new object, so that one raised twice does not gather tracebacks."""
    structure = containers.ExceptionStructure(type(error))
    try:
        made: BaseException = structure.build(structure.children(error))
    except Exception:  # a class that needs more than its arguments
        return error
    return made


def _at(error: BaseException, frames: checks.Frames) -> BaseException:
    """The error with a traceback that goes through these lines."""
    thrown: Callable[[], None] | None = None
    for filename, line, name in reversed(frames):
        text = "\n" * (line - 1) + ("raise error" if thrown is None else "step()")
        code = compile(text, filename, "exec").replace(co_name=name)
        scope: dict[str, Any] = {"error": error, "step": thrown}
        thrown = types.FunctionType(code, scope)
    try:
        assert thrown is not None
        thrown()
    except type(error) as caught:
        traceback = caught.__traceback__
        return caught.with_traceback(traceback.tb_next if traceback is not None else None)
    return error
