"""Arrays for machine code that Python calls; large ones stand on memory that earlier ones had."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.runtime.host.buffer_types import BufferType
from anabranch.runtime.host.kept_memory import KeptMemory, Lent
from anabranch.runtime.host.object_layout import address
from anabranch.runtime.host.staging import is_recycled

# Arrays, with their addresses.
kept: KeptMemory[tuple[np.ndarray, int]] = KeptMemory()
# Vectors that are written to aligned memory take fewer steps. The C library places large arrays at the beginning of a
# page; where a result stood a little after that, the processor would take what is read for what was written.
_PAGE, _OFFSET = 4096, 2048
# A thread of the parent's may have been in there.
os.register_at_fork(after_in_child=kept.close)


def maker(kind: BufferType) -> Callable[[], np.ndarray]:
    """The function that makes writable arrays of a type and of any contents."""
    shape, dtype = kind.shape, kind.dtype
    if not is_recycled(kind):
        return functools.partial(np.empty, shape, dtype)
    # Any: typing knows neither attributes of ctypes objects nor that they are buffers.
    from_address: Any = (ctypes.c_char * kind.nbytes).from_address
    shelf = kept.shelf(kind)

    def borrow() -> np.ndarray:
        place = shelf.take()
        if place is None:
            array = _placed(kind)
            place = array, address(array)
        memory = from_address(place[1])
        memory.owner = Lent(shelf, place)
        return np.ndarray(shape, dtype, memory)

    return borrow


def _placed(kind: BufferType) -> np.ndarray:
    """An array of any contents, well placed in memory."""
    memory = np.empty(kind.nbytes + _PAGE, np.uint8)
    start = (_OFFSET - address(memory)) % _PAGE
    return memory[start : start + kind.nbytes].view(kind.dtype).reshape(kind.shape)


def copied(array: np.ndarray, kind: BufferType) -> np.ndarray:
    """The values of an array of this type in memory of their own, in C order."""
    copy = maker(kind)()
    copy[...] = array
    return copy
