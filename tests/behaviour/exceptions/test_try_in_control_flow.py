"""`try` in loops and branches, loops and branches in a `try`, and helpers that raise or catch."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.exceptions.failing_helpers import Account, NarrowError, OwnError, inverse
from tests.program_table import Program, Table

case = Table()
A = np.array([1.0, 2.0, 3.0])
Z = np.array([1.0, 0.0, 3.0])
INDICES = ((A, 0), (A, 2), (A, 3), (A, -4))


def store(a, i, x):
    a[i] = x
    if x > 5:
        raise NarrowError("large")
    a[0] += 1
    return x * 2


def deposit(account, x):
    account.total += 1
    if x < 0:
        raise OwnError("negative")
    account.total += x


def safe(a, i):
    try:
        return a[i]
    except IndexError:
        return -1.0


# ---- loops -----------------------------------------------------------------------------------------------------------


@case((A, 2), (A, 3), (A, 6), (A, 0))
def loop_in_a_try(a, n):
    s, last = 0.0, -1
    try:
        for i in range(n):
            s += a[i]
            a[i] = s
            last = i
    except IndexError:
        return s, last, True
    return s, last, False


@case((A, 2), (A, 6))
def writes_at_the_start_of_a_step(a, n):
    b = np.zeros(8)
    try:
        for i in range(n):
            b[i] = 5.0
            b[i] += a[i]
    except IndexError:
        pass
    return b


@case((Z, 3), (A, 3), (Z, 0))
def try_in_a_loop(a, n):
    s = 0.0
    bad = 0
    for i in range(n):
        try:
            s += 1 / float(a[i])
        except ZeroDivisionError:
            bad += 1
    return s, bad


@case((Z, 3), (A, 3))
def continue_in_a_handler(a, n):
    s = 0.0
    for i in range(n):
        try:
            x = 1 / float(a[i])
        except ZeroDivisionError:
            continue
        s += x
    return s


@case((Z, 3), (A, 3))
def break_in_a_handler(a, n):
    s = 0.0
    for i in range(n):
        try:
            x = 1 / float(a[i])
        except ZeroDivisionError:
            break
        s += x
    else:
        s += 100
    return s


@case((Z, 3), (A, 3))
def return_in_a_handler_in_a_loop(a, n):
    s = 0.0
    for i in range(n):
        try:
            s += 1 / float(a[i])
        except ZeroDivisionError:
            return s, i
    return s, n


@case((3, 10), (3, 2), (0, 2))
def while_in_a_try(n, most):
    k = 0
    try:
        while True:
            k += 1
            if k > most:
                raise OverflowError("too often")
            if 12 // (n - k) < 0:
                break
    except OverflowError:
        k = -k
    except ZeroDivisionError:
        k += 1000
    return k


@case((5,), (2,), (0,))
def while_condition_fails(n):
    k = 5
    try:
        while 10 // (k - n) > 0:
            k -= 1
    except ZeroDivisionError:
        k += 100
    return k


@case((Z,), (A,))
def nested_loops(a):
    s = 0.0
    where = (-1, -1)
    try:
        for i in range(3):
            for j in range(3):
                where = (i, j)
                s += 1 / float(a[i] * a[j])
                if s > 1.5:
                    break
    except ZeroDivisionError:
        s = -s
    return s, where


@case((Z,), (A,))
def loop_over_an_array(a):
    s = 0.0
    for v in a:
        try:
            s += 1 / float(v)
        except ZeroDivisionError:
            s += 10
        else:
            s += 1
        finally:
            s += 100
    return s


@case((A, 3), (A, 9))
def retry(a, i):
    tries = 0
    while True:
        try:
            tries += 1
            x = a[i]
            break
        except IndexError:
            i -= 1
    return x, tries


@case((5,), (-1,), (0,))
def loop_variable_in_the_handler(n):
    try:
        for i in range(8):
            if i == n:
                raise OwnError
    except OwnError:
        return i
    return -i


# ---- branches --------------------------------------------------------------------------------------------------------


@case((A, 1, 1.0), (A, 9, 1.0), (A, 1, -1.0), (A, 9, -1.0))
def in_a_branch(a, i, x):
    v = 0.0
    try:
        if x > 0:
            v = 1.0
            v = a[i]
            v += 10
        else:
            v = 5.0
        v += 100
    except IndexError:
        v = -v
    return v


@case((A, 1, 1.0), (A, 9, 1.0), (A, 1, -1.0), (A, 9, -1.0))
def try_in_a_branch(a, i, x):
    if x > 0:
        try:
            v = a[i]
        except IndexError:
            v = -1.0
    else:
        v = 2.0
    return v


@case((A, 1, 1.0), (A, 9, 1.0), (A, 1, -1.0))
def raise_after_assignments_in_a_branch(a, i, x):
    v, w = 0.0, 0
    try:
        if x < 0:
            v = 3.0
            a[0] = 30.0
            raise ValueError("x")
        w = 1
        v = a[i]
        w = 2
    except ValueError:
        w += 10
    except IndexError:
        w += 20
    return v, w, a


@case((A, 1), (A, 9))
def ternary_and_boolean(a, i):
    try:
        v = a[i] if i > 0 else 0.0
        w = i < 0 or a[i] > 1
    except IndexError:
        v, w = -1.0, None
    return v, w


@case((2,), (0,), (-3,))
def both_branches_raise(n):
    try:
        if n > 0:
            raise ValueError
        if n < 0:
            raise KeyError
        else:
            raise OwnError
    except ValueError:
        r = 1
    except KeyError:
        r = 2
    except OwnError:
        r = 3
    return r


@case((2,), (0,))
def always_raises_after_a_failure(n):
    try:
        k = 10 // n
        raise OwnError(str(type(k)))
    except ZeroDivisionError:
        return 1
    except OwnError:
        return 2


# ---- helpers ---------------------------------------------------------------------------------------------------------


@case((2.0,), (0.0,), (-2.0,))
def helper_raises(x):
    try:
        y = inverse(x)
    except OwnError:
        y = -1.0
    except ZeroDivisionError:
        y = -2.0
    return y


@case((A, 1, 2.0), (A, 1, 9.0), (A, 5, 2.0))
def helper_writes(a, i, x):
    y = 0.0
    try:
        y = store(a, i, x)
        y += store(a, 0, y * 2)
    except NarrowError:
        y -= 1
    except IndexError:
        y -= 2
    return y, a


@case((2.0,), (-2.0,))
def helper_changes_an_object(x):
    account = Account()
    try:
        deposit(account, 1.0)
        deposit(account, x)
        deposit(account, 3.0)
    except OwnError:
        account.total *= 100
    return account.total


@case(*INDICES)
def helper_has_the_try(a, i):
    return safe(a, i) + safe(a, i + 1)


@case((A, 3), (A, 5))
def helper_with_a_try_in_a_loop(a, n):
    s = 0.0
    for i in range(n):
        s += safe(a, i)
    return s


@case(*INDICES)
def inner_function(a, i):
    count = 0

    def get(k):
        nonlocal count
        count += 1
        v = a[k]
        count += 10
        return v

    try:
        x = get(0) + get(i)
    except IndexError:
        x = -1.0
    return x, count


@case((A,), (A + 2,), (A[::-1] + 1,))
def items_that_came_before_a_failure(a):
    quotients = [0]
    counts = {}
    try:
        quotients.extend(6 // (int(x) - 1) for x in a)
    except ZeroDivisionError:
        quotients.append(-1)
    try:
        quotients += (6 // (int(x) - 2) for x in a if x < 3)
    except ZeroDivisionError:
        quotients.append(-2)
    for x in a:
        counts[int(x)] = 1
    try:
        counts.update((int(x), 6 // (int(x) - 2)) for x in a)
    except ZeroDivisionError:
        counts[99] = -1
    return quotients, counts


@pytest.mark.parametrize("program", case.programs)
def test_try(program: Program) -> None:
    program.check()
