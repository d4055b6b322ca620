"""NumPy's functions that read and write files: they would act once, while a function is traced."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import current, tracing

_NAMES = "fromfile fromregex genfromtxt load loadtxt save savetxt savez savez_compressed"
_FILES = "it reads or writes files; do that outside of compiled code"
_TEXT = (np.loadtxt, np.genfromtxt)  # take lines of text, too


def is_in_memory(value: object) -> bool:
    """Return whether a value is a stream that the traced function has made."""
    return isinstance(value, (io.StringIO, io.BytesIO)) and not current().trace.outside.is_outside(value)


def refuse(name: str) -> NoReturn:
    """Refuse a call that would act while tracing only."""
    instead = f": {_FILES}" if name.startswith("numpy.") else "; call it outside, and pass its result as an argument"
    raise UnsupportedOperationError(
        f"{name}() would run only while the function is traced, and not when it is called{instead}"
    )


def _checked(original: Callable[..., object], known: Callable[..., object]) -> Callable[..., Any]:
    """The function where it works in memory alone; else refused while tracing."""

    @functools.wraps(original, updated=())
    def call(*args: object, **kwargs: object) -> Value:
        given = (*args, *kwargs.values())
        lines = original in _TEXT and isinstance(next(iter(given), None), (list, tuple))
        if tracing() and not lines and not any(map(is_in_memory, given)):
            refuse(f"numpy.{original.__name__}")
        return known(*args, **kwargs)

    return call


def guard(functions: dict[object, Callable[..., Any]]) -> None:
    """Put the check before what these functions have in a table of staged functions."""
    for name in _NAMES.split():
        original = getattr(np, name)
        functions[original] = _checked(original, functions[original])
