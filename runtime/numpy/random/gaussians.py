"""Normal and exponential numbers of the older generators, which are made of uniform ones and of logarithms."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.random import bits
from anabranch.runtime.numpy.random.bits import Mt19937, State
from anabranch.runtime.values import atoms, control_of_atoms

# Where a state says whether a number is left, and the number.
_HAS, _KEPT = 625, 626
_NORMAL_RATIO = 4 * math.exp(-0.5) / math.sqrt(2.0)  # Python's, of Kinderman and Monahan


def _of(function: np.ufunc) -> Callable[[Atom | float, Atom | float], Atom]:
    def apply(a: Atom | float, b: Atom | float) -> Atom:
        return atoms.ufunc(function, *[atoms.literal(x) if isinstance(x, float) else x for x in (a, b)])

    return apply


add, subtract, multiply, divide = map(_of, (np.add, np.subtract, np.multiply, np.true_divide))
less, equal, greater = map(_of, (np.less, np.equal, np.greater))


def polar(source: Mt19937, state: State) -> tuple[State, Atom]:
    """A standard normal number, as `RandomState` draws them: two at a time."""
    has, kept = _left(state)

    def test(now: State) -> Atom:
        outside = atoms.logical_or(atoms.logical_not(less(now[-1], 1.0)), equal(now[-1], 0.0))
        return atoms.logical_and(outside, atoms.logical_not(atoms.logical_or(has, source.off)))

    def step(now: State) -> State:
        *inner, _, _, _ = now
        after: State = tuple(inner)
        after, x = source.double(after)
        after, y = source.double(after)
        x, y = (subtract(multiply(2.0, v), 1.0) for v in (x, y))
        return (*after, x, y, add(multiply(x, x), multiply(y, y)))

    zero = atoms.literal(0.0)
    *inner, x, y, square = control_of_atoms.while_(test, step, (*state, zero, zero, zero))
    logarithm = multiply(-2.0, atoms.op("libm_log", square))
    factor = atoms.ufunc(np.sqrt, divide(logarithm, square))
    return _kept(source, tuple(inner), has, kept, multiply(factor, y), multiply(factor, x))


def circular(source: Mt19937, state: State) -> tuple[State, Atom]:
    """A standard normal number, as `random.gauss` draws them: two at a time."""
    has, kept = _left(state)
    off, source.off = source.off, atoms.logical_or(source.off, has)
    state, turn = source.double(state)
    state, number = source.double(state)
    source.off = off
    angle = multiply(turn, 2.0 * math.pi)
    radius = atoms.ufunc(np.sqrt, multiply(-2.0, atoms.op("libm_log", subtract(1.0, number))))
    drawn, left = (multiply(atoms.op(name, angle), radius) for name in ("libm_cos", "libm_sin"))
    return _kept(source, state, has, kept, drawn, left)


def _left(state: State) -> tuple[Atom, Atom]:
    """The bool that a number is left of the last draw, and the number."""
    (words,) = state
    has = atoms.ufunc(np.not_equal, bits.item(words, _HAS), bits.word(0))
    return has, atoms.op("bits_to_float", bits.item(words, _KEPT))


def _kept(source: Mt19937, state: State, has: Atom, kept: Atom, drawn: Atom, left: Atom) -> tuple[State, Atom]:
    """The state with what is left now, and the number: what was left before, or the one that is drawn."""
    (words,) = state
    now = atoms.op("float_to_bits", atoms.select(has, atoms.literal(0.0), left))
    flag = atoms.convert(atoms.logical_not(has), np.uint64)
    for place, value in ((_HAS, flag), (_KEPT, now)):
        words = bits.with_item(words, place, atoms.select(source.off, bits.item(words, place), value))
    return (words,), atoms.select(has, kept, drawn)


def ratio(source: Mt19937, state: State) -> tuple[State, Atom]:
    """A standard normal number, as `random.normalvariate` draws them: a ratio of two numbers that fits."""

    def step(now: State) -> State:
        after: State = now[:-2]
        after, first = source.double(after)
        after, second = source.double(after)
        second = subtract(1.0, second)
        drawn = divide(multiply(_NORMAL_RATIO, subtract(first, 0.5)), second)
        height = divide(multiply(drawn, drawn), 4.0)
        return (*after, drawn, greater(height, atoms.ufunc(np.negative, atoms.op("libm_log", second))))

    def test(now: State) -> Atom:
        return atoms.logical_and(now[-1], atoms.logical_not(source.off))

    *inner, drawn, _ = control_of_atoms.while_(test, step, step((*state, atoms.literal(0.0), atoms.literal(True))))
    return tuple(inner), drawn


def exponential(source: Mt19937, state: State) -> tuple[State, Atom]:
    """A standard exponential number, as `RandomState` and Python draw them."""
    state, number = source.double(state)
    return state, atoms.ufunc(np.negative, atoms.op("libm_log", subtract(1.0, number)))


@functools.cache
def has_fused_sums() -> bool:
    """Return whether NumPy's own code rounds products and sums at once, as compilers do for some processors."""
    drawn, doubles = np.random.RandomState(1), np.random.RandomState(1)
    return any(drawn.uniform(0.1, 0.7) != 0.1 + (0.7 - 0.1) * doubles.random_sample() for _ in range(200))
