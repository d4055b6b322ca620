"""Checks that an earlier check makes needless go; those of anything else stay, and raise as eagerly."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Literal, Program, Var
from anabranch.runtime.ir.verify import check
from anabranch.runtime.passes.check_elimination import eliminate_checks
from anabranch.runtime.passes.checks import discharge_checks
from tests.equations import B, I, equation, ops
from tests.equivalence import check as equal

CODE = Literal(np.int32(0)).type


def number(n):
    return Literal(np.array(n, np.int32))


def checks(function, *args):
    """The numbers of checks before and after the pass."""
    program = jit(function).trace(*args).program
    after = eliminate_checks(program)
    check(after)
    check(discharge_checks(after))
    return ops(program).count("check"), ops(after).count("check")


def test_one_check_sets_the_code_and_its_details():
    code, pred, detail, kept, after, told = Var(CODE), Var(B), Var(I), Var(I), Var(CODE), Var(I)
    one = equation("check", (code, pred, number(3), detail, kept), (after, told))
    program = Program((code, pred, detail, kept), (one,), (after, told))
    check(program)
    for stage in (program, discharge_checks(program)):
        for given, want in (((0, True, 7, 9), (3, 7)), ((0, False, 7, 9), (0, 9)), ((2, True, 7, 9), (2, 9))):
            args = (np.int32(given[0]), np.bool_(given[1]), np.int64(given[2]), np.int64(given[3]))
            assert evaluate(stage, *args) == want


def read_and_write(a, i):
    if a[i] > 0:
        a[i] += 1
    return a


def in_steps(a, idx, n):
    for k in range(n):
        j = idx[k]
        if a[j] > 0:
            a[j] -= 1
        else:
            a[j] += 2
    return a


def before_a_loop(a, i, n):
    a[i] = 1
    for _ in range(n):
        a[i] += 2
    return a[i]


def after_a_branch(a, i, c):
    a[i] = 1
    b = 0.0
    if c > 0:
        b = a[c]
    return a[i] + b


A, IDX = np.arange(5.0), np.array([0, 4, -1, 2, 3])
INDICES = [-6, -5, -1, 0, 4, 5]


@pytest.mark.parametrize(
    ("function", "rest", "left"),
    [
        (read_and_write, (), 1),
        (before_a_loop, (4,), 1),
        (after_a_branch, (2,), 2),
        (after_a_branch, (7,), 2),
    ],
)
def test_what_was_checked_is_not_checked_again(function, rest, left):
    before, after = checks(function, A, np.int64(1), *rest)
    assert (after, before > after) == (left, True)
    for i in INDICES:
        equal(function, A, np.int64(i), *rest)


def test_each_step_checks_what_it_reads_once():
    assert checks(in_steps, A, IDX, 5)[1] == 2
    equal(in_steps, A, IDX, 5)
    for bad in (5, -6, 2**62):
        equal(in_steps, A, np.array([0, 1, bad, 2, bad]), 5)


# ---- checks that look alike and stay ---------------------------------------------------------------------------------


def only_in_one_branch(a, i, c):
    if c > 0:
        a[i] = 1
    return a[i]


def only_in_some_steps(a, i, n):
    for _ in range(n):
        a[i] += 1
    return a[i]


def caught_before(a, i):
    try:
        a[i] = 1
    except IndexError:
        a[0] = -1
    return a[i]


def caught_twice(a, i):
    found = 0
    for _ in range(2):
        try:
            a[i] += 1
        except IndexError:
            found += 1
    return found, a


def rebound(a, i, n):
    for k in range(n):
        a[i] += 1
        i = i + k
    return a, i


@pytest.mark.parametrize("function", [only_in_one_branch, only_in_some_steps, rebound])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_what_was_not_always_checked_is(function, n):
    for i in INDICES:
        equal(function, A, np.int64(i), np.int64(n))


@pytest.mark.parametrize("function", [caught_before, caught_twice])
def test_what_was_caught_fails_again(function):
    for i in INDICES:
        equal(function, A, np.int64(i))


def test_the_first_failure_is_the_one_that_is_told():
    def f(a, i, j):
        return a[i] + a[j] + a[i]

    for i in INDICES:
        for j in INDICES:
            equal(f, A, np.int64(i), np.int64(j))
