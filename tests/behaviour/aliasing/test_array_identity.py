"""Which array a name stands for: handed on, swapped and shared, in branches and loops."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import AliasError, UnsupportedOperationError, jit
from anabranch.runtime.api import functional
from tests.program_table import Program, Table

case = Table()
CHOSEN = tuple((n, np.arange(4.0), np.arange(4.0) * 10) for n in range(3))
ARRAYS = [(n, np.arange(4.0), np.arange(4.0) * 10, np.arange(4.0) * 100) for n in range(5)]


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


@case(*ARRAYS)
def one_new_array_by_two_names_in_either_branch(n, a, b, c):
    if n > 1:
        y = z = a.copy()
    else:
        y = z = a * 2
    return y is z, y is a


@case(*ARRAYS)
def a_view_of_a_new_array_by_two_names(n, a, b, c):
    y, z, x = a, b, b
    if n > 1:
        y = a + 1
        z = y[:]
        x = z
    return y is z, y is x, z is x


@case(*ARRAYS)
def a_new_array_or_a_view_of_it(n, a, b, c):
    y, z = a, b
    if n > 0:
        y = a + 1
        z = y[:] if n > 1 else y
    return y is z


@case(*ARRAYS)
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


@case(*CHOSEN)
def an_array_chosen_in_a_step_from_the_one_before(n, a, b):
    y = a if n > 1 else b
    found = 0
    for _ in range(n + 1):
        y = y if n > 1 else b
        found = found + (1 if y is a else 10)
    return found


@case(*CHOSEN)
def an_array_kept_where_a_step_chose_it(n, a, b):
    y = a if n > 1 else b
    kept = b
    for _ in range(n + 1):
        y = y if n > 1 else b
        kept = a if y is a else kept
    return kept


def test_the_shape_of_an_array_or_a_view_of_it_is_not_set() -> None:
    def f(n, a):
        y = a if n > 0 else a[:]
        y.shape = (2, 2)
        return y

    with pytest.raises(UnsupportedOperationError, match="make a view"):
        jit(f)(1, np.arange(4.0))


@pytest.mark.parametrize("program", case.programs)
def test_identity(program: Program) -> None:
    program.check()


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


@case(*ARRAYS)
def written_arrays_that_trade_places_with_views_of_all_of_them(n, a, b, c):
    y, z = a, b
    for _ in range(n):
        z[1] += 2
        y, z = z, y[:]
    return y is a, z is b, y is b, z is a, y is z
