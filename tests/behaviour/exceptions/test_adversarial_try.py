"""`try` statements written to come out silently wrong."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.behaviour.exceptions.failing_helpers import OwnError
from tests.program_table import Program, Table

case = Table()
A = np.array([1.0, 2.0, 3.0])


# ---- hostile ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Tally:
    """A dataclass that a loop changes."""

    total: float = 0.0
    count: int = 0


def safe_and_counting(a, i):
    try:
        return a[i]
    except IndexError:
        return -1.0
    finally:
        a[0] += 1


@case((2,), (100,))
def system_exit(n):
    try:
        if n > 3:
            raise SystemExit(2)
    except SystemExit:
        return 1
    return 3


@case((A, 1, 1), (A, 0, 1), (A, 1, 0))
def shapes_differ_by_the_point_of_failure(a, n, k):
    try:
        x = a
        y = 1 // n
        x = a[:2]
        y += 1 // k
    except ZeroDivisionError:
        return x.sum()
    return float(y)


@case((A, 2), (A, 5))
def inner_function_changes_all(a, n):
    total = 0.0

    def add(k):
        nonlocal total
        total += a[k]
        a[k] = 0.0

    try:
        for k in range(n):
            add(k)
    except IndexError:
        total = -total
    return total, a


@case((A, 2), (A, 5))
def dataclass_in_a_loop(a, n):
    tally = Tally()
    try:
        for k in range(n):
            tally.count += 1
            tally.total += a[k]
    except IndexError:
        tally.total += 100
    return tally.total, tally.count


@case((6, 3), (6, 10), (6, 0))
def while_loops_around_and_inside(n, k):
    s = 0
    while n > 0:
        try:
            while True:
                n -= 1
                s += 12 // (n - k)
                if n < 2:
                    break
        except ZeroDivisionError:
            s += 1000
            n -= 1
        else:
            s += 7
    return s, n


@case((A, 1), (A, 9), (A, 2))
def helpers_with_finally(a, i):
    try:
        return safe_and_counting(a, i) + 1 / (i - 1)
    except ZeroDivisionError:
        return safe_and_counting(a, i + 1)


@case((np.arange(6.0).reshape(2, 3), 0, 1), (np.arange(6.0).reshape(2, 3), 0, 2), (np.arange(6.0).reshape(2, 3), 2, 0))
def rows_and_columns(m, i, j):
    try:
        m[i] = m[j]
        m[:, i] += m[j, i]
        m[i, j] = 100.0
    except IndexError:
        m *= 2
    return m


@case((2,), (0,), (100,), (1,))
def finally_and_continue(n):
    for i in range(4):
        try:
            x = 10 // (n - i)
        except ZeroDivisionError:
            continue
        finally:
            n += 1
        if x > 5:
            return float(x)
    return n / 2


@case((2,), (0,))
def exception_kept_and_raised_later(n):
    try:
        try:
            10 // n
        except ZeroDivisionError as e:
            kept = e
            raise OwnError("a") from e
    except OwnError:
        try:
            if n == 0:
                raise kept
        except ZeroDivisionError:
            return 77
    return 5


@case((A, 1), (A, 3), (A, 9))
def comprehensions(a, n):
    k = 0
    try:
        k = 1
        s = sum(a[j] for j in range(n))
        k = 2
        t = [a[j + n] for j in range(2)]
        k = 3
    except IndexError:
        return k
    return k + s + t[0]


@case((np.array([3.0, 1.0, 2.0, 0.0]), 3), (A, 2), (A, 4))
def break_out_of_the_inner_loop(a, n):
    best = -1
    for i in range(n):
        for j in range(n):
            try:
                if a[i] > a[j + 1]:
                    best = i
                    break
            except IndexError:
                break
        else:
            best += 10
    return best


@case((A, 1), (A, 9))
def list_of_a_length_known_at_run_time(a, n):
    out = [1.0]
    try:
        x = a[n]
        out.append(x)
    except IndexError:
        pass
    return len(out)


@pytest.mark.parametrize("program", case.programs)
def test_try(program: Program) -> None:
    program.check()
