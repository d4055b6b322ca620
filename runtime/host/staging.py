"""Memory of the host as XLA's arguments and results: small arguments are copied, large ones stay where they can."""

from __future__ import annotations

import ctypes
import math
import mmap
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from anabranch.runtime.host.buffer_types import (
    ALIGNMENT,
    BufferType,
    DeviceBuffer,
    Signature,
    offsets_type,
    window_type,
)
from anabranch.runtime.host.callbacks import ArgumentMismatchError
from anabranch.runtime.host.kept_memory import KeptMemory, Lent
from anabranch.runtime.host.object_layout import address

# Arguments up to this size are copied into aligned memory that XLA already knows: making XLA a buffer costs 3 to 6 µs.
_COPIED_BYTES = 16 * 1024
# Arguments from this size on may be read through windows: for smaller ones XLA's buffer costs what a copy costs.
_WINDOW_BYTES = 32 * 1024
# Results from this size on are computed where earlier ones stood: the C library gives such memory back to the system,
# and new pages cost more than what is computed into them.
_RECYCLED_BYTES = 128 * 1024


def adopter(kind: BufferType, kept: KeptMemory[DeviceBuffer]) -> Callable[[DeviceBuffer], np.ndarray]:
    """How a result of this type becomes a writable ndarray that stands on, and keeps alive, XLA's memory.

    Where the memory is worth keeping, it is given back when the ndarray is gone.
    """
    shape, dtype, ndarray = kind.shape, kind.dtype, np.ndarray
    if kind.nbytes == 0:
        return lambda result: ndarray(shape, dtype)
    # Any: typing knows neither attributes of ctypes objects nor that they are buffers.
    from_address: Any = (ctypes.c_char * kind.nbytes).from_address
    shelf = kept.shelf(kind)

    def adopt(result: DeviceBuffer) -> np.ndarray:
        memory = from_address(result.unsafe_buffer_pointer())
        memory.owner = result
        return ndarray(shape, dtype, memory)

    def borrow(result: DeviceBuffer) -> np.ndarray:
        memory = from_address(result.unsafe_buffer_pointer())
        memory.owner = Lent(shelf, result)
        return ndarray(shape, dtype, memory)

    return borrow if is_recycled(kind) else adopt


def reader(kind: BufferType) -> Callable[[DeviceBuffer], bool | int | float | complex]:
    """How a 0-d result becomes a Python number."""
    scalar = _CTYPES.get(kind.dtype)
    if scalar is None:
        memory: Any = ctypes.c_char * kind.nbytes
        return lambda result: np.ndarray((), kind.dtype, memory.from_address(result.unsafe_buffer_pointer())).item()
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
    memory = np.empty(kind.nbytes + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + kind.nbytes].view(kind.dtype).reshape(kind.shape)


def aligned_copy(array: np.ndarray, kind: BufferType) -> np.ndarray:
    """The array's values in memory of its own that XLA takes as it is."""
    memory = aligned(kind)
    memory[...] = array
    return memory


def is_staged(kind: BufferType) -> bool:
    """Return whether arguments of this type are always copied into staging memory."""
    return 0 < kind.nbytes <= _COPIED_BYTES


def may_have_window(kind: BufferType) -> bool:
    """Return whether arguments of this type are worth a window."""
    return kind.nbytes >= _WINDOW_BYTES


def is_recycled(kind: BufferType) -> bool:
    """Return whether results of this type are computed into memory that earlier ones had."""
    return kind.nbytes >= _RECYCLED_BYTES


Copy: TypeAlias = tuple[np.ndarray, DeviceBuffer]
"""Memory for a copy of an argument, and XLA's buffer on it."""


class StagingMemory(Protocol):
    """Where stagings have their memory from: XLA's client."""

    @property
    def kept_copies(self) -> KeptMemory[Copy]: ...

    def place(self, array: np.ndarray, kind: BufferType) -> DeviceBuffer:
        """XLA's buffer on the memory of an aligned array."""

    def result_memory(self, kind: BufferType) -> DeviceBuffer:
        """XLA's buffer whose memory, or fresh memory in its place, a result gets."""


class Staging:
    """Where one call's arguments stand for XLA: small ones are copied into memory kept from call to call."""

    __slots__ = ("_copies", "_kinds", "_large", "_recycled", "_source", "buffers", "memories")

    def __init__(self, signature: Signature, source: StagingMemory) -> None:
        self._kinds, self._source = signature.inputs, source
        self._recycled = [signature.outputs[k] for k in signature.recycled]
        self._large: dict[int, _Large] = {}
        self._copies: list[tuple[BufferType, Copy]] = []
        self.memories: list[np.ndarray] = []  # those of the arguments that are always copied
        # XLA's buffers, in the order of the arguments; after them, where there are windows, one of the offsets in
        # these.
        self.buffers: list[Any] = []
        windows = np.array(signature.windows)
        offsets = aligned(offsets_type(signature.windows))
        for index, kind in enumerate(self._kinds):
            self.buffers.append(None)
            own = np.flatnonzero(windows == index)
            if own.size:
                self._large[index] = _Window(kind, offsets[own[0] : own[-1] + 1], source)
            elif is_staged(kind):
                memory = aligned(kind)
                self.buffers[-1] = source.place(memory, kind)
                self.memories.append(memory)
            else:
                self._large[index] = _Large(kind, source)
        if windows.size:
            self.buffers.append(source.place(offsets, offsets_type(signature.windows)))

    def fill(self, arguments: Sequence[np.ndarray]) -> None:
        """Let the buffers hold the arguments, until `give_back` or for as long as the caller leaves them unchanged."""
        memories = iter(self.memories)
        for index, (kind, argument) in enumerate(zip(self._kinds, arguments, strict=True)):
            if argument.shape != kind.shape or argument.dtype != kind.dtype:
                found = BufferType(argument.shape, argument.dtype)
                raise ArgumentMismatchError(f"argument {index} is {found}, but the program was compiled for {kind}")
            if index in self._large:
                self.buffers[index] = self.placed(index, argument)
            else:
                next(memories)[...] = argument

    def placed(self, index: int, argument: np.ndarray) -> DeviceBuffer:
        """The buffer of an argument that is not always copied."""
        large = self._large[index]
        found = large.in_place(argument)
        return self._copied(large, argument) if found is None else found

    def _copied(self, large: _Large, argument: np.ndarray) -> DeviceBuffer:
        """The buffer of a copy, which the call has until it ends."""
        kind = large.buffer_kind
        copy = self._source.kept_copies.shelf(kind).take()
        if copy is None:
            memory = aligned(kind)
            copy = memory, self._source.place(memory, kind)
        large.array_in(copy[0])[...] = argument
        self._copies.append((kind, copy))
        return copy[1]

    @property
    def operands(self) -> list[Any]:
        """The operands of the executable: the arguments, and memory for results."""
        if not self._recycled:
            return self.buffers
        return [*self.buffers, *map(self._source.result_memory, self._recycled)]

    def give_back(self) -> None:
        """Let other calls have the memory of copies; nothing reads them any more."""
        if self._copies:
            for kind, copy in self._copies:
                self._source.kept_copies.shelf(kind).give(copy)
            self._copies.clear()


class _Large:
    """One argument's buffer: on its own memory where that suits XLA, else on a copy."""

    __slots__ = ("_address", "_buffer", "_kind", "_source", "buffer_kind")

    def __init__(self, kind: BufferType, source: StagingMemory) -> None:
        self._kind, self._source = kind, source
        self.buffer_kind = kind  # the buffer's type
        self._address = -1
        self._buffer: DeviceBuffer  # of the address, once there is one

    def in_place(self, array: np.ndarray) -> DeviceBuffer | None:
        """XLA's buffer, valid while the array lives and is not written to; None where its memory does not suit XLA."""
        at = address(array)
        # XLA would copy memory that doesn't suit it on a thread of its own, and run the program there too.
        if at % ALIGNMENT or not array.flags.c_contiguous or not self._kind.nbytes:
            return None
        return self._at(at)

    def _at(self, at: int) -> DeviceBuffer:
        """XLA's buffer of an address."""
        if self._address != at:
            # XLA gets the address alone, so that nothing is kept alive: any array there is the right one.
            kind = self.buffer_kind
            memory: Any = (ctypes.c_char * kind.nbytes).from_address(at)
            self._buffer = self._source.place(np.ndarray(kind.shape, kind.dtype, memory), kind)
            self._address = at
        return self._buffer

    def array_in(self, memory: np.ndarray) -> np.ndarray:
        """Where a copy of the argument stands in memory of the buffer's type."""
        return memory


class _Window(_Large):
    """One argument that the program reads where it is, at any address, as a part of a buffer that begins before it.

    The buffer begins with the line of 64 bytes in which the array begins, and may end up to a line after it. All of it
    lies in pages that hold parts of the array, so that it can be read; what is not the array's is never used.
    """

    __slots__ = ("_offset", "_offsets")

    def __init__(self, kind: BufferType, offsets: np.ndarray, source: StagingMemory) -> None:
        super().__init__(kind, source)
        self.buffer_kind = window_type(kind)
        self._offsets = offsets
        self._offset = -1

    def in_place(self, array: np.ndarray) -> DeviceBuffer | None:
        at = address(array)
        offset, rest = divmod(at % ALIGNMENT, self._kind.dtype.itemsize)
        start = at - at % ALIGNMENT
        last, last_of_buffer = at + self._kind.nbytes - 1, start + self.buffer_kind.nbytes - 1
        if rest or last // mmap.PAGESIZE != last_of_buffer // mmap.PAGESIZE or not array.flags.c_contiguous:
            return None
        self._begin_at(offset)
        return self._at(start)

    def array_in(self, memory: np.ndarray) -> np.ndarray:
        self._begin_at(0)
        return memory[: math.prod(self._kind.shape)].reshape(self._kind.shape)

    def _begin_at(self, offset: int) -> None:
        """Tell the program where in the buffer the array begins."""
        if self._offset != offset:
            self._offsets[...] = self._offset = offset
