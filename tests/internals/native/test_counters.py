"""Positions that count down from the end of a loop: they are not negative, and need not be moved into an axis."""

import re

import numpy as np
import pytest

from anabranch import configure, jit
from tests.equivalence import check, check_calls


def convolution(x, h):
    y = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(i + 1):
            y[i] += h[j] * x[i - j]
    return y


def reversed_products(x):
    total = 0.0
    for k in range(len(x)):
        for i in range(k):
            total += x[k - i - 1] * x[i] - x[k - (i + 1)]
    return total


def counted_down(x):
    total = 0.0
    for k in range(len(x)):
        for i in range(k, -1, -1):
            total += x[k - i] * i
    return total


def one_too_far(x):
    total = 0.0
    for k in range(len(x)):
        for i in range(k):
            total += x[k - i - 2] * x[i]
    return total


def rebound_end(x, k):
    total = 0.0
    for i in range(k):
        k = k - 1
        total += x[k - i]
    return total


@pytest.mark.parametrize("native", [True, False])
def test_counting_down(rng, native):
    x, h = rng.random((2, 9))
    with configure(native_loops=native):
        check(convolution, x, h)
        for function in (reversed_products, counted_down, one_too_far):
            check(function, x)
        for k in (0, 6, 7):
            check(rebound_end, x, k)


def test_only_what_may_be_negative_is_moved(rng):
    x = rng.random(9)
    for function, moved in ((reversed_products, False), (one_too_far, True)):
        program = jit(function).lower(x).native_program()
        assert program is not None
        assert "smax" not in program.llvm
        assert bool(re.search(r"add i64 %\w+, 9\b", program.llvm)) == moved


def filtered(x, taps):
    out = np.zeros(x.shape[0] - taps.shape[0] + 1)
    for i in range(out.shape[0]):
        total = 0.0
        for k in range(taps.shape[0]):
            total += taps[k] * x[i + k]
        out[i] = total
    return out


def test_inner_loops_of_few_steps_are_written_out():
    x = np.linspace(-1.0, 1.0, 300)
    compiled = jit(filtered)
    for count, are_few in ((32, True), (200, False)):
        taps = np.arange(count) / 7.0
        program = compiled.lower(x, taps).native_program()
        assert program is not None
        assert (program.llvm.count("llvm.loop !2") == 1) is are_few
        np.testing.assert_array_equal(compiled(x, taps), filtered(x, taps))


def insertion_points(a, x):
    points, m = np.zeros(len(x)), 0
    for i in range(len(x)):
        low, high = 0, m
        while low < high:
            middle = (low + high) // 2
            if points[middle] < x[i]:
                low = middle + 1
            else:
                high = middle
        points[low] = x[i]
        if low == m:
            m += 1
    return points, m


def test_an_index_that_is_never_negative_does_not_count_from_the_end():
    x = np.cos(np.arange(20.0))
    check(insertion_points, x, x)
    llvm = jit(insertion_points).lower(x, x).native_program().llvm
    assert not re.findall(r"(%\w+) = icmp slt i64 %\w+, 0\b", llvm.partition("define ptr @call")[0])


def until_beyond(a, i, n):
    total = 0.0
    for _ in range(n):
        if i < 5:
            total += a[i]
        else:
            total -= a[i]
        if i < 5 or n > 3:
            i += 1
    return total


def test_tests_of_an_index_before_and_after_it_is_checked():
    check_calls(until_beyond, *((np.arange(5.0), i, n) for i in (-6, -5, 0, 3, 4, 5) for n in (1, 2, 7)))
