"""The state of NumPy's Mersenne Twister where it lies in memory, as NumPy takes 40 us to give or to take one.

`BitGenerator.ctypes.state_address` is where a generator has its words, and how many of them are used up. The normal
number that a `RandomState` has left lies in its object. Both are looked at once, beside what `get_state` says.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import sys
from typing import Any

import numpy as np

WORDS = 625  # those of the algorithm, and how many of them are used up
_ONE = np.uint64(1)


class TwisterMemory:
    """The memory of a generator's state, from which its words are taken, and to which they are given.

    Parameters
    ----------
    generator : numpy.random.Generator or numpy.random.RandomState
        Whose words these are.
    bits : numpy.random.MT19937
        Its bit generator, which is kept, as its memory is looked at.
    offset : int or None
        Where in its object a `RandomState` has the number that is left; None for other generators.
    """

    def __init__(self, generator: object, bits: Any, offset: int | None) -> None:
        self.bits, self._kept, self._lock = bits, generator, bits.lock
        self.words = words(bits)
        self._gauss = None if offset is None else gauss(generator, offset)
        self._made = functools.partial(np.empty, WORDS + (0 if offset is None else 2), np.uint64)

    def read(self) -> np.ndarray:
        """The words of the state."""
        found = self._made()
        with self._lock:
            found[:WORDS] = self.words
            if self._gauss is not None:
                found[WORDS:] = self._gauss
                found[WORDS] &= _ONE  # what lies beside the int is nobody's
        return found

    def write(self, state: np.ndarray) -> None:
        """Give the generator the state that these words are."""
        with self._lock:
            self.words[:] = state[:WORDS]
            if self._gauss is not None:
                self._gauss[:] = state[WORDS:]


def words(bits: Any) -> np.ndarray:
    """The memory of a bit generator's state, which is valid while that lives."""
    memory: Any = (ctypes.c_uint32 * WORDS).from_address(bits.ctypes.state_address)
    found: np.ndarray = np.frombuffer(memory, np.uint32)
    return found


def gauss(generator: Any, offset: int) -> np.ndarray:
    """The memory of the number that a `RandomState` has left, an int32 before it says whether there is one."""
    memory: Any = (ctypes.c_uint64 * 2).from_address(id(generator) + offset)
    found: np.ndarray = np.frombuffer(memory, np.uint64)
    return found


@functools.lru_cache(maxsize=4)  # which keep their generators
def memory_of(generator: object, bits: Any, is_legacy: bool) -> TwisterMemory | None:
    """Where the state of a generator lies; None where memory is not as it is thought to be."""
    offset = gauss_offset()
    return None if offset is None else TwisterMemory(generator, bits, offset if is_legacy else None)


@functools.cache
def gauss_offset() -> int | None:
    """Where in the object of a `RandomState` that is; None where memory is not as it is thought to be."""
    if sys.implementation.name != "cpython":
        return None
    generator = np.random.RandomState(1)
    generator.standard_normal(3)
    state: Any = generator.get_state(legacy=False)
    if not _agrees(generator):
        return None
    state["gauss"], state["has_gauss"] = 1.2345678901234567e-101, 1
    generator.set_state(state)
    size = np.random.RandomState.__basicsize__
    number = struct.pack("d", state["gauss"])
    held = ctypes.string_at(id(generator), size)
    offset = held.find(number) - 8
    if offset < 0 or offset % 8 or held.count(number) != 1:
        return None
    for has in (0, 1):
        state["has_gauss"] = has
        generator.set_state(state)
        if gauss(generator, offset)[:1].view(np.int32)[0] != has:
            return None
    return offset


def _agrees(generator: Any) -> bool:
    """Return whether what lies in memory is the state, before and after it is written to."""
    memory = words(generator._bit_generator)
    for _ in range(2):
        state: Any = generator.get_state(legacy=False)
        if not np.array_equal(memory, [*state["state"]["key"], state["state"]["pos"]]):
            return False
        memory[7], memory[-1] = 11, 13
    return True
