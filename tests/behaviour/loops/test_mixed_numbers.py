"""Numbers of several kinds that only some steps of a loop bind: names, items, dict values and attributes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()

V = np.array([-1.5, 0.25, 3.5, -0.5, 2.0, 3.5])
LOW = -np.abs(V) - 1
V32 = V.astype(np.float32)
I64 = np.array([3, -1, 7, 2])
I8 = np.array([3, -1, 7, 2], np.int8)
U8 = np.array([3, 0, 7, 2], np.uint8)
B = np.array([False, True, False])
C = np.array([1 + 2j, -1.0, 0.5j])
EMPTY = V[:0]
ARRAYS = ((V,), (LOW,), (V32,), (I64,), (-I64,), (I8,), (U8,), (EMPTY,))


@dataclass
class Box:
    v: object
    w: object = 0


class Pair(NamedTuple):
    a: object
    b: object


# fmt: off


# Names


@case(*ARRAYS)
def largest(x):
    best = 0
    for v in x:
        if v > best:
            best = v
    return best


@case(*ARRAYS)
def largest_from_a_float(x):
    best = 0.0
    for v in x:
        if v > best:
            best = v
    return best


@case(*ARRAYS)
def largest_from_infinity(x):
    best, at = -np.inf, -1
    for i, v in enumerate(x):
        if v > best:
            best, at = v, i
    return best, at


@case(*[(x, n) for (x,) in ARRAYS[:4] for n in (0, 2, 5)])
def largest_from_an_argument(x, n):
    best = n
    for v in x:
        if v > best:
            best = v
    return best, best * 2, best + n, -best


@case(*[(x, s) for (x,) in ARRAYS[:4] for s in (0.5, 100.0)])
def largest_from_a_float_argument(x, s):
    best = s
    for v in x:
        if v > best:
            best = v
    return best, best * 2, best / 3


@case(*ARRAYS)
def sum_of_the_positive(x):
    s = 0
    for v in x:
        if v > 0:
            s += v
    return s, s * 2, s / 2, s + 1, -s, abs(s), s > 1, s == 0, round(float(s), 2)


@case(*ARRAYS)
def computing_with_it_in_the_loop(x):
    s, t, u = 0, 1, []
    for v in x:
        if v > 0:
            s = s + v
        t = t * 2 + s
        u.append(s)
    return s, t, u


@case(*ARRAYS)
def the_number_is_a_float_of_python(x):
    s = 0
    for i in range(len(x)):
        v = float(x[i])
        if v > s:
            s = v
    return s, s * 2, s // 2, s % 2, s - 1, s ** 2, divmod(s, 3), str(s), f"{s}", f"{s:.2f}", int(s), float(s), bool(s)


@case(*ARRAYS)
def kinds_are_told_apart(x):
    s = 0
    for v in x:
        if v > 0:
            s += v
    return isinstance(s, int), isinstance(s, float), isinstance(s, np.floating), type(s) is int, str(s), repr(s), f"{s}"


@case(*ARRAYS)
def set_back_to_an_int(x):
    s, m = 0, 0
    for v in x:
        s = max(0, s + v)
        m = max(m, s)
    return s, m


@case(*ARRAYS)
def set_back_to_another_int(x):
    s = 0
    for v in x:
        if v < 0:
            s = 7
        elif v > 3:
            s = s + v
        else:
            s = s + 1
    return s


@case((2**53 + 1, V), (2**53 + 1, LOW), (2**62 + 3, LOW), (-(2**60) - 1, V), (5, LOW))
def large_ints_keep_their_digits(n, x):
    a = n
    for v in x:
        if v > 3:
            a = v
        if v < -100:
            a = 0.5
    return a, a + 1, a == n, a > n - 1, a < float(n), a - n


@case((2**53, 4, V), (2**53, 4, LOW), (2**53, 0, V))
def large_ints_count_on(n, k, x):
    a = n
    for i in range(k):
        a = a + 1
        if x[i] > 3:
            a = float(a) * 0.5
    return a, a >= n, max(a, n)


@case((V, 2**53 + 1), (LOW, 2**53 + 1), (V, 1), (LOW, 1))
def the_order_of_a_large_int(x, n):
    a = n
    for v in x:
        if v > 3:
            a = float(v)
    big = float(n)
    return a > big, a < big, a == big, max(a, big), min(a, big), sorted([a, big]), a >= n, [a] == [big]


@case(*ARRAYS[:4])
def a_float_and_a_numpy_scalar(x):
    t = 0.5
    for i in range(len(x)):
        if x[i] > 0:
            t = t + x[i]
        else:
            t = 2.5
    return t, t * 2


@case((0.3, 1e-9), (0.0, 1e-9), (0.9, 3.0))
def bisection(x, tol):
    lo, hi = 0, 1
    while hi - lo > tol:
        mid = (lo + hi) / 2
        if mid * mid > x:
            hi = mid
        else:
            lo = mid
    return lo, hi, lo + hi, hi - lo


@case((0.3, 4), (0.0, 4), (5.0, 4), (1.0, 0))
def golden(x, n):
    lo, hi = 0, 2
    for _ in range(n):
        a, b = lo + (hi - lo) * 0.25, hi - (hi - lo) * 0.25
        if abs(a - x) < abs(b - x):
            hi = b
        else:
            lo = a
    return lo, hi


@case((2.0,), (9.0,), (1.0,))
def newton(x):
    y = 1
    while abs(y * y - x) > 1e-9:
        y = 0.5 * (y + x / y)
    return y


@case((V, 3), (LOW, 3), (V, 0))
def bools_and_numbers(x, n):
    a, b, c = False, True, 0
    for v in x:
        if v > 3:
            a = v > 0
        if v < 0:
            b = 2
        if v > 2:
            c = v == 3.5
    return a, b, c, a + 1, b + 1, b and 3, not a, a | True, c + n


@case((V,), (LOW,), (C,), (EMPTY,))
def complex_numbers(x):
    a = 0
    b = 0.5
    for v in x:
        if v.real > 0:
            a = a + v * 1j
            b = b * complex(v)
    return a, b, a * 2, b + 1, a == 0, abs(a)


@case((V32,), (-np.abs(V32),))
def float32_and_floats(x):
    a, b, c, d = 0.1, np.float32(0.5), np.float64(2), 1e-60
    for v in x:
        if v > 1:
            a, b, c, d = v, b + 0.25, v, v
        elif v < -1:
            b = 0.5
    return a, b, c, d, a + 1, b * 3, c + b, a == 0.1, a * V32, V32 + c, d > 0, bool(d), not d


@case((U8, 200), (U8, -1), (I8, 100), (np.array([0], np.uint8), -1))
def small_ints(x, n):
    a, b = 0, n
    for v in x:
        if v > 2:
            a = v
        if v > 5:
            b = v
    return a, b, a + 1, a * 2, a == 7, b > 3, b < 0


@case((V,), (LOW,))
def three_kinds(x):
    a = 0
    for v in x:
        if v > 3:
            a = v
        elif v > 1:
            a = float(v) + 1
        elif v > 0:
            a = True
    return a, a + 1, a * 2.5, a > 1, -a


@case((V,), (LOW,), (EMPTY,))
def perhaps_nothing(x):
    a = None
    for v in x:
        if a is None:
            a = 0
        elif v > a:
            a = v
    return a


@case((V,), (LOW,), (EMPTY,))
def perhaps_unset(x):
    for v in x:
        if v > 3:
            a = v
        elif v > 1:
            a = 1
    return a


@case((V, 3), (LOW, 3), (V, 0), (V, 1))
def some_steps_of_a_range(x, n):
    a, b = 0, 10
    for i in range(n):
        if x[i] > 0:
            a = x[i]
            b = b - 0.5
    return a, b, a + b


@case((V, 3), (LOW, 3), (V, 0))
def every_step(x, n):
    a, b = 0, 1
    for i in range(n):
        a = a + x[i]
        b = b * 0.5
    return a, b


@case((V, 3), (LOW, 3), (V, 0))
def swapped(x, n):
    a, b = 0, 0.5
    for i in range(n):
        a, b = b, a
        if x[i] > 0:
            a = a + 1
    return a, b


@case((V,), (LOW,), (EMPTY,))
def left_by_break(x):
    a = 0
    for v in x:
        if v > 3:
            a = v
            break
        a = a + 1
    else:
        a = -1.5
    return a


@case((V,), (LOW,), (EMPTY,))
def returned_from_a_loop(x):
    a = 0
    for v in x:
        if v > 3:
            return v
        if v > 1:
            return a
        a += 0.5
    return 7


@case((np.stack([V, LOW]),), (np.stack([LOW, LOW]),), (np.stack([V, V])[:, :0],))
def nested(m):
    best, count = 0, 0
    for i in range(m.shape[0]):
        s = 0
        for j in range(m.shape[1]):
            if m[i, j] > 0:
                s += m[i, j]
        if s > best:
            best = s
            count += 1
    return best, count


@case((np.stack([V, LOW]), 1), (np.stack([LOW, LOW]), 1), (np.stack([V, V]), 0))
def nested_in_while_loops(m, n):
    t, i = 0, 0
    while i < n + 1:
        j = 0
        while j < 6 and t < 100:
            if m[i, j] > 1:
                t = t + m[i, j]
            elif m[i, j] > 0:
                t = t + 1
            j += 1
        i += 1
    return t


@case((V,), (LOW,))
def used_in_functions(x):
    a = 0
    for v in x:
        if v > 0:
            a = v
    return np.sqrt(a), math.sqrt(a), np.maximum(a, 1), max(a, 1), min(a, 0.5), x * a, V32 * a, np.full(2, a), \
        np.array([a, a]), np.array([a, 1]), np.add(a, 1), sum([a, a]), math.floor(a), round(a, 1), pow(a, 2)


@case((V,), (LOW,))
def written_into_arrays(x):
    a = 0
    y, z = np.zeros(3), np.zeros(3, np.int64)
    for v in x:
        if v > 0:
            a = v
        y[1] = a
        z[1] = a
        y[2] += a
    return y, z, a


@case((V, 2), (LOW, 2), (LOW, 0))
def an_index_or_a_float(x, n):
    k = 0
    for v in x:
        if v > 100:
            k = v
        elif v > 0:
            k = n
    return x[int(k)], k


@case((V,), (LOW,))
def a_float_index_is_an_error(x):
    k = 0
    for v in x:
        if v > 0:
            k = v
    return x[k]


@case((V,), (LOW,), (EMPTY,))
def the_division_by_what_may_be_zero(x):
    a = 0
    for i in range(len(x)):
        if x[i] > 0:
            a = float(x[i])
    return 1 / a, 7 // a, 7 % a


@case((V,), (LOW,))
def in_a_condition(x):
    a, k = 0, 0
    for v in x:
        if a:
            k += 1
        if v > 0 and not a:
            a = v
        while a > 1:
            a = a / 2
    return a, k


@case((V, [2**62]), (LOW, [2**62]), (V, [3]))
def ints_that_overflow_where_they_are_chosen(x, numbers):
    a = numbers[0]
    for v in x:
        if v > 3:
            a = 0.5
    return a * 4 if a == 0.5 or a == 3 else a, a - 1


@case((3,), (0,))
def comprehensions_and_generators(n):
    a = 0
    for k in range(n):
        if k > 1:
            a = k * 0.5
    return [a + k for k in range(3)], sum(a for _ in range(3)), max((a, 0.25, 1)), any(a > k for k in range(2))


@case((V,), (LOW,), (EMPTY,))
def a_generator_that_sums(x):
    def sums():
        s = 0
        for v in x:
            if v > 0:
                s = s + v
            yield s

    last = -1
    for s in sums():
        if s > 1:
            last = s
    return last, list(sums())


@case((V,), (LOW,), (EMPTY,))
def in_a_try_statement(x):
    a = 0
    try:
        for v in x:
            if v > 1:
                a = v
            if v > 3:
                raise ValueError("large")
    except ValueError:
        return a, "caught"
    return a, "fine"


@case((V,), (LOW,))
def nonlocal_names(x):
    a = 0

    def add(v):
        nonlocal a
        if v > 0:
            a += v

    for v in x:
        add(v)
    return a


# Items, dict values, attributes


@case((V,), (LOW,), (V32,), (I64,), (EMPTY,))
def items_of_a_list(x):
    r = [0, 1.5, x.sum(), True]
    for v in x:
        if v > 1:
            r[0] = v
        if v < 0:
            r[1] += 1
        if v > 3:
            r[2] = 7
            r[3] = v
    return r, r[0] + 1, r[1] * 2


@case((V, 1), (LOW, 0), (V, 2), (V, 5))
def an_item_at_a_run_time_place(x, i):
    dst = [18, 2.5, 3, np.float64(0.5), 5, 7]
    r = list(dst)
    for k in range(2):
        r[i] = x[k]
    return r, dst


@case((V, 1), (LOW, 0), (V, 2))
def an_item_at_a_run_time_place_in_some_steps(x, i):
    r = [18, 2.5, 2**53 + 1]
    for v in x:
        if v > 0:
            r[i] = v
    return r, r[0], r[2] + 1


@case((V, 1), (LOW, 0), (V, 0))
def a_float_and_a_numpy_scalar_in_a_list(x, i):
    r = [1.0, np.float64(0.5)]
    for v in x:
        if v > 3:
            r[i] = v
    return r


@case((V, 1), (LOW, 0), (V, 0))
def a_float_and_a_numpy_scalar_in_a_tuple(x, i):
    r = (1.0, np.float64(0.5), 3)
    for v in x:
        if v > 3:
            r = (r[1], r[0], v)
    return r, r[i]


@case((V,), (LOW,), (EMPTY,))
def values_of_a_dict(x):
    d = {"best": 0, "n": 0, "mean": 0}
    for v in x:
        if v > d["best"]:
            d["best"] = v
            d["n"] += 1
            d["mean"] = d["best"] / d["n"]
    return d, d["best"] - d["n"]


@case((V,), (LOW,), (EMPTY,))
def attributes_of_an_object(x):
    box = Box(1.5, 2)
    for v in x:
        if v > 3:
            box.v = v
        elif v > 0:
            box.w = box.w + 0.5
    return box, box.v * 2, box.w + 1


@case((V,), (LOW,), (EMPTY,))
def objects_made_in_steps(x):
    box, pair = Box(0, 0.5), Pair(0, 0.5)
    for v in x:
        if v > 0:
            box = Box(v, box.v)
            pair = Pair(pair.b, v)
    return box, pair


@case((V,), (LOW,), (EMPTY,))
def tuples_of_two_kinds(x):
    t = (0, 0)
    for i, v in enumerate(x):
        if v > t[0]:
            t = (v, i)
    return t, t[0] + t[1]


@case((V,), (LOW,), (EMPTY,))
def lists_made_in_steps(x):
    t = [0, 1]
    for v in x:
        if v > t[0]:
            t = [v, t[0]]
    return t


@case((V, [Box(1), Box(2)]), (LOW, [Box(1), Box(2.5)]), (V, [Box(np.float64(1)), Box(3)]))
def attributes_of_arguments(x, boxes):
    for v in x:
        for box in boxes:
            if v > box.v:
                box.v = v
    return boxes


@case((V, [1, 2, 3]), (LOW, [1, 2, 3]), (V, [1, 2.5, np.float32(3)]))
def items_of_arguments(x, r):
    for k in range(3):
        if x[k] > 0:
            r[k] = r[k] + x[k]
    return sum(r)


@case((V, {"a": 1, "b": 2**53 + 1}), (LOW, {"a": 1, "b": 2**53 + 1}))
def values_of_arguments(x, d):
    for v in x:
        if v > 0:
            d["a"] += v
        if v > 3:
            d["b"] = v
    return list(d.values())


@case((V,), (LOW,), (EMPTY,))
def lists_of_lists(x):
    m = [[0, 0.5], [1, 2]]
    for v in x:
        if v > 2:
            m[0][0] = v
            m[1] = [m[1][1], v]
    return m


@case((V,), (LOW,), (EMPTY,))
def a_list_of_many_numbers(x):
    r = [0] * 12
    for k in range(len(x)):
        if x[k] > 0:
            r[k] = x[k]
    return r


@case((V,), (LOW,), (EMPTY,))
def a_new_list_of_many_numbers(x):
    r = [0] * 12
    for v in x:
        if v > 0:
            r = [w + v for w in r]
    return r, r[3] * 2


@case((V,), (LOW,), (EMPTY,))
def appended_numbers(x):
    r, s = [], 0
    for v in x:
        if v > 0:
            s = s + v
        r.append(s)
        if v > 3:
            r.append(1)
    return r, len(r), sum(r)


@case((V, 0), (LOW, 0), (V, 3))
def counted_by_a_dict(x, n):
    d = {}
    d["s"] = n
    for v in x:
        if v > 0:
            d["s"] = d.get("s", 0) + v
    return d


# fmt: on


@pytest.mark.parametrize("program", case.programs)
def test_numbers_of_loops(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_numbers_of_loops_static(program: Program) -> None:
    program.check_static()
