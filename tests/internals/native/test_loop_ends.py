"""Loops that a step may leave: how long they take, and that the way out is no choice between two numbers."""

import math

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.host.llvm_pipeline import optimised
from anabranch.runtime.native.durations import last_way, loop_ends, most_work
from anabranch.runtime.ops.control import COND, FOR_UNTIL, WHILE
from anabranch.runtime.passes.range_analysis import value_ranges
from tests.equivalence import check

NUMBERS = np.random.default_rng(0).integers(0, 50, 500)


def place(a, x):
    i = 0
    while i < len(a):
        if a[i] == x:
            break
        i += 1
    else:
        return -1
    return i


def first_of_two(a, x):
    for i in range(len(a)):
        if a[i] == x:
            return i, 1
        if a[i] == x + 50:
            return i, 2
    return -1, 0


def turns(a, x):
    i = 0
    while i < len(a):
        if a[i] == x:
            i -= 1
            if x > 60:
                break
        else:
            i += 1
        x += 1
    return i, x


def ends_later(a, x):
    i = count = 0
    while True:
        if i == len(a):
            break
        count += a[i] == x
        i += 1
    return count


@pytest.mark.parametrize("function", [place, first_of_two, turns, ends_later])
@pytest.mark.parametrize("x", [7, 100, -1])
def test_as_in_eager_python(function, x):
    check(function, NUMBERS, x)


def _loop(function):
    program = jit(function).lower(NUMBERS, 3).program
    (loop,) = (e for e in program.equations if e.op in (WHILE, FOR_UNTIL))
    return program, loop


@pytest.mark.parametrize(("function", "op"), [(place, WHILE), (first_of_two, FOR_UNTIL)])
def test_the_branch_that_leaves_is_known(function, op):
    _, loop = _loop(function)
    assert loop.op is op
    ends = loop_ends(loop)
    ways = [last_way(e, ends) for e in loop.params["body"].equations if e.op is COND]
    assert 0 in ways


def test_how_long_loops_are_that_a_step_may_leave():
    for function, is_known in ((place, True), (turns, False)):
        program, _ = _loop(function)
        assert (most_work(program, value_ranges(program)) < math.inf) == is_known


def test_the_way_out_is_no_choice():
    code = jit(place).lower(NUMBERS, 3).native_program().llvm
    assert "call i1 @ask(" not in code
    body = str(optimised(code)).partition("@program")[2].partition("\n}")[0]
    assert "add nuw nsw i64" in body
    assert "zext i1" not in body
    assert "select i1" not in body
