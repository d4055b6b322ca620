"""`bisect` on lists and arrays of run-time values, and of run-time values in plain lists."""

from __future__ import annotations

import bisect
import math
from bisect import bisect_left, insort

import numpy as np
import pytest

from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()

NUMBERS = np.array([3, 1, 4, 1, 5, 9, 2, 6])
ORDERED = np.sort(NUMBERS)
SORTED = [1.0, 2.0, 2.0, 3.5, 7.0]


@case((NUMBERS,), (NUMBERS[:0],), (ORDERED,))
def longest_increasing(a):
    tails = []
    for x in a:
        i = bisect.bisect_left(tails, x)
        if i == len(tails):
            tails.append(x)
        else:
            tails[i] = x
    return len(tails)


@case((NUMBERS,), (np.array([2.5, 0.1, 3.0]),))
def running_median(a):
    kept, out = [], []
    for x in a:
        insort(kept, x)
        n = len(kept)
        out.append(kept[n // 2] if n % 2 else (kept[n // 2 - 1] + kept[n // 2]) / 2)
    return out


@case((ORDERED, 4), (ORDERED, 1), (ORDERED, 100), (ORDERED, -3))
def of_an_array(a, x):
    return bisect_left(a, x), bisect.bisect_right(a, x), bisect.bisect(a, x, 2), bisect.bisect(a, x, 2, 5)


@case((1.5,), (9.0,), (0.5,), (float("nan"),))
def in_a_plain_list(x):
    return bisect.bisect([0.5, 1.5, 2.5], x), bisect_left([0.5, 1.5, 2.5], x), bisect_left([], x)


@case(([1, 3, 5], [2, 3, 6]), ([], [1]))
def for_each_of_another_list(a, b):
    return sum(bisect_left(a, y) for y in b), [bisect.bisect(a, y) for y in b]


@case(([(1, 4, 3), (3, 5, 4), (0, 6, 8), (5, 7, 5)],))
def weighted_jobs(jobs):
    jobs = sorted(jobs, key=lambda job: job[1])
    ends = [job[1] for job in jobs]
    best = [0]
    for i, (start, _, weight) in enumerate(jobs):
        best.append(max(best[-1], best[bisect.bisect_right(ends, start, 0, i)] + weight))
    return best


@case(([(1, 4.0), (2, 2.5), (3, 9.0)], 2.0), ([(1, 4.0), (2, 2.5), (3, 9.0)], 5.0))
def by_a_key(rows, x):
    bisect.insort_left(rows, (x, 0.0), key=lambda row: row[0])
    return bisect_left(rows, x, key=lambda row: row[0]), bisect.bisect_right(rows, 2, key=lambda row: row[0]), rows


@case(([3.0, 5.0], 4.0), ([3.0, 5.0], 9.0), ([], 1.0))
def into_an_argument(a, x):
    bisect.insort_left(a, x)
    bisect.insort(a, x * 2)
    return a


@case((NUMBERS, -1, None), (NUMBERS, 2, 4), (NUMBERS, 0, -1), (ORDERED, np.int64(3), 8))
def between_bounds(a, lo, hi):
    return bisect_left(a, 3, lo, hi)


@case(([3.0, 5.0, 7.0], 9.0, 5), ([3.0, 5.0, 7.0], 1.0, 5), ([3.0, 5.0, 7.0], 1.0, 2.0))
def up_to_a_bound_beyond_the_end(a, x, hi):
    return bisect.bisect(a, x, 0, hi)


@pytest.mark.parametrize("program", case.programs)
def test_bisection(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("function", [bisect.bisect, bisect.bisect_left, bisect.bisect_right])
@pytest.mark.parametrize("x", [0.0, 1.0, 2.0, 3.0, 7.0, 9.0, math.nan, 2])
def test_places(function, x):
    def f(a, x):
        return function(a, x)

    for a in (SORTED, tuple(SORTED), np.array(SORTED), [3.0, 1.0, 2.0], []):
        check(f, a, x)


@pytest.mark.parametrize("x", [0.0, 2.0, 2.5, 50.0])
def test_part_and_key(x):
    check(lambda a, x: bisect.bisect_left(a, x, 1, 4), SORTED, x)
    check(lambda a, x: bisect.bisect_right(a, x, lo=1), SORTED, x)
    check(lambda a, x, hi: bisect.bisect_right(a, x, 0, hi), SORTED, x, 2)
    check(lambda a, x: bisect.bisect(a, x, key=lambda v: v * v if v < 3 else 2 * v), SORTED, x)
    check(lambda a, x: bisect.bisect(a, x, -1), SORTED, x)


@pytest.mark.parametrize("function", [bisect.insort, bisect.insort_left, bisect.insort_right])
@pytest.mark.parametrize("x", [0.0, 2.0, 2.5, 50.0])
def test_insertion(function, x):
    def f(a, x):
        function(a, x)
        return a

    def one_by_one(values):
        ordered = []
        for v in values:
            function(ordered, v)
        return ordered

    check(f, list(SORTED), x)
    check(one_by_one, np.array([3.0, 1.0, 2.0, x]))


def test_of_known_values_it_is_pythons_own():
    check(lambda x: bisect.bisect([1, 2, 3], 2) + x, 1.0)
    check(lambda x: bisect.bisect(["a", "b"], "b") + x, 1.0)


def test_misuse():
    check(lambda x: bisect.bisect(x), 1.0)
    check(lambda x: bisect.bisect_left(x, 2.0), 1.0)
