"""Values that are one of a few functions, objects, strings, containers or shapes, decided at run time."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()


def grown(v):
    if v > 2:
        return v * 2
    return v - 1


class Point:
    def __init__(self, a):
        self.a = a
        self.n = 0

    def get(self, k):
        if k > 0:
            self.n += 1
        return self.a + k

    def __getitem__(self, i):
        return self.a * i

    def __len__(self):
        return 3


# fmt: off


@case((1.5,), (-1.5,), (3.0,))
def functions_are_called(x):
    f = grown if x > 0 else (lambda v: v * 100)
    s = 0.0
    for i in range(3):
        s += f(x + i)
    return s, sum(f(v) for v in np.arange(3.0)), list(map(f, (1.0, x)))


@case((1.5,), (-1.5,))
def none_is_called(x):
    f = None if x > 0 else grown
    return f(x)


@case((1.5,), (-1.5,))
def questions_of_a_function_or_none(x):
    f = grown if x > 0 else None
    return callable(f), f is None, f is not None and f(x) > 0


@case((1.5,), (-1.5,))
def attributes_methods_and_items_of_objects(x):
    p, q = Point(1.0), Point(2.0)
    o = p if x > 0 else q
    r = o.get(x)
    o.a = 7.0
    o.n += 5
    return r, p.a, q.a, p.n, q.n, o[2], len(o)


@case((1.5,), (-1.5,))
def bound_methods(x):
    p, q = Point(1.0), Point(2.0)
    get = p.get if x > 0 else q.get
    return get(x) + get(-x), p.n, q.n


@case((1.5,), (-1.5,))
def attribute_of_none(x):
    o = None if x > 0 else Point(2.0)
    return o.a


@case((1.5,), (-1.5,))
def strings_decide(x):
    mode = "fast" if x > 0 else "slow"
    s = 0
    for i in range(3):
        if mode == "fast" and i > 0:
            s += 10
        elif mode in ("slow", "medium"):
            s += 1
        mode = "slow" if s > 5 else mode
    return s, mode


@case((1.5,), (-1.5,))
def lists_are_gone_over(x):
    a, b = [1, 2], [3, 4, 5]
    o = a if x > 0 else b
    s = 0
    for v in o:
        s = s * 10 + v
    o[0] = 8
    return s, a, b, o is a, isinstance(o, list), 4 in o


@case((1.5,), (-1.5,))
def classes_of_choices(x):
    o = 5 if x > 0 else [1]
    return isinstance(o, int), callable(o), type(o) is int, type(o) is list


@case((1.5,), (-1.5,))
def equality_with_none(x):
    v = None if x > 0 else 3
    return v == 3, v != 3, v == None, v != None  # noqa: E711


@case((1.5,), (-1.5,))
def arithmetic_with_none(x):
    v = None if x > 0 else 3
    return v + 1


@case((1.5,), (-1.5,))
def array_or_none_changed_in_place(x):
    a = np.zeros(3)
    t = a if x > 0 else None
    if t is not None:
        t += 1
        t[0] = 9
    return a


@case((1.5,), (-1.5,))
def array_or_number_changed_in_place(x):
    a = np.zeros(3)
    t = a if x > 0 else 5
    t += 1
    return a, t


@case((3,), (0,))
def number_or_array_after_a_loop(n):
    s = 0
    for _ in range(n):
        s = s + np.ones(2)
    u = s * 2
    for _ in range(n):
        s = s + 1
    return s, u


@case((3, np.arange(3.0)), (0, np.arange(3.0)))
def number_or_array_of_an_inner_loop(n, a):
    total = np.zeros(3)
    for _ in range(n):
        s = 0
        for i in range(n):
            s = s + a * i
        total = total + s
    return total


@case((0, 3, np.arange(2.0)), (1, 3, np.arange(2.0)))
def none_or_a_number_compared(n, k, a):
    m = None if n > 0 else k
    other = k if n > 0 else None
    return m == m, m == other, m != other, 3 == m, m != 3, a == m, m == a, a != m, bool(m), [m] == [3]


@case((0, 2), (1, 2))
def number_of_none_or_a_number(n, k):
    m = None if n > 0 else k
    return float(m), int(m)


@case((7, 1), (7, -1), (-7, 1))
def quotients_of_none_or_a_number(n, k):
    m = n + 1 if k > 0 else None
    return divmod(m, 3), divmod(20, m), divmod(m, m), round(m), round(m, -1)


@case((1.5, 1), (1.5, -1))
def none_or_a_number_rounded(x, k):
    y = x + 1 if k > 0 else None
    return round(y), round(y, 1)


@case((0, 2), (1, 2))
def range_of_none_or_a_number(n, k):
    m = None if n > 0 else k
    t = 0
    for i in range(m):
        t += i
    return t


@case((np.arange(3.0), 2), (np.arange(3.0), -1))
def equal_dtypes(x, n):
    d = np.float64
    if n > 0:
        d = x.dtype
    e = np.dtype("f8")
    for i in range(n):
        e = (x * i).dtype
    return np.zeros(2, d), x.astype(e), e


@case((np.arange(3.0), 2), (np.arange(3.0), -1))
def one_of_two_dtypes(x, n):
    if n > 0:
        d = np.dtype("f4")
    else:
        d = x.dtype
    return d, d == np.float64, d.itemsize, np.dtype(d), d.type


@case((np.array([3, 1, 4, 1, 5]), 4), (np.array([3, 1, 4, 1, 5]), -1), (np.array([3, 1, 4, 1, 5]), 9))
def an_index_that_is_an_int_until_it_is_none(a, last):
    before = [None] * 5
    for j in range(1, 5):
        if a[j] > a[j - 1]:
            before[j] = j - 1
    i = last if last > 0 else None
    out = []
    while i is not None:
        out.append(a[i])
        a[i] = 0
        i = before[i]
    return out


@case((np.arange(6.0).reshape(2, 3), 1), (np.arange(6.0).reshape(2, 3), 0))
def an_index_of_one_kind_of_integers_or_another(a, n):
    i = np.int8(1) if n > 0 else n
    a[i, 2] += 1.0
    return a[i], a[i, 1], a[:, i]


@case((np.array([3, 1, 5, 2, 7]),), (np.array([6, 6]),))
def a_range_of_a_few(a):
    total = count = 0
    for x in a:
        steps = range(3) if x > 6 else range(int(x), 9, 2)
        if x == 2:
            steps = range(0)
        for i in steps:
            total += i * x
        count += len(steps) + (4 in steps) + sum(i * i for i in steps)
    return total, count, steps


@case((np.array([3, 1, 5, 2, 7]),), (np.array([6, 6]),))
def a_range_of_the_step_before(a):
    before, rows = range(2), []
    for x in a:
        for i in before:
            rows.append(i + x)
        before = range(int(x), int(x) + 3)
    return rows, before[1], before == range(7, 10)


@case((np.array([3, 1, 5, 2, 7]),), (np.array([6, 6]),))
def a_slice_of_a_few(a):
    total, part = 0, slice(0, 2)
    for x in a:
        total += a[part].sum()
        part = slice(None, int(x)) if x > 2 else slice(int(x), None)
        if x == 5:
            part = slice(1, 3)
        total += a[part].sum()
    a[part] = 0
    return total, part.start


# fmt: on


@pytest.mark.parametrize("program", case.programs)
def test_choices(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_choices_with_static_arguments(program: Program) -> None:
    program.check_static()


def test_an_array_of_a_dtype_that_a_condition_chose() -> None:
    def f(x):
        d = np.float32 if x > 0 else np.float64
        return np.zeros(2, d)

    compiled = jit(f)
    assert [compiled(x).dtype for x in (1.0, -1.0)] == [np.float32, np.float64]


def test_an_index_that_turns_out_to_be_none_is_no_exception_of_the_function() -> None:
    def f(a, n):
        i = n if n > 0 else None
        try:
            return a[i].sum()
        except TypeError:
            return -1.0

    compiled = jit(f, auto_static=False)
    assert compiled(np.arange(3.0), 2) == 2.0
    with pytest.raises(UnsupportedOperationError, match="an index of an array that is None or an integer, depending"):
        compiled(np.arange(3.0), 0)


@pytest.mark.parametrize("n", [0, 1])
def test_index_arrays_of_several_sizes_beside_an_int_in_one_of_several_arrays(n):
    def f(first, second, places, column, n):
        if n > 0:
            chosen, at = first, places[:1]
        else:
            chosen, at = second, places[:2]
        chosen[at, column] = 1.0
        chosen[at[0], column] += 2.0
        return chosen[at, column].sum()

    check(f, np.zeros((4, 3)), np.zeros((4, 3)), np.array([1, 2, 3]), 1, n)


@pytest.mark.parametrize("n", [0, 3, 200])
def test_chains_of_comparisons_of_a_number_of_python_or_numpy_give_the_bool_of_each(n):
    def f(a, members, n):
        k = n
        if n > 100:
            k = a[0]
        return k > 2 in members, 1 < k < 5, k > 2 < 5, k == k <= 9

    check(f, np.array([0, 1]), {3, 4}, n)
