"""Which frames of the stack are the user's."""

from __future__ import annotations

import contextlib
import os
import pathlib
import sys
import types

from anabranch.runtime.ir import Source

_HERE = pathlib.Path(__file__)
# In an editable install the package's folders are links, and code knows its file by either path. Frames of contextlib
# stand between the project's own, and tell a user no more of theirs.
_PACKAGE = (
    contextlib.__file__,
    *(str(f) for place in (_HERE, _HERE.resolve()) for f in (place.parent, place.parents[1] / "transpile")),
)

# The standard library, and where an environment of its own would have it. Not by sysconfig, which takes long.
_STANDARD = os.path.dirname(os.__file__)
LIBRARY = (_STANDARD, os.path.join(sys.exec_prefix, os.path.relpath(_STANDARD, sys.base_prefix)))


# Files of the project that were met: each equation asks for those of the frames that it came through.
_files: set[str] = set()


def internal(filename: str) -> bool:
    """Whether a code object's file is part of the project."""
    if filename in _files:
        return True
    found = filename.startswith(_PACKAGE)
    if found and filename.endswith(".py"):  # not code that was made for one call
        _files.add(filename)
    return found


def stacklevel() -> int:
    """What `warnings.warn` needs to be told, in the function that asks, to show the user's line."""
    frame: types.FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and internal(frame.f_code.co_filename):
        frame = frame.f_back
        level += 1
    return level


def source() -> Source | None:
    """The innermost of the user's lines that run now."""
    frame: types.FrameType | None = sys._getframe(2)
    known = _files
    while frame is not None:
        filename = frame.f_code.co_filename
        if filename not in known and not internal(filename):
            return Source(frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return None
