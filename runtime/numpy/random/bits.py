"""The bits of PCG64 and the Mersenne Twister, computed in the Program: states go in, states and words come out.

A `Bits` takes a step where nothing is off; else the state stays as it is, and the word means nothing. Words of 32 bits
are uint64s, too.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from anabranch.runtime.host.generator_state import GeneratorKind, pcg64_factor
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.control_of_atoms import counted

State: TypeAlias = tuple[Atom, ...]

_LENGTH, _MIDDLE = 624, 397  # of the Mersenne Twister
_UPPER, _LOWER, _MATRIX = 0x80000000, 0x7FFFFFFF, 0x9908B0DF


def word(value: int) -> Atom:
    """A constant."""
    return atoms.literal(value, np.uint64)


def _of(function: np.ufunc) -> Callable[[Atom, Atom | int], Atom]:
    def apply(a: Atom, b: Atom | int) -> Atom:
        return atoms.ufunc(function, a, word(b) if isinstance(b, int) else b)

    return apply


add, multiply, subtract, remainder = map(_of, (np.add, np.multiply, np.subtract, np.remainder))
both, either, differing, left, right = map(
    _of, (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift)
)
less, equal, greater = _of(np.less), _of(np.equal), _of(np.greater)


def multiply_high(a: Atom, b: Atom) -> Atom:
    """The high 64 bits of a product."""
    return atoms.op("multiply_high", a, b)


def item(words: Atom, place: Atom | int) -> Atom:
    """A word of an array, at a place in it."""
    index = atoms.literal(place, np.int64) if isinstance(place, int) else place
    return atoms.reshape(atoms.op("dynamic_slice", words, index, sizes=(1,)), ())


def with_item(words: Atom, place: Atom | int, value: Atom) -> Atom:
    """The array with another word at a place."""
    index = atoms.literal(place, np.int64) if isinstance(place, int) else place
    return atoms.op("dynamic_update_slice", words, atoms.reshape(value, (1,)), index)


class Bits(abc.ABC):
    """The algorithm of a bit generator.

    `off`: a bool, where it is true no step is taken.
    """

    def __init__(self, off: Atom) -> None:
        self.off = off

    def _unless_off(self, new: Atom, old: Atom) -> Atom:
        return atoms.select(self.off, old, new)

    @abc.abstractmethod
    def loaded(self, words: Atom) -> State:
        """The state of these words."""

    @abc.abstractmethod
    def stored(self, words: Atom, state: State) -> Atom:
        """The words of a state that was made of these."""

    @abc.abstractmethod
    def next64(self, state: State) -> tuple[State, Atom]:
        """The state after a step, and 64 bits."""

    @abc.abstractmethod
    def next32(self, state: State) -> tuple[State, Atom]:
        """The state after a step, and 32 bits."""

    @abc.abstractmethod
    def double(self, state: State) -> tuple[State, Atom]:
        """The state after a step, and a float64 from [0, 1)."""


class Pcg64(Bits):
    """PCG64: a state and an increment of 128 bits each, and half of a word that is left."""

    def loaded(self, words: Atom) -> State:
        return tuple(item(words, place) for place in range(6))

    def stored(self, words: Atom, state: State) -> Atom:
        return atoms.op("concatenate", *(atoms.reshape(s, (1,)) for s in state), axis=0)

    def next64(self, state: State) -> tuple[State, Atom]:
        low, high, *rest = state
        factor_high, factor_low = divmod(pcg64_factor(), 2**64)
        product = multiply(low, factor_low)
        new_low = add(product, rest[0])
        carry = atoms.convert(less(new_low, product), np.uint64)
        new_high = add(
            add(multiply_high(low, word(factor_low)), multiply(high, factor_low)), multiply(low, factor_high)
        )
        new_high = add(add(new_high, rest[1]), carry)
        mixed, turn = differing(new_low, new_high), right(new_high, 58)
        turned = either(right(mixed, turn), left(mixed, both(subtract(word(0), turn), 63)))
        return (self._unless_off(new_low, low), self._unless_off(new_high, high), *rest), turned

    def next32(self, state: State) -> tuple[State, Atom]:
        *fixed, is_left, half = state
        has = atoms.ufunc(np.not_equal, is_left, word(0))
        stepped, new = self.next64(state)
        after = [atoms.select(has, old, made) for old, made in zip(fixed, stepped, strict=False)]
        now_left = self._unless_off(subtract(word(1), is_left), is_left)
        now_half = self._unless_off(atoms.select(has, half, right(new, 32)), half)
        return (*after, now_left, now_half), atoms.select(has, half, both(new, 2**32 - 1))

    def double(self, state: State) -> tuple[State, Atom]:
        state, bits = self.next64(state)
        return state, _scaled(as_float(right(bits, 11)))


class Mt19937(Bits):
    """The Mersenne Twister: 624 words, and how many of them are used up."""

    def loaded(self, words: Atom) -> State:
        return (words,)

    def stored(self, words: Atom, state: State) -> Atom:
        return state[0]

    def next64(self, state: State) -> tuple[State, Atom]:
        state, high = self.next32(state)
        state, low = self.next32(state)
        return state, either(left(high, 32), low)

    def next32(self, state: State) -> tuple[State, Atom]:
        (words,) = state
        used = item(words, _LENGTH)
        is_due = atoms.logical_and(equal(used, _LENGTH), atoms.logical_not(self.off))
        times = atoms.convert(is_due, np.int64)
        (words,) = counted(times, None, lambda _, carry, __: ([_twisted(carry[0])], []), [words])
        place = atoms.select(is_due, word(0), used)
        found = item(words, atoms.convert(place, np.int64))
        after = with_item(words, _LENGTH, self._unless_off(add(place, 1), used))
        found = differing(found, right(found, 11))
        found = differing(found, both(left(found, 7), 0x9D2C5680))
        found = differing(found, both(left(found, 15), 0xEFC60000))
        return (after,), differing(found, right(found, 18))

    def double(self, state: State) -> tuple[State, Atom]:
        state, high = self.next32(state)
        state, low = self.next32(state)
        return state, _scaled(as_float(add(left(right(high, 5), 26), right(low, 6))))


def _twisted(words: Atom) -> Atom:
    """The next 624 words.

    The loops are those in which no place is past the end, so that several words are made at a time.
    """
    turn = _LENGTH - _MIDDLE
    for start, count, distance in ((0, turn, _MIDDLE), (turn, _MIDDLE - 1, -turn)):

        def step(index: Atom, carry: Sequence[Atom], _: object, start: int = start, distance: int = distance) -> Any:
            place, following, middle = (_shifted(index, start + by) for by in (0, 1, distance))
            return [_with_twisted(carry[0], place, following, middle)], []

        (words,) = counted(atoms.literal(count, np.int64), count, step, [words])
    last, first, middle = (atoms.literal(place, np.int64) for place in (_LENGTH - 1, 0, _MIDDLE - 1))
    return _with_twisted(words, last, first, middle)


def _shifted(index: Atom, by: int) -> Atom:
    return atoms.ufunc(np.add, index, atoms.literal(by, np.int64)) if by else index


def _with_twisted(words: Atom, place: Atom, following: Atom, middle: Atom) -> Atom:
    """The words with the next one at a place, made of those at three places."""
    mixed = either(both(item(words, place), _UPPER), both(item(words, following), _LOWER))
    odd = multiply(both(mixed, 1), _MATRIX)
    return with_item(words, place, differing(differing(item(words, middle), right(mixed, 1)), odd))


def as_float(bits: Atom) -> Atom:
    """A word below 2**63 as a float64."""
    return atoms.convert(atoms.convert(bits, np.int64), np.float64)


def _scaled(number: Atom) -> Atom:
    return atoms.ufunc(np.multiply, number, atoms.literal(2.0**-53))


def bits_of(kind: GeneratorKind) -> type[Bits] | None:
    """The algorithm of a kind of generators; None where it is called on the host alone."""
    if kind.algorithm == "PCG64":
        return None if kind.is_legacy else Pcg64
    return Mt19937 if kind.algorithm == "MT19937" else None
