"""Loops in loops that are too short to look at signals, and loops whose last steps are others than those before."""

import math

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.native.durations import most_work
from anabranch.runtime.native.wrapped_ends import ends_apart
from anabranch.runtime.ops.control import For
from anabranch.runtime.passes.range_analysis import value_ranges
from tests.equivalence import check


def ones(a):
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        count = 0
        for j in range(a.shape[1]):
            x = a[i, j]
            while x:
                x &= x - 1
                count += 1
        out[i] = count
    return out


def digits(a):
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        x = a[i] & 4095
        while x > 0:
            out[i] += x & 1
            x >>= 1
    return out


def halves(a):
    count = 0
    for i in range(len(a)):
        x = a[i]
        while x != 0 and x != -1:
            x >>= 1
            count += 1
    return count


def negative_for_ever(a):
    count = 0
    for i in range(len(a)):
        x = a[i]
        while x != 0:
            x >>= 1
            count += 1
    return count


def counted(a, most):
    count = i = 0
    while i < len(a):
        if a[i] > most:
            count += 1
        i += 1
    return count


def from_both_ends(a, total):
    i, j = 0, len(a) - 1
    while i < j:
        if a[i] + a[j] > total:
            j -= 1
        else:
            i += 1
    return i, j


NUMBERS = np.random.default_rng(0).integers(-(2**62), 2**62, (20, 20))


@pytest.mark.parametrize(("function", "array"), [(ones, NUMBERS), (digits, NUMBERS[0]), (halves, NUMBERS[0])])
def test_loops_over_the_bits_of_ints(function, array):
    check(function, array)


def work(function, *args) -> float:
    program = jit(function).lower(*args).program
    return most_work(program, value_ranges(program))


def test_how_long_loops_over_bits_are():
    assert work(ones, NUMBERS) < math.inf
    assert work(digits, NUMBERS[0]) < math.inf
    assert work(negative_for_ever, np.abs(NUMBERS[0])) == math.inf


def test_how_long_counted_loops_are():
    assert work(counted, NUMBERS[0], 3) < 1000
    assert work(from_both_ends, NUMBERS[0], 3) == math.inf


def test_counted_loops_look_at_no_signals():
    for function, looks in ((counted, 0), (from_both_ends, 1)):
        program = jit(function).lower(np.arange(2000), 7).native_program()
        assert program.llvm.count("call i1 @ask(") == looks
        check(function, np.arange(2000), 700)


def test_short_loops_look_at_no_signals():
    program = jit(ones).lower(np.zeros((2000, 50), np.int64)).native_program()
    assert program.llvm.count("call i1 @ask(") == 1


def insertion_sort(x):
    for i in range(1, len(x)):
        value, j = x[i], i - 1
        while j >= 0 and x[j] > value:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = value


def test_nests_of_few_steps_in_all_look_at_no_signals():
    for size, looks in ((800, 0), (8000, 1)):
        program = jit(insertion_sort).lower(np.zeros(size)).native_program()
        assert program.llvm.count("call i1 @ask(") == looks
    check(insertion_sort, np.random.default_rng(1).random(90))


def cheapest(grid):
    n, m = grid.shape
    before, now = grid[0].copy(), np.zeros(m)
    for i in range(1, n):
        for j in range(m):
            best = before[j]
            if j > 0 and before[j - 1] < best:
                best = before[j - 1]
            if j < m - 1 and before[j + 1] < best:
                best = before[j + 1]
            now[j] = grid[i, j] + best
        before, now = now, before
    return before


def last_two(a):
    out = np.zeros(len(a))
    for i in range(1, len(a)):
        if i + 2 < len(a):
            out[i] = a[i + 2]
        if i == len(a) - 1:
            out[i] += a[i - 1]
    return out


@pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 67])
def test_loops_with_other_last_steps(size):
    check(cheapest, np.random.default_rng(size).random((5, size)))
    check(last_two, np.arange(float(size)))


def loops(program):
    for equation in program.equations:
        if type(equation.op) is For:
            yield equation
        for inner in equation.programs():
            yield from loops(inner)


def whole(a):
    out = np.zeros(len(a))
    for i in range(len(a)):
        if i != 20:
            out[i] = a[i] if a[i] > 3 else 3.0
    return out


def test_which_loops_have_other_last_steps():
    found = [
        any(map(ends_apart, loops(jit(f).lower(a).program)))
        for f, a in (
            (cheapest, np.ones((4, 64))),
            (last_two, np.ones(64)),
            (whole, np.ones(64)),
            (last_two, np.ones(8)),
        )
    ]
    assert found == [True, True, False, False]
