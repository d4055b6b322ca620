"""`f(*items)` where the number of items is known only at run time."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from anabranch import ConcretizationError, jit
from tests.program_table import Program, Table

case = Table()
A = np.array([3.0, 1, 2])


def above(a, least):
    found = []
    for x in a:
        if x > least:
            found.append(x)
    return found


def each_above(a, least):
    for x in a:
        if x > least:
            yield x


class Point:
    def __init__(self, x, y, z=0.0):
        self.x, self.y, self.z = x, y, z

    def moved(self, dx, dy):
        return Point(self.x + dx, self.y - dy)


def weighed(x, y, *, weight):
    return (x - y) * weight


@case((A, 1.5), (A, 0.5), (A, 2.5), (A, 9))
def by_signatures(a, least):
    point = Point(*above(a, least))
    return point.x, point.y, point.z, weighed(*each_above(a, least), weight=2.0)


@case((A, 1.5), (A, 0.5))
def of_a_method(a, least):
    moved = Point(1.0, 2.0).moved(*above(a, least))
    return moved.x, moved.y


@case((A, 1.5), (A, 0.5), (A, 9))
def of_python_s_own(a, least):
    whole = [int(x) for x in above(a, least)]
    nested = [[x, x + 1] for x in above(a, least)]
    return max(0.0, 1.0, *above(a, least)), math.gcd(*whole), math.lcm(4, *whole), list(itertools.chain(*nested))


@case((A, 1.5), (A, 9))
def of_none(a, least):
    return min(*above(a, least))


@pytest.mark.parametrize("program", case.programs)
def test_as_eager(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("least", [1.5, 9.0])
def test_print(capsys, least) -> None:
    def shown(a, least):
        print(*above(a, least))
        print("found", *above(a, least), sep=", ", end=".\n")
        print(*each_above(a, least), "ok", sep="\n")

    shown(A, least)
    expected = capsys.readouterr().out
    for _ in range(2):
        jit(shown)(A, least)
        assert capsys.readouterr().out == expected


def test_a_function_of_any_number_is_refused() -> None:
    def total(*values):
        return sum(values)

    def f(a, least):
        return total(*above(a, least))

    with pytest.raises(ConcretizationError, match=r"total\(\*items\)"):
        jit(f)(A, 1.5)


def test_code_that_is_not_compiled_does_not_ask_without_end() -> None:
    def f(a, least):
        return {*each_above(a, least)}

    with pytest.raises(ConcretizationError, match="asked for one by one"):
        jit(f)(A, 1.5)


def test_names_of_arguments_that_a_condition_chose_are_refused_and_say_what_to_write() -> None:
    def scaled(x, scale=1.0, shift=0.0):
        return x * scale + shift

    def f(x, b):
        options = {"scale": 2.0} if b else {"shift": 3.0}
        return scaled(x, **options)

    with pytest.raises(ConcretizationError, match="or call, inside of the branches"):
        jit(f)(2.0, True)
