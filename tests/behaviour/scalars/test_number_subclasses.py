"""Members of an `IntEnum`, and other numbers of subclasses of int and float, beside numbers known only at run time."""

from __future__ import annotations

import enum
import math

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()


class Level(enum.IntEnum):
    ZERO = 0
    LOW = 1
    HIGH = 10


class Permission(enum.IntFlag):
    READ = 4
    WRITE = 2


class Metres(float):
    pass


class Odd(int):
    def __radd__(self, other):
        return other * 1000

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


@case((1,), (10,), (-5,))
def operators(k):
    high = Level.HIGH
    return k + high, high - k, k // high, k % high, high**2 * k, k / high, divmod(k, high), k & high, k << Level.LOW


@case((1,), (10,), (-5,))
def comparisons(k):
    return k < Level.HIGH, Level.HIGH >= k, k == Level.LOW, Level.LOW != k, [k, 1] < [Level.HIGH, 2], k in list(Level)


@case((1,), (10,), (5,))
def counted(k):
    total = 0
    level = Level.LOW
    for one in Level:
        if k >= one:
            total += one
            level = level + k
    match k:
        case Level.HIGH:
            return "high", total, level
    return round(k + 0.123, Level.LOW), pow(k, Level.HIGH, 7), math.ldexp(k, Level.LOW), total, level


@case((1,), (2,))
def divided_by_zero(k):
    return k // Level.ZERO


@case((1.5,), (-2.0,))
def floats(x):
    return x * Metres(2.5), Metres(3.5) // x, x < Metres(2.0), x + Level.HIGH, Level.LOW / x


@case((1,), (5,))
def operators_of_the_class(k):
    return k + Odd(5), k == Odd(7), k - Odd(2), Odd(2) * k


@case((np.int8(3),), (np.int8(120),))
def numpy_numbers(k):
    return k + Level.HIGH, np.full(2, k) * Level.LOW, k * Metres(2.5)


@case((3,), (118,), (300,))
def elements(k):
    a = np.zeros(3, dtype=np.int8)
    a[0] = Level.HIGH
    a[1] = Odd(k)
    a[Level.LOW] += Level.LOW
    return a


@pytest.mark.parametrize("program", case.programs)
def test_as_eager(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", [lambda k: k & Permission.READ, lambda k: Permission.WRITE | k])
def test_flags_are_refused(program) -> None:
    with pytest.raises(UnsupportedOperationError, match="take its value"):
        jit(program)(6)
