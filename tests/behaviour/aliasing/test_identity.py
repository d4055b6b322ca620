"""Which list, dict, object or array a name stands for: bound anew, swapped and shared, in branches and loops."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np
import pytest

from anabranch import AliasError, StructureMismatchError, UnsupportedOperationError, jit
from anabranch.runtime.api import functional
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


@case((0,), (1,), (2,))
def first_list_is_written_then_replaced(n):
    items = [0, 1]
    other = items
    for _ in range(n):
        items[0] += 5
        items = [items[1], items[0]]
    return items, other


@case((1,), (-1,))
def one_new_list_has_two_names(n):
    if n > 0:
        a = b = [1, n]
    else:
        a = b = [2, n]
    a[0] = 5
    return b


@case((0,), (2,))
def two_names_for_one_new_list_after_a_loop(n):
    a = [0, 0]
    b = [1, 1]
    for i in range(n):
        a = b = [i, n]
    a[0] = 77
    return a, b


@case((1,), (-1,))
def rows_swapped_in_a_branch(n):
    grid = [[1, 2], [3, 4]]
    row = grid[0]
    if n > 0:
        grid[0], grid[1] = grid[1], grid[0]
    grid[0][0] = 9
    return grid, row


@case(([[1, 2], [3, 4]], 1), ([[1, 2], [3, 4]], -1))
def rows_of_the_caller_swapped(grid, n):
    row = grid[0]
    if n > 0:
        grid[0], grid[1] = grid[1], grid[0]
    grid[0][0] = 9
    return row


@case(*ARRAYS)
def array_handed_on_before_it_is_new(n, a, b, c):
    p = b
    for i in range(n):
        a = b
        b = b * 2
    a += 1
    return p, a, b


@case(*ARRAYS)
def arrays_handed_along_three_names(n, a, b, c):
    p, q, r = a, b, c
    for i in range(n):
        a = b
        b = c
        c = c + 1
    a += 1
    b += 2
    c += 4
    return p, q, r, a, b, c


@case(*ARRAYS)
def arrays_handed_on_from_one_that_stays(n, a, b, c):
    p, q = a, b
    for i in range(n):
        a = b
        b = c
    a += 1
    b += 2
    return p, q, c, a, b


@case(*ARRAYS)
def view_handed_on(n, a, b, c):
    p, q, r = a, b, c
    for i in range(n):
        a = b
        b = c[::-1]
    a[0] += 1
    b[1] += 7
    return p, q, r, a, b, c


@case(*ARRAYS)
def one_array_by_three_names_after_a_loop(n, a, b, c):
    p, q, r = a, b, c
    for i in range(n):
        a = b
        b = b
        c = a
    a[0] += 1
    c[1] += 7
    return p, q, r, a, b, c


@case(*ARRAYS)
def arrays_in_a_circle_with_a_new_one(n, a, b, c):
    p, q, r = a, b, c
    for i in range(2):
        a, b, c = b, c, a + 1
    a += 1
    b += 2
    return p, q, r, a, b, c


@case(
    (np.array([0]), *ARRAYS[0][1:]),
    (np.array([1]), *ARRAYS[0][1:]),
    (np.array([2]), *ARRAYS[0][1:]),
    (np.array([4]), *ARRAYS[0][1:]),
)
def arrays_handed_on_and_written(n, a, b, c):
    for _ in range(n[0]):
        a = b
        b = c
        c = c * 2
        a += 1
    return a, b, c


@case(*ARRAYS)
def one_of_two_arrays_added_to_both(n, a, b, c):
    y = a if n > 1 else b
    for _ in range(n):
        a += y
        b += y
    return a, b, y


@case(*ARRAYS)
def an_array_that_is_bound_anew_after_the_other_changed_it(n, a, b, c):
    y = b if n > 2 else a
    for _ in range(n):
        np.clip(y, 0, 5, out=y)
        y = y + a
    return a, b, y


@case(*ARRAYS)
def a_direction_that_starts_as_the_residual(n, a, b, c):
    p = a
    for _ in range(n):
        b += 0.5 * p
        a -= 0.25 * b
        p = a + 2 * p
    return a, b, p


@case(*ARRAYS)
def arrays_swapped_by_a_third_name_and_written(n, a, b, c):
    p, q = a, b
    t = c
    for _ in range(n):
        t = a
        a = b
        b = t
        a += 1
    t += 100
    return p, q, t, a, b


@case(*ARRAYS)
def the_smallest_so_far_and_the_last(n, a, b, c):
    best = last = a
    for k in range(n):
        last = b if k % 2 else c
        last[0] -= 3
        if last[1] - k < best[1]:
            best = last
        best[2] += 1
    best[3] = -1
    return a, b, c, best, last


@case(*ARRAYS)
def new_arrays_under_two_names_written_by_each(n, a, b, c):
    y = z = a
    for k in range(n):
        y += 1
        if k != 1:
            y = z = y * 2
        z[0] = -k
    z[1] = 50
    y[2] = 60
    return a, y, z


@case(*ARRAYS)
def rows_that_a_loop_keeps_and_writes(n, a, b, c):
    m = np.stack([a, b, c])
    before = row = m[0]
    for k in range(n):
        before, row = row, m[k % 3]
        before += 1
    before[1] = -5
    row[2] = -6
    return m, before, row


@case(*ARRAYS)
def parts_of_a_new_array_in_each_step(n, a, b, c):
    y, z = a, b
    for _ in range(n):
        y = y * 2
        z = y[::-1]
    z[0] = -1
    y[1] = -2
    return a, b, y, z


@case(*ARRAYS, refused=AliasError)
def a_new_array_and_what_may_be_a_view_of_it(n, a, b, c):
    y, z = a, b
    for _ in range(3):
        z = z * 2
        y = y[::-1] if n == 7 else z[::-1]
    z[0] = 99
    return y + 0, z


@case(*ARRAYS, refused=AliasError)
def what_may_be_a_view_and_a_new_array(n, a, b, c):
    z, y = a, b
    for _ in range(3):
        y = y * 2
        z = z[::-1] if n == 7 else y[::-1]
    y[0] = 99
    return z + 0, y


@case(*ARRAYS)
def arrays_of_two_loops_within_each_other(n, a, b, c):
    y = a
    for k in range(n):
        for j in range(2):
            y += 1
            a, y = (y, a) if k > j else (a, b)
        b[k % 4] = -k
    y[0] = 99
    return a, b, y


@case(*ARRAYS)
def an_item_that_a_condition_chooses_written_in_a_branch(n, a, b, c):
    rows = [a, b]
    if n > 1:
        rows[n % 2] += 1
    b[0] = 7
    rows[0][1] = 8
    return a, b, rows[0], rows[1]


@case(*ARRAYS, refused=UnsupportedOperationError)
def a_view_made_anew_that_may_be_the_array(n, a, b, c):
    y = a if n > 1 else b
    for _ in range(n + 1):
        y = y[:]
    return 1 if y is b else 0


@case(*ARRAYS)
def a_chosen_array_or_a_view_of_it(n, a, b, c):
    z = a if n > 1 else b
    if n % 2 == 0:
        z = z[:]
    return 1 if a is z else 0


@case(*ARRAYS)
def one_of_two_objects_of_the_same_memory(n, a, b, c):
    y = a[:]
    y = y if n > 2 else a
    return 1 if a is y else 0


@case(*ARRAYS)
def an_array_or_a_view_of_it_is_returned(n, a, b, c):
    y = a if n > 2 else a[:]
    z = y if n > 1 else a
    if n == 2:
        b[0] += 1
    else:
        b = b.reshape(-1)
    return y, z, b, y, y is z, a is y, z is a, y is y


@case(*ARRAYS)
def a_dict_of_arrays_or_of_views_of_them(n, a, b, c):
    d = {"a": a, "b": [b]}
    if n > 2:
        d = {"a": a.view(), "b": [b[:]]}
    d["b"][0][1] = 7
    return d, d["a"] is a, d["b"][0] is b


@case(*ARRAYS)
def a_view_of_what_was_chosen_before(n, a, b, c):
    z = a if n > 1 else b
    y = z if n > 2 else z[:]
    y[0] += 1
    return y is z, y is a, y is b, b is y


@case(*ARRAYS)
def an_array_or_a_view_of_it_by_two_conditions(n, a, b, c):
    if n > 2:
        y = a
    elif n > 1:
        y = a[:]
    else:
        y = a
    return y is a


@case(*ARRAYS)
def an_array_or_a_view_of_it_by_conditions_in_conditions(n, a, b, c):
    y = a[:]
    if n > 0:
        m = n * 2
        if m > 2:
            if m > 4:
                y = a
    return y, a, y is a


@case(*ARRAYS)
def a_view_of_a_chosen_array_before_it(n, a, b, c):
    y = a if n > 1 else b
    z = y
    y = y[:]
    return y, z, {"p": z, "q": y}, a, b


@case(*ARRAYS)
def a_view_of_a_chosen_array_under_its_name(n, a, b, c):
    b = b if n % 2 == 0 else a
    b = b[:]
    return a, b


@case(*ARRAYS)
def a_view_of_a_chosen_array_given_by_a_branch(n, a, b, c):
    if n > 0:
        y = a if n > 1 else b
        y = y[:]
    else:
        y = a
    return y, a, b


@case(*ARRAYS)
def a_view_of_an_argument_or_a_new_array_before_it(n, a, b, c):
    y = a if n > 2 else np.zeros(4)
    return y[:], y, y[:]


@case(*ARRAYS)
def one_of_two_objects_of_one_memory_by_a_computed_index(n, a, b, c):
    y = a[:]
    if n % 2 == 0:
        a = (a, y)[n % 2]
    return n, a, y


@case(*ARRAYS)
def an_item_that_is_an_array_or_a_view_of_it(n, a, b, c):
    y = a[:]
    s = [y, y] if n % 2 == 0 else [a, b]
    s[0] = a
    return y, s[0], a


@case(*ARRAYS)
def a_dict_that_holds_an_array_or_a_view_of_it(n, a, b, c):
    d = {"k": a}
    if n > 0:
        m = n * 2
        if m > 2:
            d["k"] = a[:]
    return d, a, d["k"] is a


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


def test_the_shape_of_an_array_or_a_view_of_it_is_not_set() -> None:
    def f(n, a):
        y = a if n > 0 else a[:]
        y.shape = (2, 2)
        return y

    with pytest.raises(UnsupportedOperationError, match="bind a view"):
        jit(f)(1, np.arange(4.0))


@case(*ARRAYS)
def which_of_two_arrays(n, a, b, c):
    z = b if n > 2 else a
    y = a if n > 1 else b
    x = z if n > 0 else c
    return z is b, z is not a, z is y, y is b, x is z, x is c, z[:] is z, y is not None


@case((np.array([2]), *ARRAYS[0][1:]), refused=UnsupportedOperationError)
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


@case((np.arange(4.0),), (np.arange(3),))
def views_of_all_of_an_argument(a):
    r = a[:]
    return r, a[...], a.view(), a.T, a.reshape(-1), np.rollaxis(a, 0), r is a, r is r[:], a is a


@case((np.arange(4.0),), (np.zeros(0),), (np.ones(1),))
def views_of_all_of_a_new_array(a):
    z = a * 2
    r = z[:]
    return z, r, r, z.T, z


@case((1, np.arange(4.0)), (-1, np.arange(4.0)))
def a_view_of_all_beside_what_is_a_list_or_a_number(n, a):
    y = a[:]
    if n > 0:
        d, y = 0, a
    else:
        d = [y]
    if isinstance(d, list):
        d[0][1] = 7
    return y, isinstance(d, list)


@case((1, np.arange(4.0)), (-1, np.arange(4.0)), (3, np.arange(4.0)))
def a_view_of_all_in_one_of_two_lists_beside_a_number(n, a):
    y = a[:]
    d = 0 if n > 2 else [a] if n > 0 else [y]
    return d, a


@case((1, np.arange(4.0)), (-1, np.arange(4.0)), (-3, np.arange(4.0)))
def a_view_of_all_where_another_branch_returns_early(n, a):
    if n > 0:
        a = a.reshape(-1)
    elif n < -2:
        return a
    return a


VIEWS = [(n, np.array([x, y, 0.0]), np.ones(3)) for n in (1, -1) for x in (0.0, 1.0) for y in (0.0, 1.0)]


@case(*VIEWS)
def a_view_of_all_in_a_branch_of_a_branch(n, a, b):
    if n > 0:
        b = a
        if a[0] > 0:
            b = b.reshape(-1)
    return b


@case(*VIEWS)
def a_view_of_a_view_in_a_branch_of_a_branch(n, a, b):
    if n > 0:
        b = a[:]
        if a[0] > 0:
            b = b.reshape(-1)
    return b


@case(*VIEWS)
def a_view_of_all_three_branches_deep(n, a, b):
    if n > -5:
        if n > 0:
            c = a
            if a[0] > 0:
                c = a[:]
            if a[1] > 0:
                c = b
            b = c
        b[2] += 1
    return b, a


@case((1, np.arange(4.0), np.ones(4)), (-1, np.arange(4.0), np.ones(4)))
def a_view_of_all_or_another_array(n, a, b):
    if n > 0:
        r = a[:]
    else:
        r = b
    return r


@case((1, np.arange(4.0), np.ones(4)), (-1, np.arange(4.0), np.ones(4)))
def a_view_of_all_is_written_under_a_condition(n, a, b):
    r = a[:]
    if n > 0:
        r[0] = 5
        b = a
    return r, a, b, b is a


@case((0, np.arange(4.0)), (3, np.arange(4.0)))
def a_view_of_all_is_written_in_a_loop(n, a):
    r = a[:]
    for i in range(n):
        r[i] += a[0] + 1
    return r, a, r is a


@case((0, np.arange(4.0)), (3, np.arange(4.0)))
def a_new_array_and_its_view_after_a_loop(n, a):
    a = a * 2
    r = a.T
    for i in range(n):
        a[i] += 1
    return a, r, [r, a]


@case((np.eye(3),), (np.arange(9.0).reshape(3, 3),))
def a_view_made_by_einsum_is_written(a):
    np.einsum("ii->i", a)[1:] = 7
    b = np.einsum("ij->ji", a)
    b[0] = 9
    return b, np.diagonal(a), np.einsum("ii->i", a)


@case(([np.arange(3.0)],))
def views_in_containers(items):
    a = items[0]
    return {"it": a, "view": a[:]}, [a, a.view()], items


Pair = collections.namedtuple("Pair", "x y")
Other = collections.namedtuple("Other", "x y")


@case(((1, 2), (3, 4), 0), ((1, 2), (3, 4), 1))
def picked_tuple_is_not_the_other(a, b, i):
    c = (a, b)[i]
    d = (b, a)[i]
    return c is d, c, d


@case((Pair(1, 2), Other(1, 2), 0), (Pair(1, 2), Other(1, 2), 1))
def class_of_a_picked_namedtuple(a, b, i):
    c = a if i else b
    return c, type(c).__name__, isinstance(c, Pair), isinstance(c, Other)


@case((0,), (1,))
def constant_tuple_picked_by_an_index(i):
    ts = [(1, 2), (3, 4), (5.0, 6)]
    t = ts[i + 1]
    return t is ts[0], t


@case((1,), (3,))
def tuple_that_a_loop_binds_anew(n):
    t = (0, 0)
    u = t
    for i in range(n):
        t = (i, i + 1)
    return t is u, t


@case((np.float64(2.5), 1), (np.float64(np.nan), 1))
def numpy_scalar_that_a_loop_binds_anew(x, n):
    y = x
    for _ in range(n):
        y = 1.0 - y * 0.0 if n < 0 else np.float64(n)
    return y is x


@case((np.array([1.0, 1.0]),))
def numpy_scalars_of_two_readings_are_two(a):
    return a[0] is a[0], a[0] is a[1], a[0] + 1.0 is a[0] + 1.0


@case((np.array([True, False]), 0), (np.array([True, False]), 1))
def numpy_bools_are_two_objects(a, n):
    picked = a[0] if n else a[1]
    return a[n] is np.True_, (a[0] & a[1]) is np.False_, picked is a[n], np.all(a) is np.False_, a[n] is True


@case((np.arange(4, dtype=np.float32),), (np.arange(4),), (np.array([True]),))
def dtypes_are_the_one_object_of_numpy(a):
    b = np.zeros_like(a)
    return (a + a).dtype is b.dtype, b.dtype is np.dtype(b.dtype.type), b.copy().dtype is b.dtype


@case((np.arange(4, dtype=np.float32),), (np.arange(4.0),))
def dtype_of_an_argument_is_the_one_object_of_numpy(a):
    return a.dtype is np.dtype(np.float32), a.dtype is np.dtype(float)


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

    with pytest.raises(StructureMismatchError, match=r"list .*holds 0 items or 1 items, depending on"):
        jit(f, auto_static=False)(1)


def test_operands_of_a_switch_are_written() -> None:
    def f(k):
        items = [1, 2]

        def first(values):
            values[0] = 10

        def second(values):
            values[1] = 20

        functional.switch(k, [first, second], items)
        return items

    assert jit(f)(0) == [10, 2]
    assert jit(f)(1) == [1, 20]


def test_identity_of_what_was_put_together_is_refused_where_it_is_equal() -> None:
    def by_branch(x):
        p = (x, 1.0)
        q = p
        if x > 0:
            q = (x, 2.0)
        return q is p

    def by_loop(x):
        p = ("a", x)
        q = p
        for _ in range(int(x)):
            q = ("a", q[1] + 1.0)
        return q is p

    def by_index(x):
        pairs = [(1, 2), (3, 4)]
        return pairs[int(x)] is pairs[0]

    def of_scalars(x):
        a = np.float64(1.0) + x
        b = a
        for _ in range(int(x)):
            b = b + 1.0
        return b is a

    for f, different, one in (
        (by_branch, 1.0, -1.0),
        (by_loop, 1.0, 0.0),
        (of_scalars, 1.0, 0.0),
        (by_index, 1.0, 0.0),
    ):
        compiled = jit(f, auto_static=False)
        assert compiled(different) is f(different) is False
        assert f(one) is True
        with pytest.raises(UnsupportedOperationError, match=r"whether this .* is that one is not known"):
            compiled(one)


def test_identity_of_what_one_branch_gave_with_none_and_itself() -> None:
    def f(x):
        q = (x, 1.0)
        if x > 0:
            q = (x, 2.0)
        r = q
        return q is r, q is None, q is not r

    assert jit(f)(1.0) == f(1.0) == (True, False, False)


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


def test_arrays_of_run_time_size_from_a_loop() -> None:
    def f(n, a):
        r = a[:n]
        q = r
        for i in range(3):
            if a[i] > 1:
                r = r * 2
        return r is None, r is np, r is q

    with pytest.raises(UnsupportedOperationError, match="whether this ndarray is that one is not known"):
        jit(f, auto_static=False)(2, np.arange(4.0))
