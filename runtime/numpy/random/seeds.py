"""States of the Mersenne Twister made of seeds, by the loops of its authors, as NumPy and Python have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.host.generator_state import GeneratorKind
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy import core
from anabranch.runtime.numpy.random import bits, draws
from anabranch.runtime.ops.random_draws import DrawCall
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.control_of_atoms import counted
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_operands import raised
from anabranch.runtime.values.random_generators import TracedGenerator
from anabranch.runtime.values.tracer import Tracer

_LENGTH, _MASK = 624, 0xFFFFFFFF
_FACTOR, _MIXING, _LAST_MIXING = 1812433253, 1664525, 1566083941
_FIRST_OF_KEYS = 19650218  # the seed of the words that keys are mixed with


def seed(generator: TracedGenerator, args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    """Give a generator the state of a seed that is known, or an int; return whether that could be done."""
    values = (*args, *kwargs.values())
    kind = generator.generator_kind
    if kind.algorithm != "MT19937" or not values:
        return False
    if not any(map(core.traced_inside, values)):
        draws.trial(generator, DrawCall("seed", tuple(args), tuple(kwargs.items())), ())
        _give(generator, Literal(core.frozen(kind.read(kind.scratch()))), draws.is_off(generator))
        return True
    number = values[0] if len(values) == 1 else None
    if not isinstance(number, Tracer) or not is_made(kind, number):
        return False
    value = wrap.as_atom(number)
    wrong = fail_if_refused(kind, value)
    off = draws.is_off(generator)
    _give(generator, words_of(kind, value), off if wrong is None else atoms.logical_or(off, wrong))
    return True


def _give(generator: TracedGenerator, state: Atom, off: Atom) -> None:
    words = generator.state_words
    words.overwrite(atoms.select(off, words.atom, state))


def is_made(kind: GeneratorKind, number: Tracer) -> bool:
    """Return whether the state of a seed known at run time is made in the Program: an int that the kind takes."""
    if number.abstract.shape or number.abstract.dtype.kind not in "iu":
        return False
    return number.abstract.kind is Kind.PYTHON if kind.bits is None else kind.is_legacy and kind.algorithm == "MT19937"


def fail_if_refused(kind: GeneratorKind, number: Atom) -> Atom | None:
    """Fail at run time where an int is no seed of this kind; returns whether it is none, or None if all are."""
    if kind.bits is None:
        return None
    wrong = atoms.ufunc(np.less, number, atoms.literal(0, number.type.dtype))
    if number.type.dtype.itemsize == 8:
        wrong = atoms.logical_or(wrong, atoms.ufunc(np.greater, number, atoms.literal(_MASK, number.type.dtype)))
    run_time_checks.fail_if(wrong, raised(kind.seeded, -1))
    return wrong


def words_of(kind: GeneratorKind, number: Atom) -> Atom:
    """The words of the state that an int is the seed of."""
    made = _of_int(atoms.convert(number, np.uint64)) if kind.bits is not None else _of_python_int(number)
    rest = np.zeros(kind.words - _LENGTH, np.uint64)
    rest[0] = _LENGTH
    return atoms.op("concatenate", made, Literal(core.frozen(rest)), axis=0)


def _of_int(number: Atom) -> Atom:
    """The words that a seed of 32 bits begins."""

    def step(index: Atom, carry: Sequence[Atom], _: object) -> Any:
        words, word = carry
        following = bits.add(_product(word, _FACTOR), bits.add(atoms.convert(index, np.uint64), 1))
        return [bits.with_item(words, index, word), bits.both(following, _MASK)], []

    empty = Literal(core.frozen(np.zeros(_LENGTH, np.uint64)))
    length = atoms.literal(_LENGTH, np.int64)
    return counted(length, _LENGTH, step, [empty, number])[0]


def _product(word: Atom, factor: int) -> Atom:
    return bits.multiply(bits.differing(word, bits.right(word, 30)), factor)


def _of_python_int(number: Atom) -> Atom:
    """The words of an int of any sign as Python has them: one or two keys, mixed into the words of a known seed."""
    zero = atoms.literal(0, np.int64)
    size = atoms.select(atoms.ufunc(np.less, number, zero), atoms.ufunc(np.subtract, zero, number), number)
    low, high = (part(atoms.convert(size, np.uint64), by) for part, by in ((bits.both, _MASK), (bits.right, 32)))
    # Where there is one key alone it is taken at each step, else the second one at each other step, with its place.
    odd = atoms.select(bits.equal(high, 0), low, bits.add(high, 1))

    def mix(index: Atom, carry: Sequence[Atom], _: object) -> Any:
        words, before = carry
        is_odd = atoms.ufunc(np.not_equal, bits.both(atoms.convert(index, np.uint64), 1), bits.word(0))
        place = atoms.ufunc(np.add, index, atoms.literal(1, np.int64))
        mixed = bits.add(bits.differing(bits.item(words, place), _product(before, _MIXING)), _key(is_odd, low, odd))
        word = bits.both(mixed, _MASK)
        return [bits.with_item(words, place, word), word], []

    def mix_again(index: Atom, carry: Sequence[Atom], _: object) -> Any:
        words, before = carry
        place = atoms.ufunc(np.add, index, atoms.literal(2, np.int64))
        mixed = bits.differing(bits.item(words, place), _product(before, _LAST_MIXING))
        word = bits.both(bits.subtract(mixed, atoms.convert(place, np.uint64)), _MASK)
        return [bits.with_item(words, place, word), word], []

    start = GeneratorKind(np.random.RandomState, np.random.MT19937)
    begun = Literal(core.frozen(start.read(start.seeded(_FIRST_OF_KEYS))[:_LENGTH]))
    steps = atoms.literal(_LENGTH - 1, np.int64)
    words, last = counted(steps, _LENGTH - 1, mix, [begun, bits.item(begun, 0)])
    # The last word stands before the first one, and the second one is mixed once more in each round.
    second = bits.both(bits.add(bits.differing(bits.item(words, 1), _product(last, _MIXING)), odd), _MASK)
    words = bits.with_item(words, 1, second)
    steps = atoms.literal(_LENGTH - 2, np.int64)
    words, last = counted(steps, _LENGTH - 2, mix_again, [words, second])
    mixed = bits.subtract(bits.differing(bits.item(words, 1), _product(last, _LAST_MIXING)), bits.word(1))
    words = bits.with_item(words, 1, bits.both(mixed, _MASK))
    return bits.with_item(words, 0, bits.word(0x80000000))


def _key(is_odd: Atom, even: Atom, odd: Atom) -> Atom:
    return atoms.select(is_odd, odd, even)
