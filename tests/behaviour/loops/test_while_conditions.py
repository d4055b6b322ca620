"""`while` loops whose condition changes something: arrays, items, attributes."""

from __future__ import annotations

import math
import types

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import same
from tests.program_table import Program, Table

case = Table()

ARRAYS = [(n, np.arange(4.0), np.arange(4.0) * 10) for n in range(8)]


def stepped(x, n):
    x[0] += 1
    return x[0] < n


@case(*ARRAYS)
def condition_that_writes_to_what_the_body_binds_anew(n, a, b):
    p = a
    while stepped(a, n):
        a = a * 2
    return p, a


@case(*ARRAYS)
def condition_that_writes_to_arrays_that_trade_places(n, a, b):
    p, q = a, b
    while stepped(a, n):
        a, b = b, a
        b[2] += 1
    return p, q, a, b


@case(*ARRAYS)
def condition_that_writes_before_an_else(n, a, b):
    p = a
    while stepped(a, n):
        a = a + 1
        if a[1] > 4:
            break
    else:
        a[3] = -1
    return p, a


@case(*ARRAYS)
def condition_that_writes_before_a_return(n, a, b):
    p = a
    while stepped(a, n):
        a = a + 1
        if a[1] > 3:
            return p, a
    a[3] = -1
    return p, a


@case(*ARRAYS)
def condition_that_writes_to_another_name_of_a_carry(n, a, b):
    p, k = a, 0
    while stepped(p, n) and k < 4:
        a = a + p
        k += 1
    return p, a, k


@case(*ARRAYS)
def condition_that_changes_an_item(n, a, b):
    count = [0]

    def more():
        count[0] += 1
        return count[0] < n

    while more():
        a[1] += count[0]
    return a, count


@case(*ARRAYS)
def condition_that_changes_an_attribute_in_a_try(n, a, b):
    box = types.SimpleNamespace(k=0)

    def more():
        box.k += 1
        return 4 // (n - box.k) > 0

    try:
        while more():
            a = a + box.k
    except ZeroDivisionError:
        a[0] = -1
    return a, box.k


@case(*ARRAYS)
def condition_that_is_known_and_changes_an_item(n, a, b):
    count = [0]

    def more():
        count[0] += 1
        return count[0] < 40

    while more():
        a[1] += count[0] * n
    return a, count


@pytest.mark.parametrize("program", case.programs)
def test_condition(program: Program) -> None:
    program.check()


def _settled(x):
    steps, before = 0, math.inf
    while steps < 2 or (abs(x - before) > 1e-3 and steps < 100):
        before = x
        x = (x / 3.0 + math.sin(x) * 2.0 - math.cos(x) / 5.0) * 1e-2
        steps += 1
    return x, steps


def _left_after_one_step(x):
    steps = 0
    while steps < 2:
        x = x / 3.0 + math.sin(x) * 2.0 - math.cos(x) / 5.0
        steps += 1
        if steps == 1:
            break
    return x, steps


@pytest.mark.parametrize("f", [_settled, _left_after_one_step])
def test_one_step_that_is_more_than_may_be_unrolled(f):
    same(f(2.0), jit(f, unroll_budget=4)(2.0))
