"""Functions of this process that machine code calls while it has Python's lock, on arrays in its memory."""

from __future__ import annotations

import ctypes
import dataclasses
import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.host.buffer_types import BufferType
from anabranch.runtime.host.callbacks import CallbackError, HostCallback, OutOfMemoryError, PureCallback

_WORD = ctypes.sizeof(ctypes.c_void_p)
_MOST_KNOWN = 4


@frozen
class NativeCallback:
    """A host callback as machine code calls it: with the address of the addresses of operands and results."""

    function: HostCallback
    operands: tuple[BufferType, ...]
    results: tuple[BufferType, ...]
    # The arrays by their addresses, which are the same in most calls: machine code uses its memory again.
    _known: dict[bytes, list[np.ndarray]] = dataclasses.field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def __call__(self, address: int) -> None:
        """Call the function on the operands, and write what it returns to the results.

        Raises `OutOfMemoryError`. Raises `CallbackError` for any other exception of the function's: its exception is
        the `__cause__`.
        """
        buffers = (*self.operands, *self.results)
        addresses = ctypes.string_at(address, len(buffers) * _WORD)
        arrays = self._known.get(addresses)
        if arrays is None:
            arrays = list(map(_array, struct.unpack(f"{len(buffers)}N", addresses), buffers))
            self._known[addresses] = arrays
            if len(self._known) > _MOST_KNOWN:
                self._known.pop(next(iter(self._known)), None)
        try:
            self._act(arrays[: len(self.operands)], arrays[len(self.operands) :])
        except OutOfMemoryError:
            raise
        except Exception as error:
            raise CallbackError(f"a host callback raised {error!r}") from error

    def _act(self, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        if isinstance(self.function, PureCallback):
            self.function(None, *operands, *results)
            return
        for result, found in zip(results, self.function(*operands), strict=True):
            result[...] = found


def _array(address: int, kind: BufferType) -> np.ndarray:
    """The array of a type at an address."""
    size = math.prod(kind.shape) * kind.dtype.itemsize
    if not size:
        return np.empty(kind.shape, kind.dtype)
    memory: Any = (ctypes.c_char * size).from_address(address)
    return np.ndarray(kind.shape, kind.dtype, memory)
