"""Names: unset on a path, deleted, swapped, augmented; read when unset, they raise as Python does."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.values.undefined import Undefined
from tests.program_table import Program, Table

case = Table()


@case((2.0,), (-2.0,))
def unset_and_unread(x):
    r = x
    if x > 0:
        t = x * 3
        r = t + 1
    return r


@case((2.0,), (-2.0,))
def unset_and_read_under_the_same_guard(x):
    if x > 0:
        t = x * 3
    r = x
    if x > 0:
        r = t + 1
    return r


@case((2.0,), (-2.0,))
def unset_and_read(x):
    if x > 0:
        t = x * 3
    return t


@case((2.0,), (-2.0,))
def unset_and_read_in_an_expression(x):
    if x > 0:
        t = x * 3
    return x + t * 2


@case((2.0,), (-2.0,))
def unset_and_stored_on(x):
    if x > 0:
        t = x * 3
    u = t
    return u


@case((3,), (0,))
def unset_after_zero_iterations(n):
    for i in range(n):
        y = i * 2
    return y


@case((3,), (0,))
def loop_variable_unset_after_zero_iterations(n):
    for i in range(n):
        pass
    return i


@case((3,), (0,))
def unset_after_a_while(n):
    while n > 0:
        y = n
        n -= 1
    return y


@case((2.0,), (-2.0,))
def deleted_in_one_branch(x):
    t = x + 1
    if x > 0:
        del t
    return t


@case((2.0,), (-2.0,))
def deleted_and_rebound(x):
    t = x + 1
    if x > 0:
        del t
        t = 7.0
    return t


@case((3,), (0,))
def deleted_in_a_loop(n):
    t = 5
    for i in range(n):
        t = i
        s = t
        del t
        t = s + 1
    return t


@case((2.0,), (-2.0,))
def used_before_set_always(x):
    if x > 0:
        return y  # noqa: F821
    y = x  # noqa: F841
    return x


@case((2.0,), (-2.0,))
def undefined_global(x):
    if x > 0:
        return no_such_name  # noqa: F821
    return x


@case((2.0, 1.0), (1.0, 2.0))
def swap_in_a_branch(a, b):
    if a > b:
        a, b = b, a
    return a, b


@case((5,), (6,), (0,))
def swap_in_a_loop(n):
    a, b, c = 1, 2, 3
    for _ in range(n):
        a, b, c = c, a, b
    return a, b, c


@case((10,), (0,), (1,))
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@case((2.0, 3.0))
def nested_unpacking(x, y):
    (a, [b, c]), d = (x, [y, x + y]), 4
    return a * b - c * d


@case((np.array([1.0, 2.0, 3.0, 4.0]),))
def starred_unpacking(a):
    first, *middle, last = a
    return first, middle[0] * middle[1], last, len(middle)


@case((np.arange(6.0).reshape(2, 3),))
def unpacking_rows(a):
    p, q = a
    p, q = q - p, p
    return p, q


@case((np.arange(3.0),))
def unpacking_too_few(a):
    p, q = a
    return p + q


@case((2.0,))
def chained_assignment(x):
    a = b = c = x * 2
    b = b + 1
    return a, b, c


@case((2.0,))
def chained_assignment_of_an_array_is_an_alias(x):
    a = b = np.zeros(2)
    a[0] = x
    b[1] = x + 1
    return a, b


@case((1,), (2,))
def assignment_order_with_an_index(i):
    a = np.arange(5)
    i, a[i] = i + 1, 77
    return a, i


@case((1,), (2,))
def swap_items(i):
    a = np.arange(5) * 10
    a[i], a[i + 1] = a[i + 1], a[i]
    a[0], a[4] = a[4], a[0]
    return a


@case((7, 3), (-7, 3), (7, -3))
def augmented_ints(a, b):
    c = a
    a += b
    a -= 1
    a *= b
    a //= 2
    a %= 5
    a **= 2
    a <<= 3
    a >>= 1
    a |= 1
    a &= 14
    a ^= 6
    return a, c


@case((7.5, 3.0))
def augmented_floats(a, b):
    a += b
    a *= 2
    a /= b
    a -= 0.5
    a //= 1
    a **= 0.5
    a %= 2
    return a


@case((np.array([1, 2, 3]), 2))
def augmented_arrays_write_in_place(a, k):
    b = a
    a += k
    a *= 3
    a -= 1
    return b is a, b


@case((np.array([1, 2, 3]),))
def true_division_in_place_of_ints_raises(a):
    a /= 2
    return a


@case((np.array([1, 2, 3]), 2.5))
def adding_floats_in_place_to_ints_raises(a, x):
    a += x
    return a


@case((np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, 4.0]])))
def in_place_broadcast_must_fit(a, b):
    a += b
    return a


@case((2.0, 1), (2.0, 0))
def plain_add_makes_a_new_array(x, n):
    a = np.zeros(2)
    b = a
    if n:
        a = a + x
    return a, b


@case((2.0, 1), (2.0, 0))
def augmented_add_in_a_branch_writes_the_alias(x, n):
    a = np.zeros(2)
    b = a
    if n:
        a += x
    return a, b


@case((3,), (0,))
def tuple_grows_no_array(n):
    t = (1, 2.0)
    for i in range(n):
        t = (t[0] + i, t[1] * 2)
    return t


@case((3,), (-3,))
def unicode_names(n):
    größe = n
    if größe > 0:
        größe = größe * 2
    π = 3
    return größe + π


@case((3,), (0,))
def names_of_the_vocabulary(n):
    ab = 1
    if_true = 2
    if_false = 3
    for_body = 4
    while_body = 5
    exit_ = 6
    rewritten = 7
    for i in range(n):
        if i > 1:
            ab += if_true
        else:
            if_true += if_false
        while exit_ > 4:
            exit_ -= 1
            for_body += ab
            if for_body > 20:
                break
    return ab, if_true, if_false, for_body, while_body, exit_, rewritten


@case((3,), (0,))
def shadowed_builtins(n):
    def range(k):
        return (10, 20, k)

    def len(_):
        return 100

    s = 0
    for i in range(n):
        s += i
    return s + len([])


@case((3,), (-3,))
def shadowed_names_as_arguments(n):
    abs = 5
    max = n
    if max > 0:
        max = abs
    return max + abs


@case((2.0,), (-2.0,))
def np_rebound(x):
    np = 3.0
    if x > 0:
        np = np + x
    return np


@case((2.0,), (-2.0,))
def global_and_local_names_differ(x):
    case = x
    if x > 0:
        case = case + 1
    return case


@case((1.0,), (-1.0,))
def class_attribute_of_a_local_class(x):
    class Box:
        scale = 3.0

    if x > 0:
        return x * Box.scale
    return x


@case((4,), (0,))
def underscore(n):
    c = 0
    for _ in range(n):
        for _ in range(2):
            c += 1
    return c


@case((4,), (1,))
def same_loop_variable_twice(n):
    s = 0
    for i in range(n):
        for i in range(i + 2):  # noqa: B020
            s += i
        s = s * 2 + i
    return s, i


@case((0,), (1,), (7,))
def unset_name_of_the_function_around(n):
    if n:
        v = 3

    def read():
        return v

    def change():
        nonlocal v
        if n == 7:
            v += 1
        return v

    try:
        return change() if n > 5 else read()
    except UnboundLocalError:
        return "of its own"
    except NameError as error:
        return str(error)


@case((0,), (1,))
def unset_name_of_the_function_around_a_lambda(n):
    if n:
        v = 3
    return (lambda: v)()


@case((3,), (0,), (5,))
def annotated_name_assigned_in_a_condition(n):
    m = 1
    if n > 0:
        m: int = n
        if n < (m := m + 1) <= 5:
            pass
    return m


@case((0,), (3,))
def annotated_name_that_a_closure_changes(n):
    m: int = 1

    def grow():
        nonlocal m
        m += n

    if n > 1:
        m: int = 5
        grow()
    return m


V = np.array([1.5, -2.0, 0.25], np.float32)


@case((V,))
def types_imported_inside(x):
    from builtins import float as F, int as i

    from numpy import bool_, dtype, finfo, float32, float64, floating, iinfo, int32, issubdtype, ndarray

    return (
        x.dtype == float32, x.dtype in (float32, np.float64), finfo(float32).eps, iinfo(int32).max,
        np.zeros(2, dtype=int32), x.astype(float64), float32(x[0]), float64(1.5), bool_(x[1]), dtype(int32).itemsize,
        isinstance(x[0], float32), isinstance(x[0], floating), isinstance(x, (ndarray, list)),
        issubdtype(x.dtype, floating), x.dtype.type is float32, {float32: 1}[x.dtype.type],
        type(F(x[0])) is F, isinstance(2.0, F), F(x[0]), i(x[1]), F is float, [t(x[1]) for t in (float32, F, i)],
    )  # fmt: skip


SINGLE = np.float32
LENGTH = len


class Kinds:
    single = np.float32
    add_up = staticmethod(sum)


@case((V,))
def types_by_other_names(x, T=np.float32, kinds=(np.float32, np.float64)):
    def inner(S=T, f=len):
        return x.dtype == S, S(x[0]), f(x), f is len, S is SINGLE

    D = {"a": SINGLE, "b": int}
    chosen = float if x[0] > 1 else int
    found = [K(x[0]) * 2 for K in kinds if x.dtype == K]
    return (
        inner(), x.astype(D["a"]), D["b"](x[1]), chosen(x[0]), found, x.dtype == Kinds.single, Kinds.single(x[1]),
        Kinds().add_up(x), type(T(1)) is T, np.full(2, x[0], T), LENGTH(x), LENGTH.__name__,
    )  # fmt: skip


@case((V,))
def functions_that_are_shown(x):
    f, g = len, np.sin
    print(len, sum, np.sin, range, float, np.float32, enumerate, isinstance, np)
    names = [k.__name__ for k in (len, sum, max, f, g, range, zip, print)]
    return f, names, f(x), g(x), f is len, g is np.sin, isinstance(range(3), range), type(range(3)) is range, repr(max)


def by_sign(v):
    if v[0] > 0:
        return v[0]
    return -v[0] * 2


@case((V,))
def functions_that_are_passed_on(x):
    from builtins import max as most, sum as total
    from functools import partial, reduce

    rows = [[x[0], x[1]], [x[1], x[2]]]
    rows.sort(key=max)
    pick = max if x[0] > 1 else min
    table = {"f": sum, "g": most}
    return (
        rows, sorted(rows, key=total), sorted(rows, key=by_sign), max(rows, key=most), min(rows, key=by_sign),
        reduce(max, list(x)), partial(max, 0.5)(x[1]), pick(x[1], x[2]), table["f"](x), [table[k](x) for k in "fg"],
        list(map(len, rows)), list(map(total, rows)), np.apply_along_axis(max, 0, x),
        np.apply_along_axis(by_sign, 0, x), [h(x) for h in (sum, max, min)],
    )  # fmt: skip


@pytest.mark.parametrize("program", case.programs)
def test_names(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_names_with_static_arguments(program: Program) -> None:
    program.check_static()


def test_an_unset_name_is_no_result() -> None:
    with pytest.raises(UnboundLocalError, match="local variable 'n'"):
        jit(lambda x: [x, Undefined("n")])(1.0)


def test_a_name_of_the_enclosing_function_that_is_not_set_any_more() -> None:
    def made():
        k = 2

        def f(x):
            total = 0.0
            for v in x:
                if v > 1:
                    total += v + k  # noqa: F821 - it is deleted below
            return total

        del k
        return f

    for _ in range(3):
        with pytest.raises(NameError, match="free variable 'k'"):
            made()(np.ones(3) * 2)
        with pytest.raises(NameError, match="free variable 'k'"):
            jit(made())(np.ones(3) * 2)
        assert jit(made())(np.zeros(3)) == 0.0
