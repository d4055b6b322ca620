"""Lists of hundreds of numbers as arguments: their items lie side by side from the beginning."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import Outcome, alike
from tests.program_table import Program, Table

case = Table()
INTS = [v * 37 % 101 for v in range(300)]
VALUES = [(INTS,), ([float(v) for v in INTS],), ([v > 50 for v in INTS],)]


@case(*VALUES)
def chosen(xs):
    out = []
    for x in xs:
        if x > 50:
            out.append(x)
    return out, xs[0], xs[-1], len(xs), xs


@case(*VALUES[:2])
def changed(xs):
    out = []
    for i in range(len(xs)):
        xs[i] += 1
        if xs[i] % 2:
            out.append(xs[i])
    return out


@case(*VALUES)
def other_lengths(xs):
    out = []
    for x in xs:
        if x in (3, 5, 7):
            out.append(x)
    xs.append(3)
    xs.pop(0)
    xs.insert(2, 9)
    return out, xs[:5], xs.index(9), xs.count(3)


@case(*VALUES)
def other_kinds(xs):
    ys = xs
    out = []
    for x in xs:
        if x > 98:
            out.append(x)
    ys[5] = "a"
    return xs is ys, out, xs[5], xs[6]


@case(*VALUES)
def emptied(xs):
    out = []
    while xs:
        out.append(xs.pop())
    return out


@case(*VALUES)
def read_as_a_whole(xs):
    first, _, *rest = xs
    out = [x for x in rest if x > first]
    return out, max(xs), min(xs), sum(xs), sorted(xs)[:4], xs[::-1][:3], np.array(xs), tuple(xs), xs == xs[:]


@case(*VALUES)
def not_there(xs):
    out = []
    for x in xs:
        if x > 97:
            out.append(x)
    return out, xs[400]


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


def known_sizes(xs, a):
    out = []
    for x in a[0]:
        if x > 0:
            out.append(x)
    return a.reshape(xs[0], -1), out


def test_items_that_have_to_be_known():
    args = ([2, 3, 0, *range(260)], np.arange(6.0).reshape(3, 2))
    alike(Outcome(known_sizes, args, {}), Outcome(jit(known_sizes), args, {}))
