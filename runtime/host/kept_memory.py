"""Memory that calls keep for one another: that of results that nobody has any more, and of copies of arguments.

Fresh memory costs page faults, for large arrays several times what the computation takes.
"""

from __future__ import annotations

import collections
import ctypes
import threading
from typing import Any

import numpy as np

from anabranch.runtime.config import settings
from anabranch.runtime.host.buffer_types import BufferType, DeviceBuffer


class KeptMemory:
    """Buffers of one client that nothing uses now, by type; of no more bytes than `Settings.kept_memory`.

    Results are given back by the collector, too, which may come while this thread, or another one, is in here: a buffer
    that then comes too early is let go.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: collections.OrderedDict[BufferType, list[DeviceBuffer]] = collections.OrderedDict()
        self._bytes = 0
        self._limit = 0

    def take(self, kind: BufferType) -> DeviceBuffer | None:
        """Return a buffer of this type, with any contents, if one is kept."""
        with self._lock:
            self._limit = settings().kept_memory
            found = self._free.get(kind)
            if not found:
                return None
            self._bytes -= kind.nbytes
            return found.pop()

    def give(self, kind: BufferType, buffer: DeviceBuffer) -> None:
        """Keep a buffer that nothing uses any more; those of types that were not given for longest go for it."""
        if kind.nbytes > self._limit or not self._lock.acquire(blocking=False):
            return
        try:
            self._free.setdefault(kind, []).append(buffer)
            self._free.move_to_end(kind)
            self._bytes += kind.nbytes
            self._shrink(self._limit)
        finally:
            self._lock.release()

    def release(self) -> None:
        """Let go of all that is kept now."""
        with self._lock:
            self._shrink(0)

    def close(self) -> None:
        """Keep nothing any more, and never wait: a process that was forked has no use for its parent's buffers."""
        self._limit = 0
        self._lock = threading.Lock()
        self._free, self._bytes = collections.OrderedDict(), 0

    @property
    def stats(self) -> dict[str, int]:
        """How many buffers are kept, and of how many bytes."""
        with self._lock:
            return {"buffers": sum(map(len, self._free.values())), "bytes": self._bytes}

    def _shrink(self, limit: int) -> None:
        while self._bytes > limit:
            kind, buffers = next(iter(self._free.items()))
            if buffers:
                buffers.pop(0)
                self._bytes -= kind.nbytes
            if not buffers:
                del self._free[kind]


class Lent:
    """A buffer that stands behind an ndarray, and is given back when that is gone."""

    __slots__ = ("_buffer", "_kept", "_kind")

    def __init__(self, kept: KeptMemory, kind: BufferType, buffer: DeviceBuffer) -> None:
        self._kept, self._kind, self._buffer = kept, kind, buffer

    def __del__(self) -> None:
        self._kept.give(self._kind, self._buffer)


def memory_of(buffer: DeviceBuffer, kind: BufferType) -> np.ndarray:
    """The memory of a buffer, which this does not keep alive."""
    # Any: typing does not know that ctypes objects are buffers.
    memory: Any = (ctypes.c_char * kind.nbytes).from_address(buffer.unsafe_buffer_pointer())
    return np.ndarray(kind.shape, kind.dtype, memory)
