"""Numbers of several kinds that only some steps of a loop bind to a name."""

from __future__ import annotations

import math

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
C = np.array([1 + 2j, -1.0, 0.5j])
EMPTY = V[:0]
ARRAYS = ((V,), (LOW,), (V32,), (I64,), (-I64,), (I8,), (U8,), (EMPTY,))


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
    return s, s * 2, s // 2, s % 2, s - 1, s**2, divmod(s, 3), str(s), f"{s}", f"{s:.2f}", int(s), float(s), bool(s)


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
    return (
        np.sqrt(a),
        math.sqrt(a),
        np.maximum(a, 1),
        max(a, 1),
        min(a, 0.5),
        x * a,
        V32 * a,
        np.full(2, a),
        np.array([a, a]),
        np.array([a, 1]),
        np.add(a, 1),
        sum([a, a]),
        math.floor(a),
        round(a, 1),
        pow(a, 2),
    )


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


@pytest.mark.parametrize("program", case.programs)
def test_numbers_of_loops(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_numbers_of_loops_static(program: Program) -> None:
    program.check_static()
