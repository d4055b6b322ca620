"""Globals that compiled functions assign: what the module holds after each call, and between the calls of helpers."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import AnabranchError, jit

count = 0
total = 0.0
table = np.zeros(3)
NAMES = ("count", "total", "table")


def reads():
    return count * 10


def adds(v):
    global count
    count += v
    return count


def plain(n):
    global count
    count = count + n
    return count


def in_branches(n):
    global count
    if n > 0:
        count = n
    elif n < -1:
        count -= 5
    return reads()


def in_loops(n):
    global count, total
    for i in range(n):
        count += i
        total += count / 2
        if count > 4:
            break
    while total > 3:
        total -= 1
    return count, total


def as_a_loop_variable(n):
    global count
    s = 0
    for count in range(n):
        s += count
    return s, count


def in_helpers(n):
    a = adds(n)
    if n > 1:
        a += adds(2) + reads()
    return a, count


def by_a_walrus(n):
    global count
    if n > 0 and (count := n * 2) > 2:
        return count
    return -count


def in_an_inner_function(n):
    def bump(k):
        global count
        if k > n:
            count = k

    bump(0)
    bump(2)
    return count


def with_early_returns(n):
    global count
    count += 1
    if n > 0:
        return count
    count += 10
    for i in range(3):
        if i == n + 2:
            return count
        count += i
    return -count


def array_rebound(n):
    global table
    table = table + n
    table[0] = 7
    return table.sum()


def array_written(n):
    global table
    if n > 0:
        table[1] = n
    table += 1
    return table.copy()


def in_a_try(n):
    global count
    try:
        count = 1
        count = 6 // n
    except ZeroDivisionError:
        count = count - 100
    finally:
        count *= 2
    return count


def other_kind(n):
    global count
    count = n / 2 if n > 0 else -1.0
    return count


def deleted_and_set(n):
    global count
    del count
    count = n
    return count


PROGRAMS = (
    plain, in_branches, in_loops, as_a_loop_variable, in_helpers, by_a_walrus, in_an_inner_function, with_early_returns,
    array_rebound, array_written, in_a_try, other_kind, deleted_and_set,
)  # fmt: skip


def _start():
    globals().update(count=3, total=0.5, table=np.array([1.0, 2.0, 3.0]))


def _run(function, calls):
    """Results of the calls, and what the globals are after each."""
    _start()
    found = []
    for n in calls:
        result = function(n)
        found.append((result, *(globals()[name] for name in NAMES)))
        found[-1] = tuple(v.copy() if isinstance(v, np.ndarray) else v for v in found[-1])
    return found


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("calls", [(3, 1, 3), (0, -3, 0)], ids=str)
def test_globals(function, calls):
    want, got = _run(function, calls), _run(jit(function), calls)
    for w, g in zip(want, got, strict=True):
        for a, b in zip(w, g, strict=True):
            assert type(a) is type(b)
            np.testing.assert_array_equal(a, b)


def test_a_call_that_is_refused_leaves_globals_alone():
    def refused(n):
        global count
        count = n
        return np.zeros(n)

    _start()
    with pytest.raises(AnabranchError):
        jit(refused, auto_static=False)(3)
    assert count == 3


def test_a_global_set_under_a_condition_only():
    def sets(n):
        global fresh
        if n > 0:
            fresh = n
        return n

    with pytest.raises(AnabranchError, match="global 'fresh'"):
        jit(sets, auto_static=False)(3)
    assert "fresh" not in globals()
