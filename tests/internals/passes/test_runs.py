"""Counts that begin again at a constant are bounded by the number of steps, as those that only grow are."""

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check, check_ints


def longest_run(a):
    run = best = 1
    for i in range(1, len(a)):
        if a[i] == a[i - 1]:
            run += 1
        else:
            run = 1
        if run > best:
            best = run
    return best


def runs(a, n):
    i = up = down = run = 0
    while i < n:
        if a[i] > 0:
            up += 1
            run += 1
        else:
            down += 1
            run = 0
        i += 1
    return up, down, run


def anew_and_more(a, start):
    run = start
    for i in range(len(a)):
        if a[i] > 0:
            run = 3
            run += 2**40
        run += 2**61
    return run


def in_a_loop(a, start):
    run = start
    for i in range(len(a)):
        if a[i] > 1:
            run = 2**62
        for _ in range(a[i]):
            run += 2**60
    return run


def at_the_edge(a, start):
    run = start
    for i in range(len(a)):
        run = 2**63 - 3 if a[i] > 0 else run + 1
    return run


def overflow_checks(function, *args) -> int:
    program = jit(function).lower(*args).program
    return str(program).count("9223372036854775806")


A = np.array([0, 1, 1, 1, 0, 0, 1, 1, 2, 2])


def test_counts_need_no_check() -> None:
    assert overflow_checks(longest_run, A) == overflow_checks(runs, A, 10) == 0
    assert overflow_checks(at_the_edge, A, 0) > 0


def test_results() -> None:
    rolled = [np.roll(A, turn) for turn in range(10)]
    check_ints(longest_run, *((a,) for a in rolled))
    check_ints(runs, *((a, 10) for a in rolled))
    check(runs, A, 11)  # a[10]


@pytest.mark.parametrize(("function", "size"), [(anew_and_more, 3), (in_a_loop, 5), (at_the_edge, 10)])
def test_overflows(function, size) -> None:
    starts = (0, 2**62, -(2**63), 2**63 - 1)
    check_ints(function, *((np.roll(A, turn)[:size], start) for start in starts for turn in range(10)))
