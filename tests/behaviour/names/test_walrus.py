"""Assignment expressions at every place where an expression can stand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anabranch import ConcretizationError
from tests.program_table import Program, Table

case = Table()


def noted(log, value):
    log.append(value)
    return value


def counted(log, value):
    log[0] += 1
    return value


# fmt: off
@case((5,), (0,), (1,))
def loop_test(n):
    s = 0
    while (m := n - 1) >= 0:
        s += m
        n = m
    return s, m


@case((5, 3), (0, 3), (9, 20))
def loop_test_behind_and(n, k):
    m = 100
    s = 0
    while s < k and (m := n - s) > 1:
        s += m
    return s, m


@case((5, 3), (0, 3), (9, 2))
def loop_test_with_else_break_continue(n, k):
    s = 0
    while (m := n - s) > 0:
        s += 1
        if m == k:
            break
        if m % 2:
            continue
        s += 1
    else:
        s += 100
    return s, m


@case((3, 2), (2, 0), (4, 9))
def loop_test_whose_else_leaves_the_loop_around(n, k):
    t = 0
    for i in range(n):
        c = 0
        while (d := i - c) > 0:
            c += 1
            if c > k:
                break
        else:
            t += 10
            if i == 1:
                continue
            if i == 3:
                break
        t += d + c
    return t


@case((6,), (0,))
def loop_test_nested(n):
    s = 0
    while (a := n - s) > 0:
        j = 0
        while (b := a - j) > 2:
            j += 1
        s += b + 1
    return s


@case((10,), (0,))
def loop_test_returns_inside(n):
    k = 0
    while (m := n - k) > 0:
        if m * m < 20:
            return m, k
        k += 1
    return -1, m


@case((2.0, 1.0), (-2.0, 1.0), (-2.0, -1.0))
def unset_behind_or(x, y):
    if x > 0 or (z := y * 3) > 0:
        return x
    return z - 10


@case((2.0, 1.0), (-2.0, 1.0), (-2.0, -1.0))
def read_where_it_may_be_unset(x, y):
    if x > 0 or (z := y * 3) > 0:
        return z
    return z - 10


@case((2, 1), (-2, 1), (0, 0))
def in_both_sides_of_a_chain_of_ands(a, b):
    p = q = 7
    r = (p := a + 1) > 0 and (q := b + p) > 1 and p + q
    return p, q, r


@case((2.0,), (-2.0,))
def in_a_ternary(x):
    y = 1.0
    r = (y := x) if x > 0 else (y := -x) * 10
    return r, y


@case((2.0, 3.0), (-2.0, 3.0), (-2.0, -3.0))
def in_nested_ternaries(x, w):
    r = (a := x) if x > 0 else ((b := w) if w > 0 else (a := -w))
    return r, a if x > 0 or w <= 0 else b


@case((3,), (0,))
def in_a_list_display_leaks(n):
    a = [(last := v * n) for v in (1, 2, 3)]
    return a, last


@case((3,), (0,))
def in_a_comprehension_over_nothing(n):
    last = n
    a = [(last := v) for v in ()]
    return a, last


@case((3,), (0,))
def in_a_comprehension_over_nothing_is_unset(n):
    a = [(last := v) for v in ()]
    return a, n, last


@case((3,), (0,))
def in_a_comprehension_in_a_branch(n):
    last = -1
    if n > 0:
        a = sum([(last := v * n) for v in (1, 2)])
    else:
        a = 0
    return a, last


@case((3,), (0,))
def in_a_comprehension_in_a_loop(n):
    t = 0
    for i in range(n):
        t += sum([(last := v + i) for v in (1, 2)])
    return t, n if n < 1 else last


@case((3,), (0,))
def ternary_of_comprehension_variables(n):
    seen = 0
    a = [v if v > n else (seen := v * 10) for v in (1, 2, 5)]
    return a, seen


@case((np.array([1.0, 5.0, 2.0]), 3.0), (np.array([1.0, 0.0, 2.0]), 3.0))
def witness_of_any(a, t):
    if any((hit := v) > t for v in a):
        return hit
    return -hit


@case(([1, 5, 2], 3), ([1, 0, 2], 3))
def witness_of_all(a, t):
    r = all((low := v) < t for v in a)
    return r, low


@case((4,), (-4,))
def in_elif_tests(n):
    if (a := n * 2) > 100:
        r = a
    elif (b := a + 1) > 5:
        r = b
    elif (c := b - 1) > 0:
        r = c
    else:
        r = a + b + c
    return r, a, b


@case((4,), (-4,))
def in_call_arguments_left_to_right(n):
    log = []
    r = max((y := noted(log, n)), noted(log, y + 1), y)
    return r, y, log


@case((2.0,), (-2.0,))
def in_keyword_arguments(x):
    d = dict(a=(y := x * 2), b=y + 1)
    return d, y


@case((1,), (2,))
def in_a_subscript(n):
    a = np.arange(5.0)
    a[(i := n + 1)] = i * 10  # noqa: F821
    b = a[(j := i - 1):j + 2]
    return a, b, i, j


@case((1,), (2,))
def in_a_subscript_behind_a_condition(n):
    a = np.arange(5.0)
    i = 0
    a[(i := n + 1) if n > 1 else 0] = 50
    return a, i


@case((3,), (-3,))
def in_chained_comparisons(n):
    r = 0 < (m := n + 1) < 10
    return r, m


@case((3,), (-3,))
def in_the_last_of_a_chain(n):
    m = 0
    r = 0 < n < (m := n + 1)
    return r, m


@case((3,), (-3,))
def in_an_assert(n):
    assert (m := n * n) > 0  # noqa: RUF018
    return m


@case((3.0,), (-3.0,))
def in_an_assert_message(x):
    m = 1
    assert x < 100, (m := 5)  # noqa: RUF018
    return m, x


@case((3,), (-3,))
def as_a_default_of_a_lambda(n):
    f = lambda v=(d := n * 2): v + d  # noqa: E731
    return f(), f(1), d


@case((3,), (-3,))
def inside_a_lambda(n):
    f = lambda v: (w := v * 2) + w  # noqa: E731
    return f(n), f(2)


@case((3,), (-3,))
def in_a_return_and_a_tuple(n):
    return (a := n + 1), (b := a * 2), a + b


@case((3,), (-3,))
def read_on_both_sides(n):
    a = n
    return a + (a := a * 2) + a


@case((3, 4), (3, 0))
def in_a_comprehension_of_a_try_with_nonlocal(n, m):
    def inner(k):
        nonlocal n
        try:
            found = [12 // (n := m - i) for i in range(k)]
        except ZeroDivisionError:
            found = [n]
        return found

    return inner(2), n


@case((3, 4), (3, 0))
def in_a_comprehension_of_a_finally_with_nonlocal(n, m):
    def inner(k):
        nonlocal n
        try:
            k += 1
        finally:
            found = [(n := m + i) for i in range(2)]
        return found

    return inner(2), n


@case((3,), (-3,))
def in_an_inner_function_with_nonlocal(n):
    k = 0

    def g(v):
        nonlocal k
        return v > 0 and (k := v * 5) > 1

    r = g(n)
    return r, k


@case((3, 2), (-3, 2), (3, -2))
def in_operands_inside_operands(a, b):
    p = q = 0
    r = a > 0 and ((p := a) > 5 or (q := b) > 0)
    return r, p, q


@case((3,), (0,))
def in_a_for_iterable(n):
    s = 0
    for i in range(m := n + 1):
        s += i * m
    return s, m


@case((np.array([1.0, 4.0]), 1), (np.array([1.0, 4.0]), 0))
def array_bound_behind_and(a, n):
    b = a
    if n > 0 and (b := a * 2).sum() > 3:
        b += 1
    return a, b


@case((3,), (-3,))
def augmented_after_a_maybe(n):
    c = 1
    n > 0 and (c := n)
    c += 10
    return c


@case((4,), (0,))
def maybe_in_a_loop(n):
    best = -1
    for i in range(n):
        i % 2 and (best := i)
    return best


@case((4,), (0,), (2,))
def maybe_in_a_while_with_break(n):
    k = 0
    while k < 10:
        k += 1
        if k > n and (m := k * 2) > 6:
            break
    return k, m


@case((2.0,), (-2.0,))
def in_a_with_and_a_try(x):
    r = 0.0
    try:
        if x > 0 and (r := math.sqrt(x)) > 1:
            r += 1
    finally:
        r += 100
    return r


@case((2,), (-2,))
def annotated_target_and_value(n):
    k: int = (m := n + 1)
    return k, m


@case((2,), (-2,))
def deleted_and_bound_again(n):
    m = 5
    del m
    n > 0 and (m := n)
    if n > 0:
        return m
    return n


@case((3, 0), (0, 0), (3, 2))
def once_only_evaluation(n, k):
    log = [0]
    r = (n > k and (m := counted(log, n)) > 0) or counted(log, -1) > 0
    return r, log, m if n > k else 0


@case((3,), (-3,))
def lambda_reads_the_name_late(n):
    f = lambda: m + 1  # noqa: E731
    m = 0
    n > 0 and (m := n)
    return f()


@case((3,), (-3,))
def in_a_dict_display_and_set(n):
    return {1: (a := n), 2: a + 1}, [*(b := [n, a])], b


@case((3,), (-3,))
def in_the_condition_of_a_comprehension(n):
    a = [m for v in (1, 2, 3) if (m := v) > 1]
    return sum(a) * n, m, {k for k in (1, 2) if (m := k) < 2}


@case((3,), (-3,))
def in_a_condition_of_a_comprehension_for_which_an_argument_becomes_static(n):
    return sum(m for v in (n, 2, 3) if (m := v) > 1), {k: n for k in range(3) if k < n}


@case((np.array([3, 1]),))
def in_a_condition_of_a_comprehension_that_only_the_run_decides(b):
    return sum(m for v in b if (m := v) > 1)


@case((np.array([3, 1]),), (np.array([0, 1]),))
def a_condition_of_a_set_that_only_the_run_decides(b):
    return len({k for k in range(2) if b[k] > 1})


@case((np.array([3, 1, 2]),), (np.array([0, 1, 2]),))
def in_a_condition_of_a_loop_instead_of_a_comprehension(b):
    total, m = 0, 0
    for v in range(int(b[0])):
        if (m := v + m) > 1:
            total += m
    return total, m
# fmt: on


A = np.array([1.0, -2.0, 3.0])


@case((A,), (-A,), (A[:0],))
def in_conditions_of_comprehensions(a):
    doubled = [y for v in a if (y := v * 2) > 1]
    both = [(v, y, z) for v in a if v > -5 and (y := v * 3) > 1 and (z := y + 1) > 4]
    kept = [v for v in a if not (_unused := v) > 1]
    return doubled, both, kept, [y for v in a if abs(y := v) > 1 if y < 3]


@case((A,), (-A,))
def in_conditions_of_generators(a):
    total = sum(y * y for v in a if (y := v + 1) > 0)
    some = any((z := v) > 2 and z < 9 for v in a if v > 0)
    return total, some, [[y for w in range(2) if (y := v * w) > 1] for v in a]


@case((A,))
def of_the_function_in_a_comprehension(a):
    y = 1.0
    found = [(y := y + v) for v in a]
    return found, y


@case((A,), refused=ConcretizationError)
def of_the_function_in_a_condition(a):
    found = [y for v in a if (y := v * 2) > 1]
    return found, y


@case((A,), refused=ConcretizationError)
def where_it_may_not_run_in_a_condition(a):
    return [v for v in a if v > 2 or (y := v) > 1]  # noqa: F841


@pytest.mark.parametrize("program", case.programs)
def test_walrus(program: Program) -> None:
    program.check()
