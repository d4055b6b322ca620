"""Shuffles: loops of bounded ints in the Program, as NumPy's generators make them."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from anabranch.runtime.host.machine_code import NativeOptions
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.random import bits, bounded_ints, draws
from anabranch.runtime.values import atoms
from anabranch.runtime.values.control_of_atoms import counted
from anabranch.runtime.values.random_generators import TracedGenerator

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
        state, drawn = bounded_ints.masked(source, source.loaded(words), atoms.convert(last, np.uint64))
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
