"""Branches of some arithmetic of ints that may fail are both computed; only what fails in the one that runs does."""

import re

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check_ints


def steps_to_one(value):
    count = 0
    while value != 1:
        value = value // 2 if value % 2 == 0 else 3 * value + 1
        count += 1
    return count


def signed_sums(signs, start, rise):
    high = low = start
    for i in range(len(signs)):
        if signs[i] > 0:
            high = high * 2 + rise
        else:
            low = low * 2 - rise
    return high, low


def nested(signs, start):
    x = y = start
    for i in range(len(signs)):
        if signs[i] > 0:
            x = x * 3 if signs[i] > 1 else x + start
        else:
            y += start
    return x, y


def caught(signs, start):
    x = start
    lost = 0
    for i in range(len(signs)):
        try:
            if signs[i] > 0:
                x *= 5
            else:
                x -= start
        except OverflowError:
            lost += 1
            x = 1
    return x, lost


def floats_besides(signs, start):
    x = start
    best = 0.0
    for i in range(len(signs)):
        if signs[i] > 0:
            x *= 3
            best = signs[i] + 0.5
    return x, best


SIGNS = np.array([1, -1, 2, 2, -1, 0, 1, -3, 1, 2])


def test_a_while_loop() -> None:
    values = (1, 7, 27, 837799, 2**61 + 1, 2**62 + 1, 2**63 - 1, 3074457345618258603)
    check_ints(steps_to_one, *((value,) for value in values))


@pytest.mark.parametrize("function", [nested, caught, floats_besides])
def test_overflows(function) -> None:
    starts = (0, 1, 5, 2**57, 2**60, 2**61, 2**62, -(2**60), -(2**62), -(2**63))
    check_ints(function, *((sign * SIGNS, start) for start in starts for sign in (1, -1)))


def test_overflows_of_one_branch() -> None:
    for rise in (0, 2**52, -(2**52), 2**62):
        check_ints(
            signed_sums,
            (np.ones(20, np.int64), 2**43 if rise < 0 else 1, rise),
            (-np.ones(20, np.int64), 1, rise),
            (np.resize([1, -1], 20), -1, rise),
        )


def test_no_branch_is_left() -> None:
    llvm = jit(steps_to_one).lower(27).native_program().llvm
    assert not re.findall(r"^branch\.", llvm, re.MULTILINE)
