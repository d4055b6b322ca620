"""The truth of objects with a `__bool__` or `__len__` of their own: asked once, of the object alone, and a bool."""

from __future__ import annotations

import numpy as np
import pytest

from tests.equivalence import check_calls
from tests.program_table import Program, Table

case = Table()


class Counting:
    def __init__(self, x):
        self.x, self.count = x, 0

    def __bool__(self):
        self.count += 1
        print("asked", self.count)
        return bool(self.x > 0)


PAIRS = ((-1.0, 2.0), (1.0, 2.0), (1.0, -2.0), (-1.0, -2.0))


@case(*PAIRS)
def conditions_of_and_and_or(x, y):
    a, b = Counting(x), Counting(y)
    if a and y > 0:
        x += 1.0
    if (a and b) or (not b and y < 0):
        x += 2.0
    n = 0
    while a and n < 3:
        n += 1
        a.x -= 1.0
    return x, 5 if not (a or b) else 6, n, a.count, b.count, [i for i in range(3) if b and i]


@case(*PAIRS)
def values_of_and_and_or(x, y):
    a, b = Counting(x), Counting(y)
    c = a or b
    d = a and b
    return c is a, d is b, 1 if c else 2, a.count, b.count


@case(*PAIRS)
def any_and_all(x, y):
    a, b = Counting(x), Counting(y)
    return any([a, b]), all([a, b]), a.count, b.count


@case(*PAIRS)
def one_of_two(x, y):
    a, b = Counting(x), Counting(y)
    chosen = a if y > x else b
    return 1 if chosen else 2, a.count, b.count


@pytest.mark.parametrize("program", case.programs)
def test_program(program: Program) -> None:
    program.check()


class Answering:
    def __init__(self, x):
        self.x = x


class NumPys(Answering):
    def __bool__(self):
        return self.x > 0 or self.x < -5


class Mixed(Answering):
    def __bool__(self):
        return bool(self.x > 0) or self.x


class Chosen(Answering):
    def __bool__(self):
        return (True, self.x)[int(self.x > 0)]


def asks(a):
    if a:
        return 1
    return 2


def asks_one_of_three(a):
    return 1 if [a, a, type(a)(a.x - 2)][int(a.x > 0) * 2] else 2


@pytest.mark.parametrize("function", [asks, asks_one_of_three, lambda a: not a, lambda a: any([0, a])])
@pytest.mark.parametrize("kind", [NumPys, Mixed, Chosen])
def test_what_is_no_bool(kind, function) -> None:
    numbers = (2.0, -1.0, np.float64(2.0), np.float64(-1.0), np.int64(3), 0)
    check_calls(function, *((kind(x),) for x in numbers))
