"""`while` and `for`: what the loop variable is afterwards, what a loop carries, how often a body is traced."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import StructureMismatchError, jit
from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()


@case((3,), (np.int64(2),))
def a_tuple_that_nests_deeper_in_each_step(n):
    t = (0.0, 1)
    for k in range(n):
        for m in range(n):
            t = (t, m + k)
    return t[1]


@case((1.0,), (200.0,))
def while_counts(x):
    n = 0
    while x < 100:
        x *= 2
        n += 1
    return x, n


@case((12, 18), (7, 0), (0, 7))
def while_int(a, b):
    while b:
        a, b = b, a % b
    return a


@case((27,), (1,))
def collatz(n):
    c = 0
    while True:
        if n == 1:
            break
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        c += 1
    return c


@case((5, 3), (0, 3), (3, 0))
def while_in_while(n, m):
    s = 0
    while n > 0:
        k = m
        while k > 0:
            s += n * k
            k -= 1
        n -= 1
    return s


@case((5,), (1,), (0,), (-3,))
def for_range(n):
    s = 1
    for i in range(n):
        s = s * 3 + i
    return s


@case((2, 11, 3), (11, 2, -3), (2, 2, 1), (5, 1, 1), (0, 10, 4), (0, -10, -4))
def for_range_three(a, b, c):
    s = 0
    for i in range(a, b, c):
        s = s * 2 + i
    return s


@case((0,), (1,))
def range_step_zero(c):
    s = 0
    for i in range(0, 3, c):
        s += i
    return s


@case((2.0,))
def range_of_a_float_is_a_type_error(x):
    s = 0
    for i in range(x):
        s += i
    return s


@case((1.0,))
def for_static_range(x):
    for i in range(7):
        x = x * 0.5 + i
    return x, i


@case((1.0,))
def for_static_range_backwards(x):
    for i in range(7, -3, -2):
        x = x * 0.5 + i
    return x, i


@case((4,), (1,))
def loop_variable_after(n):
    for i in range(n):
        pass
    return i


@case((4,), (0,))
def loop_variable_bound_before(n):
    i = -7
    for i in range(n):
        pass
    return i


@case((4,), (0,))
def loop_variable_reassigned(n):
    s = 0
    i = 100
    for i in range(n):
        i = i * 10
        s += i
    return s, i


@case((4,), (0,))
def bound_of_the_range_changes_inside(n):
    s = 0
    for i in range(n):
        n = n + 10
        s += i
    return s, n


@case((np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),))
def rows(a):
    s = np.zeros(2)
    for r in a:
        s = s * 2 + r
    return s


@case((np.array([1.0, 2.0, 3.0]),), (np.array([]),))
def elements(a):
    s = 0.0
    for v in a:
        s = s * 2 + float(v)
    return s


@case((np.array([1, 2, 3]),))
def elements_are_numpy_scalars(a):
    s = 0
    for v in a:
        s = s + v
    return s, v


@case((np.array([1, 2, 3], dtype=np.uint8),))
def uint8_elements_wrap(a):
    s = np.uint8(250)
    for v in a:
        s = s + v
    return s


@case((np.arange(6.0).reshape(2, 3),))
def rows_of_a_transpose(a):
    s = 0.0
    for r in a.T:
        s = s * 10 + r[0] - r[1]
    return s


@case((4,), (0,))
def for_carries_int_to_float(n):
    s = 1.0
    for i in range(n):
        s = s / 2
    return s


@case((4,), (0,))
def carry_starts_as_an_int(n):
    s = 1
    for i in range(n):
        s = s / 2
    return s


@case((4,), (1,), (0,))
def scalar_to_array_carry(n):
    s = 0.0
    for i in range(n):
        s = s + np.ones(3) * i
    return s


@case((4,), (1,), (0,))
def scalar_to_array_carry_of_a_while(n):
    s = 0
    while n > 0:
        s = s + np.ones(2) * n
        n -= 1
    return s, n


@case((np.arange(6.0).reshape(3, 2),), (np.zeros((1, 2)),))
def scalar_to_array_over_rows(m):
    s = 0
    for r in m:
        s = s + r
    return s, s.shape


@case((4, 9), (4, 0), (4, 2), (0, 1))
def scalar_to_array_with_a_break(n, k):
    s = 0
    for i in range(n):
        s = s + np.ones(2) * (i + 1)
        if i == k:
            break
    else:
        return s, "else"
    return s, "break"


@case((4,), (0,))
def tuple_that_the_first_step_makes(n):
    t = ()
    for i in range(n):
        t = (i, i * 2.0)
    return t


@case((np.arange(6.0).reshape(3, 2),))
def none_then_a_row(m):
    before = None
    s = 0.0
    for r in m:
        if before is not None:
            s += (r - before).sum()
        before = r
    return s, before


@case((3.0,))
def array_that_grows_in_static_steps(x):
    w = np.ones(1)
    for _ in range(4):
        w = np.concatenate([w, w * x])
    return w


@case((4,))
def array_that_grows_at_run_time(n):
    w = np.ones(1)
    for _ in range(n):
        w = np.concatenate([w, w])
    return w


@case((3, 4), (0, 4), (3, 0))
def nested_for(n, m):
    s = 0
    for i in range(n):
        for j in range(m):
            s += i * m + j
    return s


@case((4,), (1,))
def triangle(n):
    s = 0
    for i in range(n):
        for j in range(i + 1):
            for k in range(j, i):
                s += i * 100 + j * 10 + k
    return s


@case((5,))
def first_iteration_initialises(n):
    for i in range(n):
        if i == 0:
            a = 1
        else:
            a = a * 2 + i
    return a


@case((np.array([3.0, 1.0, 2.0]),), (np.array([1.0, 1.0, 5.0]),))
def best_so_far(a):
    best = None
    where = -1
    for i, v in enumerate(a):
        if best is None or v < best:
            best = v
            where = i
    return best, where


@case((1.0,), (0.5,))
def while_with_call_in_condition(x):
    def far(v):
        if v > 0.75:
            return abs(v - 0.7) > 1e-3
        return abs(v - 0.7) > 1e-2

    n = 0
    while far(x):
        x = np.cos(x)
        n = n + 1
    return x, n


@case((3,))
def range_len_and_shape(n):
    a = np.arange(6.0).reshape(2, 3) * n
    s = 0.0
    for i in range(len(a)):
        for j in range(a.shape[1]):
            s += a[i, j] * (i - j)
    return s


@case((np.array([1.0, 2.0, 3.0]),), (np.array([9.0, 2.0, 3.0]),))
def while_in_for_with_both_elses(a):
    for _ in range(3):
        while a[0] < 5:
            a[0] += 1
            if a[0] > 3:
                break
        else:
            a[1] += 7
            continue
        a[2] += 9
    else:
        a[0] = -a[0]
    return a


@pytest.mark.parametrize("program", case.programs)
def test_loop(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_loop_with_static_arguments(program: Program) -> None:
    program.check_static()


@pytest.mark.parametrize("x", [-1, 1])
def test_a_peeled_while_loop_changes_lists_only_where_it_runs(x):
    def f(a):
        w = [1]
        while w and a > 0:
            w.pop()
        return len(w)

    assert jit(f)(x) == f(x)


def test_a_peeled_loop_is_still_one_loop():
    def f(m):
        s = 0
        for r in m:
            s = s + r
        return s

    few, many = (len(jit(f).trace(np.ones((n, 2))).program.equations) for n in (3, 3000))
    assert few == many


def test_a_loop_that_is_too_long_to_unroll_has_a_list_of_run_time_length():
    def f(x):
        w = [x]
        for _ in range(5000):
            w.append(x)
        return len(w)

    assert jit(f)(1.0) == 5001


def test_a_loop_that_is_unrolled_too_far_names_the_setting_and_the_reason():
    def f(x):
        w = {"x": x}
        for _ in range(5000):
            w = {"x": w, "y": x + len(w)}
        return len(w)

    with pytest.raises(StructureMismatchError, match=r"for loop at .* 'w' nests deeper at every step") as caught:
        jit(f)(1.0)
    assert "4001 equations in 4001 steps, and unroll_budget allows 4000" in str(caught.value)


def test_a_loop_of_one_step_costs_what_its_body_does():
    def f(x):
        total, w = 0.0, x
        for row in range(len(x[:1])):
            for i in range(len(x)):
                w = w * x[i] + row - w / 3.0 + np.sin(w) * 2.0 - x[row]
                total += w.sum()
        return total

    x = np.arange(20.0) / 20
    assert np.isclose(jit(f, unroll_budget=4)(x), f(x))


def test_steps_that_compute_nothing_cost_nothing():
    def f(x):
        table, w = [], {"x": x}
        for i in range(5000):
            table.append(i * i)
            w = {"x": w}
        return table[70] * x + len(w)

    assert jit(f, unroll_budget=100)(0.5) == f(0.5)


def test_a_while_loop_of_known_numbers_is_staged_when_it_goes_on_for_long() -> None:
    def tallies(n):
        table = np.zeros(n, dtype=np.int64)
        steps = 0
        while table[0] < 500:
            table[steps % n] += 1
            steps += 1
        return table, np.zeros(steps)

    compiled = jit(tallies)
    for found, wanted in zip(compiled(3), tallies(3), strict=True):
        assert found.dtype == wanted.dtype
        assert np.array_equal(found, wanted)
    assert "while loop: one loop" in str(compiled.explain(3))


def test_the_first_step_gives_what_was_none():
    def f(x):
        last, total = None, np.zeros(len(x))
        for i in np.arange(len(x)):
            rolled = x * 2 if i == 0 else np.roll(last, 1) + np.maximum(last, x[i])
            total += rolled
            last = rolled
        return total

    check(f, np.arange(12.0))
    check(lambda x: np.add(None, x), np.arange(3.0))
    check(lambda x: np.maximum(x, None), np.arange(3.0))
