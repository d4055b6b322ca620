"""Every way in which a counted loop can end, over bounds of every kind."""

from __future__ import annotations

import numpy as np
import pytest

from tests.equivalence import check

A = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
# Ranges: those of static bounds are made from `len(a)`, the others from arguments.
BOUNDS = [(0, 8, 1), (7, -1, -1), (1, 8, 3), (6, 0, -2), (5, 5, 1), (0, -3, 1), (2, 3, 1)]
LIMITS = [0.0, 4.5, 99.0]


def broken_off(a, start, stop, step, limit):
    total, last = 0.0, -1
    for i in range(start, stop, step):
        last = i
        if a[i] > limit:
            break
        total += a[i]
    return total, last


def with_else(a, start, stop, step, limit):
    for i in range(start, stop, step):
        if a[i] > limit:
            found = i
            break
    else:
        found = -1
    return found


def returned(a, start, stop, step, limit):
    for i in range(start, stop, step):
        a[i] += 1.0
        if a[i] > limit:
            return a * i, i
    return a - 1.0, -1


def continued(a, start, stop, step, limit):
    count = 0
    for i in range(start, stop, step):
        if a[i] > limit:
            continue
        count += 1
        if count == 3:
            break
    return count


def failing(a, start, stop, step, limit):
    total = 0.0
    for i in range(start, stop, step):
        if a[i] > limit:
            raise ValueError(f"too large at {i}")
        total += a[i + 1]
    return total


def caught(a, start, stop, step, limit):
    total, steps = 0.0, 0
    try:
        for i in range(start, stop, step):
            steps += 1
            a[i] = -1.0
            total += a[i + 1]
            if total > limit:
                raise ValueError
    except (IndexError, ValueError):
        total = -total
    return total, steps


def nested(a, start, stop, step, limit):
    total = 0.0
    for i in range(start, stop, step):
        for j in range(i):
            if a[j] > limit:
                break
            total += a[j]
        else:
            total += 100.0
        if total > 10 * limit:
            return a * total
    return a + total


def over_values(a, start, stop, step, limit):
    for k, x in enumerate(a[::-1]):
        if x > limit:
            return k, x
        if k * step >= stop:
            break
    return start, limit


FUNCTIONS = [broken_off, with_else, returned, continued, failing, caught, nested, over_values]


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_bounds_known_at_run_time(function, limit):
    for bounds in BOUNDS:
        check(function, A.copy(), *bounds, limit)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_static_bounds(function, limit):
    for bounds in BOUNDS[:2] + BOUNDS[4:5]:
        check(function, A.copy(), *bounds, limit, static=("start", "stop", "step"))


def summed(a, n):
    total = 0.0
    for i in range(n):
        total += a[i]
    return total


def test_a_failure_ends_a_loop_of_run_time_length():
    check(summed, A.copy(), 8)
    check(summed, A.copy(), 2**40)
