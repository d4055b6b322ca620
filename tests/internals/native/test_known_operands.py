"""Shifts and divisions in loops, of whose operands something is known: by checks before the loop, and by ranges."""

import math
import re

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check


def bits_of_rows(rows, width):
    mask = (1 << width) - 1
    out = np.zeros_like(rows)
    for i in range(len(rows)):
        found = 0
        for b in range(width):
            if (rows[i] >> ((b - 1) % width)) & 1 != (rows[i] >> ((b + 1) % width)) & 1:
                found |= 1 << b
        out[i] = found & mask
    return out


ROWS = np.random.default_rng(0).integers(0, 2**40, 12)


@pytest.mark.parametrize("width", [0, 1, 7, 40, 62, -1, -(2**63)])
def test_shifts_by_less_than_a_number_that_is_checked_before(width):
    check(bits_of_rows, ROWS, width)


def test_shifts_that_stay_inside_are_single_instructions():
    code = jit(bits_of_rows).lower(ROWS, 40).native_program().llvm
    assert len(re.findall(r"= ashr ", code)) == 2
    # But that of the mask, which comes before its check.
    assert len(re.findall(r"icmp ult i64 %\w+, 64", code)) == 1


def shifted_constants(c):
    total = 0
    for k in range(3):
        total += (1 << c) % 1000 + (-1 << c) % 1000 + (3 << (c - 1 if c else 0)) % 7 + (0 << c) + k
    return total


@pytest.mark.parametrize("count", [0, 1, 61, 62, -1])
def test_shifts_of_constants(count):
    check(shifted_constants, count)


def least(c):
    return -1 << c


def one_less(c):
    return 3 << c, -4 << c


def test_constants_are_shifted_up_to_the_ends_of_the_range():
    check(least, 63)
    check(one_less, 61)


def divided(a, n, start):
    quotients, rests, modulo = np.zeros(len(a), np.int64), np.zeros(len(a), np.int64), np.zeros(len(a), np.int64)
    for i in range(len(a)):
        quotients[i] = (i + start) // n
        rests[i] = (i + start) % n
        modulo[i] = a[i] % (i + 1) + a[i] // (i + 2)
    return quotients, rests, modulo


@pytest.mark.parametrize("start", [0, -3])
@pytest.mark.parametrize("n", [3, 1, -1, -4, 0])
def test_divisions_by_what_may_be_negative_or_not(n, start):
    check(divided, np.array([5, -7, 0, 9, -2, 2**62]), n, start)


def checked_too_late(a, n):
    total = 0
    for i in range(len(a)):
        total += a[i] // n + a[i] % n
        if n < 1:
            raise ValueError(total)
    return total


@pytest.mark.parametrize("n", [2, 0, -3])
def test_what_a_check_refuses_later_is_not_known_before(n):
    check(checked_too_late, np.array([5, 6, 7]), np.int64(n))


def indices_below(a, n):
    if n > len(a):
        raise ValueError(n)
    total = 0.0
    for _ in range(3):
        for i in range(n):
            total += a[i]
    return total


@pytest.mark.parametrize("n", [0, 8, 20, 21, -5])
def test_nests_rely_on_what_is_refused_before_them(n):
    check(indices_below, np.arange(20.0), n)


ODD_INTS = np.array([0, 1, -3, 2**53, 2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63 - 1, -(2**63), 2**60 - 7])


def ratios(a, b):
    found = 0.0
    for i in range(len(a)):
        for j in range(len(b)):
            found += (int(a[i]) % 1000) / (abs(int(b[j]) % 97) + 1)
    return found


def ratios_of_any(a, b):
    found = []
    for i in range(len(a)):
        for j in range(len(b)):
            if b[j]:
                found.append(int(a[i]) / int(b[j]))
                found.append(math.fmod(int(a[i]), int(b[j])))
                found.append((int(a[i]) >> 10) / ((int(b[j]) >> 9) | 1))
    return found


@pytest.mark.parametrize("function", [ratios, ratios_of_any])
def test_ratios_of_ints(function):
    check(function, ODD_INTS, ODD_INTS)


def test_ratios_of_ints_that_are_floats_are_one_division():
    code = jit(ratios).lower(ODD_INTS, ODD_INTS).native_program().llvm
    assert "llvm.ctlz" not in code
    assert "llvm.ctlz" in jit(ratios_of_any).lower(ODD_INTS, ODD_INTS).native_program().llvm
