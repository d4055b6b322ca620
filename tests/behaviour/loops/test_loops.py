"""`while` and `for`: over ranges, arrays and Python sequences; what the loop variable is afterwards."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from anabranch import StructureMismatchError, UnsupportedOperationError, jit
from anabranch.runtime.testing.stage_bisection import stages
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


@case((np.array([1.0, 2.0, 3.0]),))
def enumerate_with_start(a):
    s = 0.0
    for i, v in enumerate(a, 5):
        s = s * 10 + i * v
    return s


@case((np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0])))
def zip_stops_at_the_shorter(a, b):
    s = 0.0
    for u, v in zip(a, b):  # noqa: B905
        s = s + u * v
    return s


@case((np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0])))
def zip_strict_raises(a, b):
    s = 0.0
    for u, v in zip(a, b, strict=True):
        s = s + u * v
    return s


@case((5,), (0,))
def reversed_range(n):
    s = 0
    for i in reversed(range(n)):
        s = s * 3 + i
    return s


@case((np.array([3.0, 1.0, 2.0]),))
def reversed_array(a):
    s = 0.0
    for v in reversed(a):
        s = s * 10 + v
    return s


@case((2.0,))
def over_a_tuple_of_mixed_types(x):
    s = 0.0
    for v in (1, x, 2.5, True):
        s = s * 3 + v
    return s


@case((2.0, 3.0))
def over_a_dict(x, y):
    s = 0.0
    for k, v in {"a": x, "b": y}.items():
        if k == "b":
            v = v * 100
        s = s + v
    return s


@case((2.0,))
def over_a_string(x):
    for c in "abc":
        if c != "b":
            x = x * 2
    return x


@case((3.0,))
def over_functions(x):
    for f in (np.sin, np.cos, lambda v: v * 2):
        x = f(x)
    return x


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


@case((3,))
def list_of_ranges_is_static(n):
    s = 0
    for i in list(range(4)):
        s = s * n + i
    return s


@case((np.arange(4.0),))
def np_ndindex(a):
    b = a.reshape(2, 2)
    s = 0.0
    for i, j in np.ndindex(2, 2):
        s = s * 2 + b[j, i]
    return s


@case((np.arange(4.0),))
def np_ndenumerate(a):
    s = 0.0
    for (i, j), v in np.ndenumerate(a.reshape(2, 2)):
        s = s * 2 + v * (i + 2 * j)
    return s


@case((3,), (0,))
def np_ndindex_of_run_time_sizes(n):
    s = 0
    for i, j in np.ndindex(n, 2):
        s = s * 2 + i * j
    return s


@case((2, np.array([1.0, -2.0, 3.0])), (5, np.array([1.0, -2.0, 3.0])), (0, np.array([1.0])))
def enumerate_of_zip(n, a):
    s = 0.0
    for i, (u, v) in enumerate(zip(range(n), a), 2):  # noqa: B905
        s = s * 3 + i * u + v
    return s


@case((2, 2), (2, 3), (3, 2), (0, 0), (0, 1))
def zip_strict_of_run_time_lengths(n, k):
    s = 0
    for i, j in zip(range(n), range(k), strict=True):
        s = s * 3 + i - j
    return s


@case((2, 2, 2), (2, 3, 4), (3, 3, 2), (3, 2, 3), (1, 1, 2))
def zip_strict_of_three(n, k, m):
    s = 0
    for i, j, h in zip(range(n), range(k), range(m), strict=True):
        s = s * 3 + i - j + h
    return s


@case((2, 3, 1), (2, 3, 9))
def zip_strict_that_is_left_before_its_end(n, k, stop):
    s = 0
    for i, j in zip(range(n), range(k), strict=True):
        s += i + j + 1
        if i == stop:
            break
    return s


@case((np.arange(6.0).reshape(2, 3),))
def rows_of_slices_and_views(m):
    s = 0.0
    for r in m[1:]:
        s += r[0]
    for r in m.T:
        s = s * 2 + r[1]
    for r in m[::-1]:
        s = s * 3 + r[0]
    for r in m[:, ::2]:
        s = s * 3 + r[1]
    return s


@case((5,), (0,))
def map_and_filter(n):
    s = 0
    for i in map(lambda v: v * v if v > 2 else -v, range(n)):
        s += i
    for i in filter(lambda v: v % 2, range(n)):
        s = s * 3 + i
    for i in map(lambda u, v: u - v, range(n), range(2, 9)):
        s = s * 3 + i
    return s, sum(map(abs, range(-n, n)))


@case((np.array([1.0, -2.0, 0.0]),), (np.array([3.0]),))
def map_and_filter_of_arrays(a):
    s = 0.0
    for v in filter(None, a):
        s = s * 2 + v
    for u, v in zip(map(abs, a), a):  # noqa: B905
        s += u * v
    return s, max(map(lambda v: -v, a)), list(map(lambda v: v + 1, a))


@case((np.array([1.0, -2.0, 3.0]),), (np.array([1.0]),))
def itertools_over_arrays(a):
    s = 0.0
    for u, v in itertools.product(a, a):
        s = s * 0.5 + u * v
    for v in itertools.chain(a, [5.0], a):
        s = s * 0.5 + v
    for v in itertools.islice(a, 2):
        s += v
    for v in itertools.accumulate(a):
        s = s * 0.5 + v
    for u, v in itertools.pairwise(a):
        s = s * 0.5 + u - v
    for v, w in zip(a, itertools.count(1)):
        s = s * 0.5 + v * w
    for v, w in zip(a, itertools.cycle((1, 2))):
        s = s * 0.5 + v * w
    for v, w in zip(a, itertools.repeat(3)):
        s = s * 0.5 + v * w
    return s


@case((5,), (1,), (0,))
def itertools_over_run_time_ranges(n):
    s = 0
    for i in itertools.islice(range(n), 3):
        s = s * 2 + i
    for i in itertools.islice(range(9), 1, n, 2):
        s = s * 2 + i
    for i, j in itertools.pairwise(range(n)):
        s = s * 2 + i * j
    for i in itertools.chain(range(n), range(2)):
        s = s * 2 + i
    for i, j in itertools.product(range(n), range(3)):
        s = s * 2 + i * j
    for i in itertools.accumulate(range(n), lambda t, v: t * 2 + v, initial=1):
        s = s * 2 + i
    for i in itertools.accumulate(range(n)):
        s = s * 2 + i
    for i in itertools.takewhile(lambda v: v < 3, range(n)):
        s = s * 2 + i
    for i in itertools.repeat(5, n):
        s = s % 1009 + i
    for i in map(lambda u, v: u * v, range(n), range(n)):
        s += i
    return s


@case((5,), (0,), (-1,))
def islice_of_a_run_time_bound(n):
    s = 0
    for i in itertools.islice(range(3), n):
        s = s * 2 + i
    return s


@case((7,), (0,))
def count_and_cycle_with_a_break(n):
    s = 0
    for i in itertools.count(2):
        if i > n:
            break
        s += i
    for i in itertools.cycle((1, 2, 3)):
        s += i
        if s > n:
            break
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


@case((4, 2), (4, -1), (4, 9), (0, 0))
def range_by_index(n, k):
    return range(n)[k]


@case((np.array([1.0, 2.0]),), refused=UnsupportedOperationError)
def an_iterator_used_twice(a):
    z = enumerate(a)
    s = 0.0
    for i, v in z:
        s += i * v
    for i, v in z:
        s += i * v
    return s


@case((np.array([1.0, 2.0, 4.0]),))
def an_iterator_asked_first(a):
    z = enumerate(a)
    i, s = next(z)
    for i, v in z:
        s += i * v
    return s


@case((np.array([3, 1, 2]),), (np.array([0, 1, 2]),), (np.array([1, 1, 2]),))
def zip_of_a_range_and_a_list(b):
    n, total, items = int(b[0]), 0, [1, int(b[1]), 3]
    for i, v in zip(range(n), items):  # noqa: B905
        items[2] = 10 * i + n
        total += v
    return total, items


@case((np.array([3, 1, 2]),), (np.array([0, 1, 2]),))
def zip_of_a_range_and_arrays_in_a_list(b):
    rows = [np.zeros(2), np.ones(2)]
    for i, row in zip(range(int(b[0])), rows):  # noqa: B905
        row[0] += i + 5
    return rows


@case((np.array([3, 1, 2]),), (np.array([0, 1, 2]),), (np.array([1, 7, 2]),))
def enumerate_of_zip_of_a_range_and_the_values_of_a_dict(b):
    total = 0
    for i, (j, v) in enumerate(zip(range(int(b[0])), {"p": int(b[1]), "q": 2}.values())):  # noqa: B905
        if v == 7:
            break
        total += v * i + j
    return total


@case((np.array([3]),), (np.array([2]),), (np.array([4]),))
def zip_strict_of_a_tuple_and_a_range(b):
    total = 0
    for v, i in zip((1, 2, 3), range(int(b[0])), strict=True):
        total += v * i
    return total


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

    with pytest.raises(StructureMismatchError, match=r"for loop at .* w nests deeper at every step") as caught:
        jit(f)(1.0)
    assert "4001 equations in 4001 steps, and unroll_budget allows 4000" in str(caught.value)


def test_steps_that_compute_nothing_cost_nothing():
    def f(x):
        table, w = [], {"x": x}
        for i in range(5000):
            table.append(i * i)
            w = {"x": w}
        return table[70] * x + len(w)

    assert jit(f, unroll_budget=100)(0.5) == f(0.5)


def sum_of_zip(a, k):
    total = 0.0
    for i, v in zip(range(k % 4), a[::-1]):  # noqa: B905
        total += i * v
    return total


def test_zip_of_what_is_known_outside_of_a_trace() -> None:
    rewriting, run = stages(jit(sum_of_zip))[0]
    assert rewriting == "rewriting"
    assert run(np.arange(3.0), 7) == sum_of_zip(np.arange(3.0), 7)
