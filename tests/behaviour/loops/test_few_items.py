"""Loops over a few tuples or numbers that are known only at run time: steps, or one loop where these add much."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anabranch import jit
from tests.equations import every_equation
from tests.program_table import Program, Table

case = Table()
EDGES = [(0, 1, 4), (0, 2, 1), (2, 1, 2), (1, 3, 5), (2, 3, 8)]


def much(x):
    """As many equations as make a loop of a few steps worth one."""
    for _ in range(3):
        x = math.sin(x) * 1.5 + math.cos(x * 0.5) - x / 7.0
        x = x * x - math.floor(x) + abs(x) * 0.25 if x > 0.1 else x + 1.0
        x = math.sqrt(abs(x)) + math.atan2(x, 2.0) - (x // 3.0) + (x % 2.5)
    return x


@case((4, EDGES), (4, EDGES[:2]), (4, EDGES[:1]), (4, []))
def distances(n, edges):
    found = [float("inf")] * n
    before = [None] * n
    found[0] = 0
    for _ in range(n):
        changed = False
        for u, v, w in edges:
            if found[u] + w < found[v]:
                found[v] = found[u] + w
                before[v] = u
                changed = True
        if not changed:
            break
    return found, before


@case(([1.0, 2.5, 3.0], 1.0), ([1.0, 2.5, 3.0], 100.0), ([0.5] * 8, 1.0))
def left_early(values, limit):
    total = 0.0
    for v in values:
        total += much(v)
        if total > limit:
            return total, v
    return total, None


@case(([(1, 2.0), (3, 4.0)],), ([(1, 2.0), (3, 4.0), (5, 6.5)],))
def sizes_from_counts(pairs):
    count, total = 0, 0.0
    for i, x in pairs:
        total += much(x) * i
        count += 1
    return np.zeros(count) + total


@case(([3.0, 1.0, 2.0],), ([1.0, 2.0],))
def lists_that_grow(values):
    out = []
    for v in values:
        out.append(much(v))
    return out, len(out)


@case(([3.0, 1.0, 2.0],))
def items_written_while_gone_over(values):
    total = 0.0
    for v in values:
        total = total * 0.5 + much(v)
        values[2] = total
    return total


@case(([3.0, 1.0],))
def items_appended_while_gone_over(values):
    total = 0.0
    for v in values:
        total = total * 0.5 + much(v)
        if len(values) < 5:
            values.append(v + 1.0)
    return total


@case(((3, 1.0, 2), 2.0), ((1.0, 2.0), 1))
def a_tuple_of_several_kinds(values, x):
    for v in values:
        x = x * v + much(x)
    return x


@case(([(0.0, 1.0), (1.0, 3.0), (2.0, 2.0)], np.arange(6.0)))
def writes_of_arrays(points, a):
    last = None
    for x, y in points:
        a[int(x)] += much(y)
        a[1:] *= 0.5
        last = (x, y)
    return last


@case(([1.0, -2.0, 0.5],))
def failures(values):
    total = 0.0
    for v in values:
        total += much(v)
        if v < 0:
            raise ValueError("negative")
    return total


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


def test_one_loop_where_steps_add_much():
    def f(values):
        total = 0.0
        for v in values:
            total += much(v)
        return total

    few, more = (sum(1 for _ in every_equation(jit(f).trace([1.0] * n).program)) for n in (3, 8))
    assert more <= few + 10


def test_steps_where_they_add_little():
    def f(values):
        count = 0
        for v in values:
            count += 1
            if v > 5.0:
                values[0] = v
        return np.zeros(count).shape

    Program(f, (([1.0, 7.0],),), (), 0, False).check()


KNOWN = [1.0 - 0.01 * 2.0**i for i in range(7)] + [10.0**-i for i in range(1, 11)]
NAMES = {known: f"{known:.3f}" for known in KNOWN}
COUNTS = [3, 1, 4, 1, 5, 9, 2, 6, 5]
of_known = Table()


@of_known((2.0,), (0.3,), (1e-9,), (-1.0,))
def a_point_on_a_line(x):
    for factor in KNOWN:
        y = much(x * factor)
        if y == x:
            continue
        if y < 0.5:
            return factor, y
    raise ValueError("no point")


@of_known((2.0,))
def known_floats_that_lead_to_sizes_and_keys(x):
    made = []
    for factor in KNOWN:
        made.append(np.full(int(factor * 3), much(x)))
        x = x + len(NAMES[factor])
    return made, x


@of_known((2.0,))
def known_floats_of_a_list_that_grows(x):
    points = list(KNOWN)
    for point in points:
        x = much(x) + point
        if len(points) < 20:
            points.append(5.0)
    return x, points


@of_known((2.0,))
def known_ints_that_are_sizes(x):
    found = []
    for n in COUNTS:
        found.append(np.arange(n) * much(x))
    return found


@of_known(
    (2.0, 1.0),
)
def known_ints_in_many_steps(x, limit):
    total = 0
    for n in COUNTS * 30:
        if much(x / n) > limit:
            total += n
    return total


@pytest.mark.parametrize("program", of_known.programs)
def test_numbers_known_while_tracing(program: Program) -> None:
    program.check()


def test_many_known_floats_are_one_loop_where_steps_add_much():
    def f(x, known):
        for factor in known:
            x = much(x * factor)
            if x < 0.5:
                break
        return x

    few, more = (
        sum(1 for _ in every_equation(jit(f, static_argnames="known").trace(1.0, tuple(KNOWN[:n])).program))
        for n in (9, 17)
    )
    assert more <= few + 10
