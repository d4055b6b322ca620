"""`else`, `finally` and the exits of a `try` statement: what runs, in which order, and what leaves."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
A = np.array([1.0, 2.0, 3.0])


# ---- else and finally ------------------------------------------------------------------------------------------------


@case((A, 1, 2), (A, 9, 2), (A, 1, 0), (A, 9, 0))
def failure_in_else_is_not_caught(a, i, n):
    try:
        x = a[i]
    except (IndexError, ZeroDivisionError):
        x = -1.0
    else:
        x += 1 // n
    return x


@case((A, 1, 2), (A, 9, 2), (A, 1, 0), (A, 9, 0))
def finally_after_all(a, i, n):
    log = [0, 0, 0]
    try:
        try:
            x = a[i]
            log[0] = 1
        except IndexError:
            x = float(1 // n)
            log[1] = 1
        finally:
            log[2] = 1
    except ZeroDivisionError:
        x = -5.0
    return x, log


@case((2,), (0,))
def finally_without_handlers(n):
    s = 0
    try:
        try:
            s = 1
            s += 10 // n
        finally:
            s += 100
    except ZeroDivisionError:
        s = -s
    return s


@case((2,), (0,))
def finally_sees_the_state(n):
    p, q = 0, 0
    try:
        try:
            p = 1
            p = 10 // n
        finally:
            q = p
    except ZeroDivisionError:
        pass
    return p, q


@case((2,), (0,), (5,))
def return_in_finally_swallows(n):
    p = 0
    try:
        p = 10 // n
    finally:
        return p  # noqa: B012


@case((2, 1), (0, 1), (2, 0), (0, 0))
def finally_that_may_return(n, k):
    p = 0
    try:
        p = 10 // n
    finally:
        if k:
            return -1  # noqa: B012
    return p


@case((3,), (0,))
def break_in_finally(n):
    s = 0
    for i in range(5):
        try:
            s += 10 // (n - i)
        finally:
            if i >= n:
                break  # noqa: B012
    return s, i


@case((2, 2), (0, 2), (2, 0), (0, 0))
def finally_that_fails(n, k):
    p = 0
    try:
        try:
            p = 10 // n
        finally:
            p += int(1.0 / k)
    except ZeroDivisionError:
        p -= 7
    return p


@case((2.0,), (-2.0,))
def return_through_finally(x):
    a = np.zeros(2)
    try:
        if x < 0:
            return a
        a[0] = x
    finally:
        a[1] = 5.0
    return a * 2


# ---- exits -----------------------------------------------------------------------------------------------------------


@case((A, 1), (A, 9), (A, 2))
def returns_of_several_kinds(a, i):
    try:
        if a[i] > 2:
            return "large"
        x = a[i]
    except IndexError:
        x = -1.0
    else:
        x += 1
    return "small" if x > 0 else "minus"


@case((A, 1), (A, 9))
def return_of_nothing(a, i):
    try:
        a[i] = 5.0
    except IndexError:
        return
    a[0] = 7.0


@case((A, 1), (A, 9), (A, 2))
def return_in_else(a, i):
    try:
        x = a[i]
    except IndexError:
        x = -1.0
    else:
        if x > 2:
            return 100.0
    return x


@case((A, 4), (A, 2))
def exits_of_all_kinds(a, n):
    s = 0.0
    for i in range(n):
        try:
            if i == 0:
                continue
            if a[i] > 2.5:
                break
            s += a[i]
        except IndexError:
            return -s
        finally:
            s += 10
    return s


@case((2, 0.5), (0, 0.5))
def within_with(n, x):
    with contextlib.nullcontext():
        try:
            r = x / n
        except ZeroDivisionError:
            return -1.0
    return r


@pytest.mark.parametrize("program", case.programs)
def test_try(program: Program) -> None:
    program.check()
