"""Which frames of the stack are the user's."""

from __future__ import annotations

import contextlib
import functools
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


@functools.lru_cache(maxsize=4096)
def internal(filename: str) -> bool:
    """Whether a code object's file is part of the project."""
    return filename.startswith(_PACKAGE)


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
    while frame is not None:
        if not internal(frame.f_code.co_filename):
            return Source(frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return None
