"""Which frames of the stack are the user's."""

from __future__ import annotations

import contextlib
import dis
import os
import pathlib
import sys
import types
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.base.by_identity import IdentityDict
from anabranch.runtime.ir.program import SourceLocation

Position: TypeAlias = tuple[str, int, int, int]  # file, line, column, end column; columns count from 0

_HERE = pathlib.Path(__file__)
# In an editable install the package's folders are links, and code knows its file by either path. Frames of contextlib
# stand between the project's own, and tell a user no more of theirs.
_PACKAGE = (
    contextlib.__file__,
    *(str(f) for place in (_HERE, _HERE.resolve()) for f in (place.parents[1], place.parents[2] / "transpile")),
)

# The standard library, and where an environment of its own would have it. Not by sysconfig, which takes long.
_HOME = os.path.dirname(os.__file__)
STANDARD = (_HOME, os.path.join(sys.exec_prefix, os.path.relpath(_HOME, sys.base_prefix)))
# Folders in there of what was installed, the project among it.
_INSTALLED = ("site-packages", "dist-packages")

# Packages with a speed of their own, whose code is not rewritten.
OWN_SPEED = ("numpy", "libcst", "jax", "jaxlib", "ml_dtypes", "pandas", "scipy", "torch")

# NumPy's own Python code stands between a user's and the project's, which it calls by its protocols.
_NUMPY = os.path.dirname(np.__file__)

# Files of the project that were met: each equation asks for those of the frames that it came through.
_files: set[str] = set()


# The spans of the instructions of some functions.
_known_spans: IdentityDict[types.CodeType, tuple[tuple[int | None, int | None, int | None, int | None], ...]] = (
    IdentityDict()
)
_MOST_KNOWN = 64


def internal(filename: str) -> bool:
    """Return whether a code object's file is part of the project."""
    if filename in _files:
        return True
    found = filename.startswith(_PACKAGE)
    if found and filename.endswith(".py"):  # not code that was made for one call
        _files.add(filename)
    return found


def installed(filename: str) -> bool:
    """Return whether a code object's file is one of Python's standard library, or lies where packages are installed."""
    return filename.startswith(STANDARD)


def standard(filename: str) -> bool:
    """Return whether a code object's file is one of Python's standard library."""
    return installed(filename) and not any(folder in filename for folder in _INSTALLED)


def users(frame: types.FrameType | None, until: str = "") -> Iterator[types.FrameType]:
    """The user's frames from this one outwards, up to a function of the project's own of this name."""
    while frame is not None:
        filename = frame.f_code.co_filename
        if internal(filename):
            if frame.f_code.co_name == until:
                return
        elif not filename.startswith(_NUMPY):
            yield frame
        frame = frame.f_back


def place() -> Position | None:
    """Where the innermost of the user's frames stands."""
    frame = next(users(sys._getframe(1)), None)
    return None if frame is None else position(frame)


def position(frame: types.FrameType) -> Position:
    """Where a frame stands."""
    return instruction(frame.f_code, frame.f_lasti, frame.f_lineno)


def _spans(code: types.CodeType) -> Sequence[tuple[int | None, int | None, int | None, int | None]]:
    """Where the instructions of a function stand; each list and loop asks for one of them."""
    global _known_spans
    # Not by the code itself: its hash takes all of it.
    known = _known_spans.get(code)
    if known is None:
        if len(_known_spans) >= _MOST_KNOWN:
            _known_spans = IdentityDict()  # not cleared: another thread may be adding to it
        known = _known_spans[code] = tuple(code.co_positions())
    return known


def instruction(code: types.CodeType, lasti: int, line: int) -> Position:
    """Where an instruction of a line stands."""
    spans = _spans(code)
    _, _, start, end = spans[lasti // 2] if 0 <= lasti // 2 < len(spans) else (None,) * 4
    return code.co_filename, line, start or 0, end or 0


def stacklevel() -> int:
    """Return the `stacklevel` for `warnings.warn`, in the function that asks, to show the user's line."""
    frame: types.FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and internal(frame.f_code.co_filename):
        frame = frame.f_back
        level += 1
    return level


def source() -> SourceLocation | None:
    """The innermost of the user's lines that run now."""
    frame: types.FrameType | None = sys._getframe(2)
    known = _files
    while frame is not None:
        filename = frame.f_code.co_filename
        if filename not in known and not internal(filename):
            return SourceLocation(frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return None


# What of Python's own makes lists of items: `[*items]`, `f(*items)`, `made += items`, `made[i:j] = items`.
_INTO_LISTS = ("LIST_EXTEND", "CALL_FUNCTION_EX", "BINARY_OP", "STORE_SUBSCR", "STORE_SLICE")


def makes_a_list() -> bool:
    """Return whether Python itself is about to make a list of items that it asks for."""
    return users_instruction()[0] in _INTO_LISTS


def users_instruction() -> tuple[str, int]:
    """The bytecode instruction at which the innermost of the user's frames is, and its argument."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and internal(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return "", 0
    code = frame.f_code.co_code
    return dis.opname[code[frame.f_lasti]], code[frame.f_lasti + 1]


def is_in_place() -> bool:
    """Return whether the code that called the caller of this stands at an operator such as `+=`."""
    frame = sys._getframe(2)
    at, code = frame.f_lasti, frame.f_code.co_code
    return dis.opname[code[at]] == "BINARY_OP" and dis._nb_ops[code[at + 1]][1].endswith("=")  # type: ignore[attr-defined]
