"""Globals and closure cells that change between calls, or that the function changes."""

from __future__ import annotations

import collections

import numpy as np

from anabranch import AnabranchError, jit

FACTOR = 3
TABLE = {"k": 2}
ARRAY = np.ones(3)
SETTINGS = collections.namedtuple("Settings", "gain")(5)


def test_changed_global_is_seen() -> None:
    global FACTOR
    f = jit(lambda x: x * FACTOR if x > 0 else x)
    FACTOR = 3
    first = f(2)
    FACTOR = 5
    second = f(2)
    FACTOR = 2.5
    third = f(2)
    FACTOR = 3
    assert (first, second, third, f(2)) == (6, 10, 5.0, 6)


def test_changed_global_dict_is_seen() -> None:
    f = jit(lambda x: x * TABLE["k"] if x > 0 else x)
    assert f(2) == 4
    TABLE["k"] = 7
    try:
        assert f(2) == 14
    finally:
        TABLE["k"] = 2


def test_changed_global_array_is_seen() -> None:
    f = jit(lambda x: (x * ARRAY).sum())
    assert f(2.0) == 6.0
    ARRAY[0] = 10
    try:
        assert f(2.0) == 24.0
    finally:
        ARRAY[0] = 1


def test_replaced_global_namedtuple_is_seen() -> None:
    global SETTINGS
    f = jit(lambda x: x * SETTINGS.gain)
    assert f(2) == 10
    SETTINGS = SETTINGS._replace(gain=6)
    try:
        assert f(2) == 12
    finally:
        SETTINGS = SETTINGS._replace(gain=5)


def test_changed_closure_cell_is_seen() -> None:
    k = 2

    @jit
    def f(x):
        return x * k

    first = f(3)
    k = 10
    assert (first, f(3)) == (6, 30)


def test_changed_closure_list_is_seen() -> None:
    items = [1, 2]

    @jit
    def f(x):
        for v in items:
            x = x * 10 + v
        return x

    assert f(0) == 12
    items.append(3)
    assert f(0) == 123
    items[0] = 9
    assert f(0) == 923


def test_changed_closure_array_is_seen() -> None:
    table = np.array([1.0, 2.0])

    @jit
    def f(i):
        return table[i]

    assert f(0) == 1.0
    table[0] = 50.0
    assert f(0) == 50.0


def test_changed_global_of_a_helper_is_seen() -> None:
    global FACTOR

    def helper(x):
        return x * FACTOR if x > 0 else x

    @jit
    def f(x):
        return helper(x) + 1

    assert f(2) == 7
    FACTOR = 4
    try:
        assert f(2) == 9
    finally:
        FACTOR = 3


def test_replaced_helper_is_seen() -> None:
    def helper(x):
        return x + 1

    @jit
    def f(x):
        return helper(x)

    assert f(2) == 3

    def helper(x):  # noqa: F811
        return x + 100

    assert f(2) == 102


def test_captured_array_written_by_the_function() -> None:
    total = np.zeros(2)

    def f(x):
        total[0] += x
        return total.sum()

    g = jit(f)
    try:
        got = [g(1.0), g(1.0), g(5.0)]
    except AnabranchError:
        return
    assert got == [1.0, 2.0, 7.0]
    assert total[0] == 7.0


def test_captured_list_changed_by_the_function() -> None:
    seen = []

    def f(x):
        seen.append(1)
        return x * len(seen)

    g = jit(f)
    try:
        got = [g(1.0), g(1.0), g(5.0)]
    except AnabranchError:
        return
    assert got == [1.0, 2.0, 15.0]
    assert len(seen) == 3


def test_global_written_by_the_function() -> None:
    def f(x):
        global FACTOR
        FACTOR = FACTOR + 1
        return x * FACTOR

    g = jit(f)
    start = FACTOR
    assert [g(1), g(1), g(1)] == [start + 1, start + 2, start + 3]
