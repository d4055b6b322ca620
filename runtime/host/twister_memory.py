"""The state of the Mersenne Twister where it lies in memory, as NumPy and Python take 40 us to give or to take one.

`BitGenerator.ctypes.state_address` is where a generator has its words, and how many of them are used up. The normal
number that a `RandomState` has left lies in its object. Both are looked at once, beside what `get_state` says. A
`random.Random` has the words in its object, behind how many of them are used up, and the number as an attribute.
"""

from __future__ import annotations

import ctypes
import functools
import random
import struct
import sys
import sysconfig
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


class PythonMemory:
    """The memory of the state of a generator of Python's."""

    def __init__(self, generator: random.Random) -> None:
        self._kept: Any = generator
        self._words = _of_python(generator)
        self._made = functools.partial(np.zeros, WORDS + 2, np.uint64)

    def read(self) -> np.ndarray:
        """The words of the state."""
        found = self._made()
        found[: WORDS - 1], found[WORDS - 1] = self._words[1:], self._words[0]
        number = self._kept.gauss_next
        if number is not None:
            found[WORDS], found[WORDS + 1] = _ONE, np.float64(number).view(np.uint64)
        return found

    def write(self, state: np.ndarray) -> None:
        """Give the generator the state that these words are."""
        self._words[1:], self._words[0] = state[: WORDS - 1], state[WORDS - 1]
        self._kept.gauss_next = float(state[WORDS + 1 :].view(np.float64)[0]) if state[WORDS] else None


def _of_python(generator: random.Random) -> np.ndarray:
    memory: Any = (ctypes.c_uint32 * WORDS).from_address(id(generator) + object.__basicsize__)
    found: np.ndarray = np.frombuffer(memory, np.uint32)
    return found


@functools.lru_cache(maxsize=4)  # which keep their generators
def memory_of_python(generator: random.Random) -> PythonMemory | None:
    """Where the state of a generator lies; None where memory is not as it is thought to be."""
    return PythonMemory(generator) if python_has_words() else None


@functools.cache
def python_has_words() -> bool:
    """Return whether a `random.Random` has its words where they are thought to be, and Python's lock guards them."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    generator = random.Random(1)
    size = random.Random.__basicsize__
    if size < object.__basicsize__ + 4 * WORDS:
        return False
    memory = _of_python(generator)
    for _ in range(2):
        _, state, _ = generator.getstate()
        if not np.array_equal(memory, [state[-1], *state[:-1]]):
            return False
        memory[7], memory[0] = 11, 13
    return True


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
