"""Arrays for machine code that Python calls; large ones stand on memory that earlier ones had."""

from __future__ import annotations

import functools
import os
import sysconfig
import threading
import weakref
from collections.abc import Callable
from sys import getrefcount

import numpy as np

from anabranch.runtime.config import DEFAULT, settings_or_none
from anabranch.runtime.host.buffer_types import BufferType
from anabranch.runtime.host.object_layout import address
from anabranch.runtime.host.staging import is_recycled

# Vectors that are written to aligned memory take fewer steps. The C library places large arrays at the beginning of a
# page; where a result stood a little after that, the processor would take what is read for what was written.
_PAGE, _OFFSET = 4096, 2048
# The references to memory of which only the array that is kept has a view, the one being asked included.
_IDLE = 2
# How many arrays are looked at before a new one is made.
_MOST_LOOKED_AT = 4
# Without Python's lock the number of references is not known.
_COUNTS_REFERENCES = sysconfig.get_config_var("Py_GIL_DISABLED") != 1


class _Row(list[np.ndarray]):
    """Arrays of one type, each of which some thread looks at, or anyone may take out."""

    __slots__ = ("__weakref__", "nbytes")

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes

    def idle(self) -> int:
        """How many of them nobody has a view of."""
        return sum(getrefcount(array.base) == _IDLE for array in tuple(self))


class OwnMemory:
    """Arrays that results are views of, of half as many bytes in all as `Settings.kept_memory`.

    That a result is gone is seen of the number of references to its memory, when another one is needed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: weakref.WeakValueDictionary[BufferType, _Row] = weakref.WeakValueDictionary()

    def row(self, kind: BufferType) -> _Row:
        """The arrays of a type."""
        return self._rows.setdefault(kind, _Row(kind.nbytes))

    def keep(self, row: _Row, array: np.ndarray) -> None:
        """Keep an array, in place of others if need be."""
        limit = (settings_or_none() or DEFAULT).kept_memory // 2
        with self._lock:
            rows = [other for other in self._rows.values() if other is not row]
            excess = sum(len(other) * other.nbytes for other in (*rows, row)) + row.nbytes - limit
            for other in (*rows, row):
                while other and excess > 0:
                    del other[:1]
                    excess -= other.nbytes
            if excess <= 0:
                row.append(array)

    def release(self) -> None:
        """Let go of all arrays."""
        for row in tuple(self._rows.values()):
            row.clear()

    def close(self) -> None:
        """Let go of all arrays, and never wait: a process that was forked has no use for its parent's."""
        self._lock = threading.Lock()
        self.release()

    @property
    def stats(self) -> dict[str, int]:
        """How many arrays are kept that nobody has a view of, and of how many bytes."""
        idle = [(row.idle(), row.nbytes) for row in tuple(self._rows.values())]
        return {"buffers": sum(count for count, _ in idle), "bytes": sum(count * nbytes for count, nbytes in idle)}


kept = OwnMemory()
# A thread of the parent's may have been in there.
os.register_at_fork(after_in_child=kept.close)


def maker(kind: BufferType) -> Callable[[], np.ndarray]:
    """The function that makes writable arrays of a type and of any contents."""
    if not is_recycled(kind) or not _COUNTS_REFERENCES:
        return functools.partial(np.empty, kind.shape, kind.dtype)
    row = kept.row(kind)

    def borrow() -> np.ndarray:
        for _ in range(_MOST_LOOKED_AT):
            try:
                array = row.pop()  # no other thread sees it then
            except IndexError:
                break
            if getrefcount(array.base) == _IDLE:
                view = array.view()
                row.append(array)
                return view
            row.insert(0, array)
        array = _placed(kind)
        view = array.view()
        kept.keep(row, array)
        return view

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
