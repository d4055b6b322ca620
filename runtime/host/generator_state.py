"""Generators of random numbers, Python's and NumPy's, and their states as arrays of 64-bit words."""

from __future__ import annotations

import functools
import random
import sys
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.host import twister_memory

_MASK = 2**64 - 1
# By bit generator the parts of its state, and how many words each has. Ints of two words have the low one first.
_COUNTED = (("has_uint32", 1), ("uinteger", 1))
_PARTS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "PCG64": (("state.state", 2), ("state.inc", 2), *_COUNTED),
    "PCG64DXSM": (("state.state", 2), ("state.inc", 2), *_COUNTED),
    "MT19937": (("state.key", 624), ("state.pos", 1)),
    "Philox": (("state.counter", 4), ("state.key", 2), ("buffer", 4), ("buffer_pos", 1), *_COUNTED),
    "SFC64": (("state.state", 4), *_COUNTED),
}
_LEGACY = (("has_gauss", 1), ("gauss", 1))
_PYTHON_WORDS = 625  # 624 of the generator, and how many of them are used up


@frozen
class GeneratorKind:
    """The class of a generator, and that of the bits it draws from.

    Attributes
    ----------
    cls : type
        `numpy.random.Generator`, `numpy.random.RandomState`, `random.Random` or a bit generator of NumPy's.
    bits : type or None
        The bit generator's class; None for Python's own generator.
    """

    cls: type
    bits: Any

    @property
    def name(self) -> str:
        """The name of its class."""
        return self.cls.__name__

    @property
    def algorithm(self) -> str:
        """The name of the algorithm that makes its bits."""
        return "MT19937" if self.bits is None else str(self.bits.__name__)

    @property
    def words(self) -> int:
        """The number of words of its state."""
        return _PYTHON_WORDS + 2 if self.bits is None else sum(count for _, count in self._parts)

    @property
    def _parts(self) -> tuple[tuple[str, int], ...]:
        return _PARTS[self.bits.__name__] + (_LEGACY if self.is_legacy else ())

    @property
    def is_legacy(self) -> bool:
        """Return whether it is a `RandomState`."""
        return self.name == "RandomState"

    @property
    def place_of_bits(self) -> str:
        """The attribute of a generator of NumPy's that has its bit generator."""
        return "_bit_generator" if self.is_legacy else "bit_generator"

    def read(self, generator: Any) -> np.ndarray:
        """The words of a generator's state."""
        if (memory := self.memory(generator)) is not None:
            return memory.read()
        if self.bits is None:
            return _python_words(generator.getstate())
        found, place = np.empty(self.words, np.uint64), 0
        state = _numpy_state(generator)
        for around, last, count in _places(self):
            part = state if around is None else state[around]
            found[place : place + count] = _words(part[last], count)
            place += count
        return found

    def write(self, generator: Any, words: np.ndarray) -> None:
        """Give a generator the state that these words are."""
        if (memory := self.memory(generator)) is not None:
            memory.write(words)
            return
        if self.bits is None:
            *ints, has_gauss, gauss = words.tolist()
            generator.setstate((3, tuple(ints), _float(gauss) if has_gauss else None))
            return
        state: dict[str, Any] = {"bit_generator": self.bits.__name__}
        place = 0
        for around, last, count in _places(self):
            inner = state if around is None else state.setdefault(around, {})
            inner[last] = _part(last, words[place : place + count])
            place += count
        if self.is_legacy:
            generator.set_state(state)
        else:
            _bits(generator).state = state

    def memory(self, generator: Any) -> twister_memory.TwisterMemory | twister_memory.PythonMemory | None:
        """Where the state lies; None for what is read and written by functions of the generator's."""
        if self.bits is None:
            return twister_memory.memory_of_python(generator)
        if self.bits.__name__ != "MT19937":
            return None
        return twister_memory.memory_of(generator, _bits(generator), self.is_legacy)

    def made(self, words: np.ndarray) -> Any:
        """A new generator of this state."""
        generator = self.seeded(0)
        self.write(generator, words)
        return generator

    def scratch(self) -> Any:
        """A generator of this kind that nobody else in this thread uses now, in whatever state."""
        found = _scratch.by_kind.get(self)
        if found is None:
            found = _scratch.by_kind[self] = self.seeded(0)
        return found

    def seeded(self, seed: Any) -> Any:
        """A new generator of this seed."""
        if self.cls is self.bits or self.bits is None or (self.is_legacy and self.algorithm == "MT19937"):
            return self.cls(seed)
        return self.cls(self.bits(seed))


@frozen
class OutsideGenerator:
    """A generator that a compiled function knows from outside, of the kind that it is compiled for."""

    generator: Any
    kind: GeneratorKind

    @property
    def memory(self) -> twister_memory.TwisterMemory | twister_memory.PythonMemory | None:
        """Where its state lies, as long as it has these bits; None as for its kind."""
        return self.kind.memory(self.generator)

    def read(self) -> np.ndarray:
        """The words of its state.

        Raises
        ------
        RuntimeError
            Where `numpy.random.set_bit_generator` has given it other bits meanwhile.
        """
        cls, bits = self.kind.cls, self.kind.bits
        if type(self.generator) is not cls or (bits is not None and type(_bits(self.generator)) is not bits):
            raise RuntimeError(
                f"the {self.kind.name} that the function draws from has other bits than {self.kind.algorithm} now"
            )
        return self.kind.read(self.generator)


@functools.cache
def _places(kind: GeneratorKind) -> tuple[tuple[str | None, str, int], ...]:
    """The parts of a state: the dict within the state that one is in, its name there, and how many words it has."""
    rows = []
    for path, count in kind._parts:
        around, _, last = path.rpartition(".")
        rows.append((around or None, last, count))
    return tuple(rows)


class _Scratch(threading.local):
    def __init__(self) -> None:
        self.by_kind: dict[GeneratorKind, Any] = {}


_scratch = _Scratch()


def kind_of(value: Any) -> GeneratorKind | None:
    """The kind of a generator; None for any other value, a generator of a subclass or of other bits."""
    cls: Any = type(value)
    if cls is random.Random:
        return GeneratorKind(cls, None)
    if "numpy.random" not in sys.modules:  # NumPy imports it when somebody asks for it
        return None
    if cls is np.random.Generator:
        return _kind(cls, type(value.bit_generator))
    if cls is np.random.RandomState:
        return _kind(cls, type(value._bit_generator))
    return None


@functools.cache
def pcg64_factor() -> int:
    """The number of 128 bits that PCG64 multiplies its state by: what becomes of 1, but for the increment."""
    bits = np.random.PCG64(0)
    state: Any = {"state": 1, "inc": 1}
    bits.state = {"bit_generator": "PCG64", "state": state, "has_uint32": 0, "uinteger": 0}
    bits.random_raw()
    found: int = bits.state["state"]["state"] - 1
    return found


def is_generator(value: object) -> bool:
    """Return whether a value draws random numbers, whatever its class and bits are."""
    if isinstance(value, random.Random):
        return True
    kinds = (
        (np.random.Generator, np.random.RandomState, np.random.BitGenerator) if "numpy.random" in sys.modules else ()
    )
    return isinstance(value, kinds)


def _kind(cls: type, bits: type) -> GeneratorKind | None:
    known = bits.__name__ in _PARTS and bits is getattr(np.random, bits.__name__)
    return GeneratorKind(cls, bits) if known else None


def _numpy_state(generator: Any) -> Any:
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    return _bits(generator).state


def _bits(generator: Any) -> Any:
    if isinstance(generator, np.random.RandomState):
        return generator._bit_generator
    return getattr(generator, "bit_generator", generator)


def _words(value: Any, count: int) -> Any:
    if isinstance(value, np.ndarray) or (type(value) is int and count == 1):
        return value
    if isinstance(value, float):
        return np.float64(value).view(np.uint64)
    return [int(value) >> 64 * i & _MASK for i in range(count)]


def _part(name: str, words: np.ndarray) -> Any:
    if name == "gauss":
        return _float(int(words[0]))
    if len(words) > 2 or (name == "key" and len(words) == 2):
        return words.astype(np.uint32) if len(words) == 624 else words.copy()
    numbers = words.tolist()
    return numbers[0] if len(numbers) == 1 else numbers[0] | numbers[1] << 64


def _float(word: int) -> float:
    return float(np.uint64(word).view(np.float64))


def _python_words(state: tuple[int, tuple[int, ...], float | None]) -> np.ndarray:
    _, ints, gauss = state
    rest = (0, 0) if gauss is None else (1, int(np.float64(gauss).view(np.uint64)))
    return np.array((*ints, *rest), np.uint64)
