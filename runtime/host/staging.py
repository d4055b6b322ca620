"""Memory of the host as XLA's arguments and results: small arguments are copied, large ones stay where they are."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.host.buffer_types import BufferType, DeviceBuffer
from anabranch.runtime.host.callbacks import ArgumentMismatchError

_ALIGNMENT = 64
# Arguments up to this size are copied into aligned memory that XLA already knows: making XLA a buffer costs 3 to 6 µs.
_COPIED_BYTES = 16 * 1024
# Larger ones are where their memory is not aligned; fresh memory costs page faults, so each executable keeps so much.
_KEPT_BYTES = 1024 * 1024


def adopter(kind: BufferType) -> Callable[[DeviceBuffer], np.ndarray]:
    """How a result of this type becomes a writable ndarray that stands on, and keeps alive, XLA's memory."""
    shape, dtype, ndarray = kind.shape, kind.dtype, np.ndarray
    if kind.nbytes == 0:
        return lambda result: ndarray(shape, dtype)
    # Any: typing knows neither attributes of ctypes objects nor that they are buffers.
    from_address: Any = (ctypes.c_char * kind.nbytes).from_address

    def adopt(result: DeviceBuffer) -> np.ndarray:
        memory = from_address(result.unsafe_buffer_pointer())
        memory.owner = result
        return ndarray(shape, dtype, memory)

    return adopt


def reader(kind: BufferType) -> Callable[[DeviceBuffer], bool | int | float | complex]:
    """How a 0-d result becomes a Python number."""
    scalar = _CTYPES.get(kind.dtype)
    if scalar is None:
        adopt = adopter(kind)
        return lambda result: adopt(result).item()
    from_address: Any = scalar.from_address
    return lambda result: from_address(result.unsafe_buffer_pointer()).value


_CTYPES = {
    np.dtype(np.bool_): ctypes.c_bool,
    np.dtype(np.int32): ctypes.c_int32,
    np.dtype(np.int64): ctypes.c_int64,
    np.dtype(np.float64): ctypes.c_double,
}


def aligned(kind: BufferType) -> np.ndarray:
    """Uninitialised memory that XLA takes as it is."""
    memory = np.empty(kind.nbytes + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start : start + kind.nbytes].view(kind.dtype).reshape(kind.shape)


def aligned_copy(array: np.ndarray, kind: BufferType) -> np.ndarray:
    """The array's values in memory of its own that XLA takes as it is."""
    memory = aligned(kind)
    memory[...] = array
    return memory


# Where an ndarray object holds the address of its memory: NumPy's binary interface promises that it comes first.
_ADDRESS = object.__basicsize__


def address(array: np.ndarray) -> int:
    """Where an array's memory is, as `array.ctypes.data` says in ten times the time."""
    return ctypes.c_size_t.from_address(id(array) + _ADDRESS).value


def is_staged(kind: BufferType) -> bool:
    """Return whether arguments of this type are always copied into staging memory."""
    return 0 < kind.nbytes <= _COPIED_BYTES


class Staging:
    """Where one call's arguments stand for XLA: small ones are copied into memory kept from call to call.

    Attributes
    ----------
    buffers : list
        XLA's buffers, in the order of the arguments.
    memories : list of ndarray
        Those of the arguments that are always copied.
    """

    __slots__ = ("_kinds", "_large", "_place", "buffers", "memories")

    def __init__(self, kinds: Sequence[BufferType], place: Callable[[np.ndarray, BufferType], DeviceBuffer]) -> None:
        self._kinds = kinds
        self._place = place
        self._large = {i: _Large(kind, place) for i, kind in enumerate(kinds) if not is_staged(kind)}
        self.memories: list[np.ndarray] = []
        self.buffers: list[Any] = []
        for kind in kinds:
            self.buffers.append(None)
            if is_staged(kind):
                memory, self.buffers[-1] = _staged(kind, place)
                self.memories.append(memory)

    def fill(self, arguments: Sequence[np.ndarray]) -> list[Any]:
        """Buffers that hold the arguments until the next `fill`, or for as long as the caller leaves them unchanged."""
        memories = iter(self.memories)
        for index, (kind, argument) in enumerate(zip(self._kinds, arguments, strict=True)):
            if argument.shape != kind.shape or argument.dtype != kind.dtype:
                found = BufferType(argument.shape, argument.dtype)
                raise ArgumentMismatchError(f"argument {index} is {found}, but the program was compiled for {kind}")
            large = self._large.get(index)
            if large is None:
                next(memories)[...] = argument
            else:
                self.buffers[index] = large.placed(argument)
        return self.buffers

    def placed(self, index: int, argument: np.ndarray) -> DeviceBuffer:
        """The buffer of an argument that is not always copied."""
        return self._large[index].placed(argument)


def _staged(
    kind: BufferType, place: Callable[[np.ndarray, BufferType], DeviceBuffer]
) -> tuple[np.ndarray, DeviceBuffer]:
    """Memory, and XLA's buffer on it."""
    memory = aligned(kind)
    return memory, place(memory, kind)


class _Large:
    """One argument's buffer: on its own memory where that suits XLA, else on a copy."""

    __slots__ = ("_address", "_buffer", "_kind", "_place", "_staged")

    def __init__(self, kind: BufferType, place: Callable[[np.ndarray, BufferType], DeviceBuffer]) -> None:
        self._kind, self._place = kind, place
        self._address = -1
        self._buffer: DeviceBuffer  # of the address, once there is one
        self._staged: tuple[np.ndarray, DeviceBuffer] | None = None

    def placed(self, array: np.ndarray) -> DeviceBuffer:
        """XLA's buffer, valid while the array lives and is not written to."""
        at = address(array)
        # XLA would copy memory that doesn't suit it on a thread of its own, and run the program there too.
        if at % _ALIGNMENT or not array.flags.c_contiguous or not self._kind.nbytes:
            return self._copied(array)
        if self._address != at:
            # XLA gets the address alone, so that nothing is kept alive: any array there is the right one.
            memory: Any = (ctypes.c_char * self._kind.nbytes).from_address(at)
            self._buffer = self._place(np.ndarray(self._kind.shape, self._kind.dtype, memory), self._kind)
            self._address = at
        return self._buffer

    def _copied(self, array: np.ndarray) -> DeviceBuffer:
        if not 0 < self._kind.nbytes <= _KEPT_BYTES:
            return self._place(aligned_copy(array, self._kind), self._kind)
        if self._staged is None:
            self._staged = _staged(self._kind, self._place)
        memory, buffer = self._staged
        memory[...] = array
        return buffer
