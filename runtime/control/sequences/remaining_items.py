"""The remaining items of an unrolled loop, handed on into a branch."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable

from anabranch.base.value import Value
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values.heap.opaque import Remaining


def remaining(items: Iterable[object]) -> Iterable[Value]:
    """The items, by one iterator however often it is asked for.

    An iterator that the user has a name for stays itself: a branch that moves it is found, and refused.
    """
    iterator = iter(items)
    return iterator if iterator is items and is_named(iterator) else Remaining(iterator)


def is_named(iterator: object) -> bool:
    """Return whether a variable of the user's functions holds the iterator, or another object."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != "trace_call":
        if not internal(frame.f_code.co_filename) and any(v is iterator for v in frame.f_locals.values()):
            return True
        frame = frame.f_back
    return False
