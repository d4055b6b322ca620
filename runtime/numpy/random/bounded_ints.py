"""Ints up to a bound from the words of a bit generator, each in the way of one library."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.runtime.host.machine_code import NativeOptions
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.random import bits, draws
from anabranch.runtime.numpy.random.bits import Bits, State
from anabranch.runtime.values import atoms, control_of_atoms
from anabranch.runtime.values.control_of_atoms import counted
from anabranch.runtime.values.random_generators import TracedGenerator

# From a state to the next one, and a number.
Sample: TypeAlias = Callable[[State], tuple[State, Atom]]

_HALF = 2**32 - 1


def multiplied(source: Bits, state: State, most: Atom) -> tuple[State, Atom]:
    """The high half of a product, drawn again where that is not fair: `Generator.integers`."""
    count = bits.add(most, 1)

    def product(state: State) -> tuple[State, Atom]:
        state, number = source.next32(state)
        return state, bits.multiply(number, count)

    def halves(state: State) -> State:
        unfair = bits.remainder(bits.subtract(bits.word(_HALF), most), count)
        *after, number = _until(source, lambda n: bits.less(bits.both(n, _HALF), unfair), product, state)
        return (*after, bits.right(number, 32))

    def wholes(state: State) -> State:
        is_all = bits.equal(count, 0)
        unfair = bits.remainder(bits.subtract(bits.word(2**64 - 1), most), atoms.select(is_all, bits.word(1), count))
        *after, number = _until(source, lambda n: bits.less(bits.multiply(n, count), unfair), source.next64, state)
        return (*after, atoms.select(is_all, number, bits.multiply_high(number, count)))

    *after, number = control_of_atoms.cond(bits.greater(most, _HALF), wholes, halves, state)
    return tuple(after), number


def masked(source: Bits, state: State, most: Atom) -> tuple[State, Atom]:
    """As many bits as the bound has, drawn until they are not more: `RandomState.randint`."""
    mask = _mask(most)

    def halves(state: State) -> tuple[State, Atom]:
        state, number = source.next32(state)
        return state, bits.both(number, mask)

    def wholes(state: State) -> tuple[State, Atom]:
        state, number = source.next64(state)
        return state, bits.both(number, mask)

    return _fitting(source, state, most, bits.greater(most, _HALF), halves, wholes)


def leading(source: Bits, state: State, most: Atom) -> tuple[State, Atom]:
    """As many leading bits as the count of numbers has, drawn until they fit: what Python's generator does."""
    count = atoms.convert(atoms.ufunc(np.bitwise_count, _mask(bits.add(most, 1))), np.uint64)

    def halves(state: State) -> tuple[State, Atom]:
        state, number = source.next32(state)
        return state, bits.right(number, bits.subtract(bits.word(32), count))

    def wholes(state: State) -> tuple[State, Atom]:
        state, low = source.next32(state)
        state, high = source.next32(state)
        return state, bits.either(bits.left(bits.right(high, bits.subtract(bits.word(64), count)), 32), low)

    return _fitting(source, state, most, bits.greater(count, 32), halves, wholes)


def _fitting(
    source: Bits, state: State, most: Atom, is_wide: Atom, halves: Sample, wholes: Sample
) -> tuple[State, Atom]:
    """A number that is not more than the bound, of halves of words or of whole ones."""

    def drawn(sample: Sample) -> Callable[[State], State]:
        return lambda state: _until(source, lambda number: bits.greater(number, most), sample, state)

    *after, number = control_of_atoms.cond(is_wide, drawn(wholes), drawn(halves), state)
    return tuple(after), number


def _until(source: Bits, is_bad: Callable[[Atom], Atom], sample: Sample, state: State) -> State:
    """A state and a number, which is drawn again for as long as it is bad."""

    def test(state: State) -> Atom:
        return atoms.logical_and(is_bad(state[-1]), atoms.logical_not(source.off))

    def step(state: State) -> State:
        after, number = sample(state[:-1])
        return (*after, number)

    state, number = sample(state)
    return control_of_atoms.while_(test, step, (*state, number))


def _mask(most: Atom) -> Atom:
    """As many ones as a number has bits."""
    for shift in (1, 2, 4, 8, 16, 32):
        most = bits.either(most, bits.right(most, shift))
    return most


# What the releases of NumPy that are known draw of PCG64(5): a permutation of nine, and three of ninety.
_SHUFFLED = [1, 4, 2, 3, 0, 7, 5, 6, 8, 88, 4, 25]


def shuffled(generator: TracedGenerator, x: Atom) -> Atom | None:
    """The items of a vector as `shuffle` leaves them; None where the host is called.

    Each from the last on changes places with one that is not behind it.
    """
    kind = generator.generator_kind
    algorithm, n = bits.bits_of(kind), x.type.size
    if len(x.type.shape) != 1 or n < 2 or algorithm is None or kind.bits is None or NativeOptions.in_force() is None:
        return None
    if not kind.is_legacy and not shuffles_as_known():
        return None
    source = algorithm(draws.is_off(generator))

    def step(index: Atom, carries: Sequence[Atom], _: object) -> tuple[list[Atom], list[Atom]]:
        words, items = carries
        last = atoms.ufunc(np.subtract, atoms.literal(n - 1, np.int64), index)
        state, drawn = masked(source, source.loaded(words), atoms.convert(last, np.uint64))
        place = atoms.select(source.off, last, atoms.convert(drawn, np.int64))
        one, other = bits.item(items, last), bits.item(items, place)
        return [source.stored(words, state), bits.with_item(bits.with_item(items, last, other), place, one)], []

    before = generator.state_words.atom
    after, found = counted(atoms.literal(n - 1, np.int64), n - 1, step, [before, x])
    generator.state_words.overwrite(after)
    return found


@functools.cache
def shuffles_as_known() -> bool:
    """Return whether this NumPy's `Generator` shuffles and chooses as the one that this is written for.

    Its releases may change the numbers of a `Generator`, but not those of a `RandomState`.
    """
    generator = np.random.Generator(np.random.PCG64(5))
    found = [*generator.permutation(9).tolist(), *generator.choice(90, 3).tolist()]
    return found == _SHUFFLED
