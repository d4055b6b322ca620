"""Programs about control flow and the order of evaluation, written to come out silently wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()


def noisy(log, value, answer):
    log[0] = log[0] * 10 + value
    return answer


def step_list(items, k):
    items[0] = items[0] + k
    items[1] = items[0] * 2


@case((1, 0), (0, 1), (1, 1), (0, 0))
def short_circuit_with_side_effects(a, b):
    log = [0]
    p = noisy(log, 1, a) and noisy(log, 2, b)
    q = noisy(log, 3, a) or noisy(log, 4, b)
    return p, q, log[0]


@case((1, 2, 3), (2, 1, 3), (1, 3, 2))
def chained_comparison_evaluates_once(a, b, c):
    log = [0]
    r = noisy(log, 1, a) < noisy(log, 2, b) < noisy(log, 3, c)
    return r, log[0]


@case((1,), (-1,))
def ternary_with_side_effects(a):
    log = [0]
    r = noisy(log, 1, 5) if noisy(log, 2, a) > 0 else noisy(log, 3, 6)
    return r, log[0]


@case((4,), (0,))
def while_condition_with_side_effects(n):
    log = [0]
    c = 0
    while noisy(log, 1, c) < n and c < 20:
        c += 1
    return log[0], c


@case((3, 3), (3, 1), (0, 0))
def else_of_the_loop_after_a_last_continue(n, k):
    s = 0
    for i in range(n):
        if i == k:
            break
        if i == n - 1:
            continue
        s += 1
    else:
        s += 1000
    return s


@case((4,), (0,), (12,))
def inner_else_continues_outer_else_runs(n):
    s = 0
    for i in range(n):
        for j in range(i):
            s += 1
            if j == 7:
                break
        else:
            continue
        break
    else:
        s += 1000
    return s


@case((4,), (12,))
def inner_else_continues_and_nothing_else_is_carried(n):
    for i in range(n):
        while i > 0:
            if i == 7:
                break
            i -= 1
        else:
            continue
        return -1
    return 1


@case((5,), (2,))
def break_with_nothing_carried_but_an_array(n):
    a = np.zeros(6)
    for i in range(n):
        a[i] = 1
        if i == 2:
            break
        a[i] = 2
    return a


@case((5,), (2,))
def return_with_nothing_carried(n):
    for i in range(n):
        if i == 3:
            return True
    return False


@case((5,), (2,))
def while_continue_as_last(n):
    s = 0
    while n > 0:
        n -= 1
        if n % 2:
            s += 1
            continue
        else:
            s += 10
            continue
    else:
        s += 100
    return s


@case((5, 9), (5, 2), (0, 2))
def return_inside_the_else_of_a_loop(n, k):
    s = 0
    for i in range(n):
        s += i
        if i == k:
            break
    else:
        if s > 3:
            return s
        s += 100
    return -s


@case((3, 1), (3, 5), (6, 2))
def exits_of_three_kinds_at_one_place(n, k):
    s = 0
    for i in range(10):
        if i > n:
            if i > k:
                return s
            elif i == 4:
                break
            else:
                continue
        s += i
    else:
        return -1
    return s * 100


@case((4,), (0,))
def loop_variable_is_changed_then_the_loop_goes_on(n):
    s = 0
    for i in range(n):
        s += i
        i += 100
        s += i
    return s


@case((3,), (0,))
def loop_variable_shadows_an_argument(n):
    for n in range(n):  # noqa: B020
        pass
    return n


@case((3,), (0,))
def inner_loop_rebinds_the_outer_bound(n):
    s = 0
    for i in range(n):
        for n in range(i):
            s += n
        s += n * 10
    return s, n


@case((3, 2), (0, 2), (3, 0))
def target_is_an_item(n, k):
    a = np.zeros(4, dtype=np.int64)
    for a[k] in range(n):
        a[3] += a[k]
    return a


@case((3,), (0,))
def target_is_a_list_item(n):
    items = [7, 0]
    for items[0] in range(n):
        items[1] += items[0]
    return items


@case((3,))
def target_is_a_nested_tuple(n):
    s = 0
    for i, (u, (v, w)) in enumerate([(1, (2, 3)), (4, (n, 6))]):
        s = s * 10 + i * u + v * w
    return s, u


@case((3,), (0,), (1,))
def list_times_and_plus(n):
    items = [n] * 3 + [1]
    items[0] += 1
    return items, items[1:], items[::-1]


@case((5,), (-5,))
def exception_in_one_branch_of_an_array_index(n):
    a = np.arange(3.0)
    if n > 0:
        return a[0]
    return a[n]


@case((5,), (0,))
def division_guarded_by_a_break(n):
    s = 0
    for d in range(n, -1, -1):
        if d == 0:
            break
        s += 100 // d
    return s


@case((5, 2), (5, 0), (0, 0))
def division_guarded_by_the_loop_not_running(n, d):
    s = 0
    for i in range(n):
        if d != 0:
            s += i // d
        else:
            s -= 1
    return s


@case((5, 0), (0, 0))
def division_hoistable_out_of_a_loop(n, d):
    s = 0
    for i in range(n):
        s += 10 // d
    return s


@case((5, 0), (-5, 0), (-5, 2))
def division_in_an_or(n, d):
    if n > 0 or 10 // d > 2:
        return 1
    return 0


@case((3,), (0,))
def zero_trips_leave_everything(n):
    a, b, c = 1, 2.0, np.ones(2)
    for i in range(n):
        a = a + i
        b = b * 2
        c = c + 1
        c[0] = a
    return a, b, c


@case((3, 10), (0, 10), (3, -10))
def while_with_compound_condition(n, k):
    s = 0
    while (n > 0 and not s > k) or s == -1:
        s += n
        n -= 1
    return s, n


@case((7,), (0,))
def while_not(n):
    done = n == 0
    s = 0
    while not done:
        s += n
        n //= 2
        done = n == 0
    return s


@case((5.5,), (0.5,))
def while_float_truthiness(x):
    c = 0
    while x // 1:
        x = x - 1
        c += 1
    return x, c


@case((10,), (3,))
def augmented_operators_on_items_evaluate_once(n):
    log = [0]
    a = np.zeros(5, dtype=np.int64)
    a[noisy(log, 1, n % 5)] += noisy(log, 2, 7)
    return a, log[0]


@case((3,), (4,))
def order_of_evaluation_of_an_assignment(n):
    log = [0]
    a = np.zeros(5, dtype=np.int64)
    a[noisy(log, 2, 1)], a[noisy(log, 3, 2)] = noisy(log, 1, n), n + 1
    return a, log[0]


@case((3,), (-3,))
def static_branch_inside_a_traced_one(n):
    mode = "x"
    if n > 0:
        if mode == "x":
            mode = "x"
            r = 1
        else:
            r = "never"
    else:
        r = 2
    return r


@case((3,), (-3,))
def ternary_of_functions_called(n):
    def f(v):
        return v + 1

    def g(v):
        return v - 1

    return (f(n) if n > 0 else g(n)), (f if n is not None else g)(n)


@case((3.5,), (-3.5,), (float("nan"),))
def nan_never_matches(x):
    r = 0
    if x != x:
        r += 1
    if not (x > 0):
        r += 10
    if x == x and x in (3.5, -1.0):
        r += 100
    while x < 0:
        x += 1
        r += 1000
    return r


@case((2**40, 2**30), (3, 4))
def int_products_in_loops(a, k):
    s = 0
    for i in range(3):
        s = (s * a + k) % 1000003
    return s


@case((300,), (20,))
def floats_from_ints_in_loops(n):
    s = 0.0
    for i in range(1, n):
        s += 1 / i - i // 3 + i % 7 * 0.5
    return s


@case((7, 3), (-7, 3), (7, -3), (6, 0))
def ranges_of_either_sign_with_else(n, k):
    s = 0
    for i in range(n, 0, -1 if n > 0 else 1):
        if i == k:
            break
        s = s * 3 + i
    else:
        s = -s
    return s


@case((5,), (0,))
def range_object_kept(n):
    r = range(n)
    s = 0
    for i in r:
        for j in r:
            s += i * j
    return s


@case((5, 2), (0, 2))
def range_attributes_and_index(n, k):
    r = range(1, 20, 3)
    s = 0
    for i in r[1:4]:
        s = s * 10 + i * n
    return s, len(r), 7 in r, k


@case((5,), (7,), (-7,), (-8,))
def range_index(k):
    return range(1, 20, 3)[k]


@pytest.mark.parametrize("program", case.programs)
def test_hostile_control(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_hostile_control_with_static_arguments(program: Program) -> None:
    program.check_static()
