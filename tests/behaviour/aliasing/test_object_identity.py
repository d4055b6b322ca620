"""Which list, dict or object a name stands for: bound anew, swapped and shared, in branches and loops."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from anabranch import AliasError, StructureMismatchError, jit
from tests.program_table import Program, Table

case = Table()
STEPS = [(n, [1, 5], [2, 6]) for n in range(6)]
ARRAYS = [(n, np.arange(4.0), np.arange(4.0) * 10, np.arange(4.0) * 100) for n in range(5)]


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = 0.0

    def move(self, dx):
        if dx > 0:
            self.x += dx
        return self


def append_in_a_branch(a, b, items):
    if a[1] < b[1]:
        items.append(a * 2)
    elif a[1] > b[1]:
        items.append(b)
        items.append(a + b)
    items.append(b * 3)


def append_in_nested_branches(a, b, items):
    if a[1] < b[1]:
        items.append(a * 2)
        if a[2] < b[2]:
            items.append(a * 3)


def append_until(a, b, items):
    k = 0
    while k < a[1]:
        items.append(b * k)
        k += 1


def append_or_remove_the_last(a, b, items):
    if a[1] < b[1]:
        items.pop()
    else:
        items.append(a * 2)


@pytest.mark.parametrize(
    "function", [append_in_a_branch, append_in_nested_branches, append_until, append_or_remove_the_last]
)
@pytest.mark.parametrize("least", [0.0, 5.0, 10.0])
def test_a_list_that_grows_at_run_time_begins_with_the_same_arrays(function, least) -> None:
    def after(call):
        a, b = np.arange(4.0) + least, np.arange(4.0) * 6
        items = [a, b]
        call(a, b, items)
        return [[item is a, item is b, item.tolist()] for item in items]

    plain, compiled = after(function), after(jit(function, auto_static=False))
    kept = 1 if function is append_or_remove_the_last else 2
    assert compiled[:kept] == plain[:kept]
    assert [values for *_, values in compiled] == [values for *_, values in plain]


@case(*ARRAYS)
def which_of_two_arrays(n, a, b, c):
    z = b if n > 2 else a
    y = a if n > 1 else b
    x = z if n > 0 else c
    return z is b, z is not a, z is y, y is b, x is z, x is c, z[:] is z, y is not None


@case((np.array([2]), *ARRAYS[0][1:]))
def which_array_in_a_loop(n, a, b, c):
    found = 0
    y = a
    for i in range(n[0]):
        if y is a:
            found += 1
        y = b if i == 1 else y
    return found


@case(*STEPS)
def lists_handed_down_in_a_loop(n, a, b):
    for i in range(n):
        a, b = b, [i, i]
    a[0] = 9
    return n


@case(*STEPS)
def other_list_or_a_new_one_in_each_step(n, a, b):
    for i in range(n):
        a = b if i > 1 else [i, 7]
    a[0] = 9
    return n


@case(*STEPS)
def object_that_some_steps_make_anew(n, a, b):
    p = Point(n, a)
    for i in range(n):
        if i > 1:
            p = Point(i, [i, 4])
    p.y[0] = 9
    p.x = 3
    return n


@case(*STEPS)
def dict_of_lists_that_some_steps_make_anew(n, a, b):
    d = {"a": a, "b": b}
    for i in range(n):
        if i > 1:
            d = {"a": [i, i], "b": d["a"]}
    d["a"][0] = 9
    d["b"][1] = 7
    return n


@case(*STEPS)
def list_that_some_steps_of_nested_loops_make_anew(n, a, b):
    for i in range(n):
        for j in range(2):
            if i + j > 2:
                a = [i, j]
    a[0] += 9
    return n


@case(*STEPS)
def list_that_steps_without_failure_make_anew(n, a, b):
    for i in range(n):
        try:
            a = [1 // (i - 1), 2]
        except ZeroDivisionError:
            b[1] += 1
    a[0] += 9
    return n


@case(*STEPS)
def pair_of_lists_that_some_steps_make_anew(n, a, b):
    t = (a, b)
    for i in range(n):
        if i > 1:
            t = (t[1], [i, i])
    t[0][0] = 9
    t[1][0] = 8
    return n


@case(*STEPS)
def list_that_an_inner_function_gives(n, a, b):
    def pick(c):
        return a if c < 2 else [c, c]

    for i in range(n):
        a = pick(i)
    a[1] = 9
    return n


@case(*STEPS)
def list_that_a_while_makes_anew_or_keeps(n, a, b):
    while n > 0 and a[0] < 5:
        a = [a[0] + 1, n] if n != 3 else a
        n -= 1
    a[1] = 9
    return n


@case(*STEPS)
def list_made_anew_at_a_break(n, a, b):
    for i in range(n):
        if i == 2:
            a = [7, 7]
            break
    else:
        a[0] = 4
    a[1] = 9
    return n


@case(*STEPS)
def best_of_several_lists(n, a, b):
    best = a
    for v in [a, b, [3, n]]:
        if v[1] > best[1]:
            best = v
    best[0] = 9
    return n


@case(*STEPS)
def none_or_an_old_list_or_a_new_one(n, a, b):
    found = None
    for i in range(n):
        if i == 1:
            found = a
        elif i == 3:
            found = [1, 2]
    if found is not None:
        found[0] = 9
    return n


@case((0,), (1,), (3,))
def lists_trade_names_in_a_loop(n):
    p, q = [1], [2]
    r = p
    for i in range(n):
        p, q = q, p
        p[0] += i + 10
    return p, q, r


@case((0,), (1,), (3,))
def dicts_with_lists_trade_names(n):
    a = {"v": [1]}
    b = {"v": [2]}
    c = a
    for _ in range(n):
        a, b = b, a
        a["v"][0] += 1
    return a, b, c


@case((1,), (-1,))
def old_or_new_list(n):
    a = [1]
    b = a
    if n > 0:
        a = [n]
    a[0] += 1
    a[-1] -= n
    return a, b


@case(([1.0, 2.0], 3), ([1.0, 2.0], 0))
def callers_list_or_a_new_one(items, n):
    for i in range(n):
        items = [items[1], items[0] + i]
    items[0] = 50.0
    return items


@case((Point(1.0), Point(2.0), 1), (Point(1.0), Point(2.0), -1))
def one_object_of_two(p, q, n):
    best = p if n > 0 else q
    best.x += 10
    best.move(n)
    if best is p:
        p.y = 7.0
    return best.x, best


@case((Point(1.0), 3), (Point(1.0), 0))
def object_made_anew_in_each_step(p, n):
    start = p
    for i in range(n):
        p = Point(p.x + i, p.y + p.x)
    p.move(1.0)
    return p, start


@case((3,), (0,))
def object_changed_and_then_made_anew(n):
    p = Point(1.0)
    start = p
    for i in range(n):
        p.x += i + 1
        p = Point(p.x, p.y + 1)
    return p.x, p.y, start.x


@case((5.0, 3), (-5.0, 3), (5.0, 0))
def best_of_new_objects(x, n):
    best = Point(x, 0.0)
    for i in range(n):
        p = Point(x * i, 1.0 * i)
        if p.x < best.x:
            best = p
    return best


@case((1,), (2,), (9,))
def one_of_three_dicts(k):
    a, b, c = {"v": 1, "w": 5}, {"v": 2, "w": 5}, {"v": 3, "w": 5}
    d = a
    if k == 1:
        d = b
    elif k == 2:
        d = c
    d["v"] *= 10
    d["w"] = k
    a["w"] += 1
    return a, b, c, d["v"]


@case((1,), (-1,))
def attribute_is_one_list_or_another(n):
    p = Point([1], [2])
    q = p.x
    if n > 0:
        p.x, p.y = p.y, p.x
    p.x[0] += 5
    q[0] = 8
    p.y[0] -= 6
    return p, q


@case((1,), (-1,))
def iteration_over_one_list_or_another(n):
    a, b = [1, 2, 3], [4, 5, 6]
    c = a if n > 0 else b
    a[0] = 10
    total = 0
    for v in c:
        total += v
    return total, len(c), c[-1], sum(c), [v * 2 for v in c], 5 in c


@case((1,), (-1,))
def lengths_differ(n):
    c = [1, 2, 3] if n > 0 else [4.5]
    return c[0]


@case((np.zeros(2), np.ones(2), 1), (np.zeros(2), np.ones(2), -1))
def arrays_inside_one_list_or_another(a, b, n):
    p, q = [a], [b]
    r = p if n > 0 else q
    r[0][0] = 5
    r[0] += 1
    r[0] = r[0] * 2
    return p[0], q[0]


@case((1,), (-1,))
def choice_inside_a_choice(n):
    a, b = [1], [2]
    c = a if n > 0 else b
    d = b if n > 0 else c
    d[0] += 5
    c[0] *= 3
    return a, b, c is d


@case((1.5,), (-1.5,))
def method_of_one_function_or_another(x):
    f = np.sin if x > 0 else np.cos
    return f(x)


@case((2,), (0,))
def nested_loops_make_objects(n):
    p = Point(0, 1)
    for i in range(n):
        for j in range(i):
            p = Point(p.x + j, p.y + i)
        if i > 0:
            p = Point(p.y, p.x)
    return p.x, p.y


@case(*STEPS)
def list_of_more_items_than_before_the_loop(n, x, y):
    m, told, a = [[1]], [], [1]
    i = 0
    while i < n:
        told.append(i)
        i += 1
        m = [a, a]
    a.append(3)
    return m, a, told


@case(*STEPS)
def list_of_a_new_one_twice(n, x, y):
    m, told, b = [[1]], [], [2]
    i = 0
    while i < n:
        told.append(i)
        i += 1
        b = [i]
        m = [b, b]
    m[0].append(3)
    return m, b, told


@case(*STEPS)
def list_of_one_that_each_step_makes_longer(n, x, y):
    m, told, a = [[1]], [], [2]
    i = 0
    while i < n:
        told.append(i)
        i += 1
        a.append(i)
        m = [a, [i]]
    m[0].append(3)
    return m, a, told


@pytest.mark.parametrize("program", case.programs)
def test_identity(program: Program) -> None:
    program.check()


def test_one_or_two_objects_by_branch_are_refused() -> None:
    def f(n):
        if n > 0:
            a = b = [1]
        else:
            a, b = [1], [1]
        a[0] = 5
        return b

    with pytest.raises(AliasError, match=r"one new list, dict or object in one branch of the if at .*make a copy"):
        jit(f, auto_static=False)(1)


def test_one_list_or_another_grows() -> None:
    def f(n):
        a, b = [1], [2]
        c = a if n > 0 else b
        c.append(n)
        return a, b

    for n in (1, -1):
        assert jit(f, auto_static=False)(n) == f(n)


def test_a_list_from_outside_that_grows_is_refused() -> None:
    found = []

    def f(n):
        if n > 0:
            found.append(n)
        return n

    with pytest.raises(StructureMismatchError, match=r"list .*holds 0 items or 1 item, depending on"):
        jit(f, auto_static=False)(1)


def test_a_list_that_grows_beside_a_table_begins_with_the_same_arrays() -> None:
    def f(n, k, a, b, items):
        table = [[i * j for j in range(4)] for i in range(10)]
        for i in range(n):
            table[i % 10], table[k] = table[k], table[i % 10]
        if a[0] < n:
            items.append(b)
        return table

    for n in (0, 3):
        a, b = np.arange(3.0), np.arange(3.0) * 2
        plain, compiled = [a, b], [a, b]
        assert jit(f, auto_static=False)(n, 2, a, b, compiled) == f(n, 2, a, b, plain)
        assert [item is first for item, first in zip(compiled, (a, b), strict=False)] == [True, True]
        assert len(compiled) == len(plain)
