"""Long sums of a loop's counter: LLVM, which would try them in all orders, sees where they begin anew."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check


def hashed(n):
    total = 0
    for i in range(n):
        x, a = i, 17
        for shift in (3, 5, 2, 7):
            a = (a + x) % 2**31
            x = (x << shift) ^ a
            a = (a + x + 5) % 2**31
            x = (x >> 1) ^ a
        total ^= x
    return total


def words(n):
    a, b = np.uint32(3), np.uint32(5)
    with np.errstate(over="ignore"):
        for i in range(n):
            x, y = a + np.uint32(i), b
            for shift in (7, 9, 13, 18, 7, 9, 13, 18, 7, 9, 13, 18):
                x = x + y
                y = (y << np.uint32(shift) | y >> np.uint32(32 - shift)) ^ x
            a, b = a ^ x, b ^ y
    return a, b


@pytest.mark.parametrize("function", [hashed, words])
def test_as_python(function):
    for n in (0, 1, 50):
        check(function, n)


def test_the_sums_end():
    code = jit(words).lower(9).native_program()
    assert "externally_initialized" in code.llvm
    assert code.llvm.count("load i32, ptr @hidden0") == 1


def test_short_sums_are_left_alone():
    assert "all_ones" not in jit(lambda a, b, c: a + b - c * 2).lower(1, 2, 3).native_program().llvm
