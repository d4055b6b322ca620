"""`break`, `continue`, `return` and `else` of loops, at every depth."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedValueError, jit
from tests.program_table import Program, Table

case = Table()


@case((10,), (3,), (0,))
def break_in_for(n):
    s = 0
    for i in range(n):
        if s > 10:
            break
        s += i
    return s, n


@case((10,), (0,))
def continue_in_for(n):
    s = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        s = s * 2 + i
    return s


@case((10, 3), (10, 30), (0, 0))
def for_else(n, k):
    s = 0
    for i in range(n):
        if i == k:
            s += 100
            break
        s += i
    else:
        s = -s
    return s


@case((10, 3), (10, 30), (0, 3))
def while_else_with_return(n, k):
    i = 0
    while i < n:
        if i == k:
            break
        i += 1
    else:
        return -1
    return i


@case((np.array([1.0, -2.0]),), (np.array([1.0, 2.0]),))
def return_in_for_else(a):
    for v in a:
        if v < 0:
            return v
    else:
        return a.sum() * 10


@case((4, 2), (4, 9), (0, 0))
def continue_still_reaches_the_else(n, k):
    s = 0
    for i in range(n):
        if i == k:
            continue
        s += i
    else:
        s += 1000
    return s


@case((3, 4, 5), (3, 4, 2), (3, 4, 100), (0, 1, 1))
def break_inner_of_two(n, m, k):
    s = 0
    for i in range(n):
        for j in range(m):
            if i * j == k:
                break
            s += 1
        else:
            s += 100
        s += 10
    else:
        s += 1000
    return s


@case((np.arange(12).reshape(3, 4), 6), (np.arange(12).reshape(3, 4), 99))
def find_in_matrix(a, k):
    for i in range(3):
        for j in range(4):
            if a[i, j] == k:
                return i, j
    return -1, -1


@case((20, 3), (20, 0), (0, 5), (5, 50))
def nested_while_break_continue_return(n, k):
    s = 0
    while n > 0:
        n -= 1
        if n % 4 == 1:
            continue
        m = n
        while True:
            m -= 2
            if m < 0:
                break
            if m == k + 10:
                return s, n
            if m % 3 == 0:
                continue
            s += m
        if s > 60:
            break
    else:
        s = -s
    return s, n


@case((4,), (12,))
def while_inside_for_with_else(n):
    s = 0
    for i in range(n):
        j = i
        while j > 0:
            if j == 7:
                break
            j -= 1
            s += 1
        else:
            continue
        break
    else:
        return s
    return -s


@case((6,), (0,))
def return_of_the_first_iteration(n):
    for i in range(n):
        return i + 100
    return -1


@case((6,), (0,))
def break_at_once(n):
    i = -5
    for i in range(n):
        break
    return i


@case((6, 2), (6, 10))
def loop_variable_after_break(n, k):
    i = -1
    for i in range(n):
        if i == k:
            break
    return i


@case((6, 2), (6, 10))
def names_set_before_the_break(n, k):
    last = 0
    for i in range(n):
        last = i * 2
        if i == k:
            break
        last = i * 3
    return last


@case((1.0,), (5.0,), (50.0,))
def return_different_structures_is_one_type(x):
    for i in range(10):
        if x > 40:
            return i, x
        x = x + 10
    return -1, 0.0


@case((3,), (8,), (0,))
def return_none_or_value_from_loop(n):
    for i in range(n):
        if i == 5:
            return i


@case((5,), (0,))
def return_in_both_branches_in_loop(n):
    for i in range(n):
        if i > 2:
            return 1
        else:
            if i == 2:
                return 2
    return 3


@case((5,))
def break_in_else_of_if(n):
    s = 0
    while True:
        if s < n:
            s += 2
        else:
            break
    return s


@case((5, 2), (5, 9))
def write_before_break(n, k):
    a = np.zeros(6)
    for i in range(n):
        a[i] = 1
        if i == k:
            break
        a[i] = 2
    return a


@case((np.zeros(6), 5, 2), (np.zeros(6), 5, 9))
def argument_written_before_return(a, n, k):
    for i in range(n):
        a[i] = 1
        if i == k:
            return i
        a[i] = 2
    return -1


@case((4, 1), (4, 2), (4, 7))
def three_deep(n, k):
    hits = 0
    for i in range(n):
        for j in range(n):
            for m in range(n):
                if m == k:
                    break
                if (i + j + m) % 2:
                    continue
                hits += 1
            else:
                continue
            if j == k:
                break
            hits += 10
        else:
            hits += 100
            if i == k:
                return hits
    return -hits


@case((2.0, 3), (2.0, 0))
def static_break_in_traced_loop(x, n):
    for i in range(n):
        x = x + 1
        if n is None:
            break
    return x


@case((2.0,), (9.0,))
def traced_break_in_static_loop(x):
    for k in ("a", "b", "c"):
        if x > 8:
            break
        x = x * 3
    return x


@case((2.0,), (-9.0,))
def return_from_static_loop(x):
    for k in [1, 2, 3]:
        if x < 0:
            return k
        x = x - k
    return 100


@case((3, True), (3, False), static=("stop",))
def dead_code_after_break(n, stop):
    s = 0
    for i in range(n):
        s += 1
        if stop:
            break
            s += 1000
        continue
        s += 5000
    return s


@case((5,), (2,))
def return_of_the_loop_name_in_a_branch(n):
    if n > 2:
        for i in range(1, n):
            n = i
            return n
    return n


@case((-2, True, -2, np.arange(3.0)), (1, True, 7, np.arange(3.0)), (1, False, 7, np.arange(3.0)))
def return_of_one_name_in_nested_branches(n, flag, m, a):
    if flag:
        m %= 2
        if flag:
            a[n] = m
            m %= 5
            return m, m
    return n, m


@case((5,), (1,))
def the_same_twice_or_two_results_of_a_loop(n):
    if n > 2:
        k, total = 0, 0
        while k < n:
            k += 1
            total += k
        return k * 5, total
    n *= 2
    return n, n


@case((5, np.arange(3.0)), (1, np.arange(3.0)))
def zeros_twice_or_two_arrays_of_a_loop(n, x):
    if n > 2:
        a = x * 2
        for i in range(1, n):
            a[i % 3] += i
            n = i
        return n * 5, a, a * 2
    return 0, np.zeros(3), np.zeros(3)


@case((1.0,), (0.5,), (-1.0,), (3.0,))
def counter_of_a_loop_left_under_a_condition(x):
    if x > 0:
        for i in range(3):
            if x < i:
                return i, x
    return 7, x


@case((1.0,), (-1.0,), (-6.0,))
def pair_or_a_choice_of_none_and_a_pair(x):
    found = None if x > 0 else (1, x)
    return (2, x) if x < -5 else found


@case((0, 7), (1, 7))
def return_of_a_name_of_the_loop_in_a_branch(n, m):
    if n == 0:
        for i in range(2):
            if i > 0:
                return m
            m = 0
    return m


@case(([1, 2, 5], 3))
def a_name_of_a_loop_left_before_it_is_changed(levels, n):
    while True:
        for i in range(n - 1, -1, -1):
            if levels[i] < 5:
                break
        else:
            return levels
        levels[i] += 1
        i += 1


@case(([1, 2, 4], [7, 8], 3), ([5], [], 1))
def a_name_of_a_loop_left_in_a_list(levels, found, n):
    while True:
        for i in range(n):
            if levels[i] < 5:
                break
        else:
            return found
        levels[i] += 1
        found = found + [i]  # noqa: RUF005


@pytest.mark.parametrize("program", case.programs)
def test_exit(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_exit_with_static_arguments(program: Program) -> None:
    program.check_static()


def test_results_of_a_loop_in_a_branch_with_less_of_xla() -> None:
    """Without its newer emitters XLA folds more, and put two results in one place where it folded their guard."""
    wrapped = jit(return_of_a_name_of_the_loop_in_a_branch, compiler_options={"xla_cpu_use_fusion_emitters": False})
    try:
        assert wrapped(0, 7) == 0
    except UnsupportedValueError:
        pytest.skip("this jaxlib has no other emitters")
    assert wrapped(1, 7) == 7
