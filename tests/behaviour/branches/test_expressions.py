"""Ternary, boolean operators, comparisons, walrus: each operand evaluated once, and only where Python does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()


@case((2.0,), (-2.0,))
def ternary_plain(x):
    return x * 2 if x > 0 else -x


@case((5.0,), (1.0,), (-1.0,))
def ternary_nested(x):
    return 1 if x > 3 else 2 if x > 0 else 3


@case((2,), (0,))
def ternary_guards_a_division(n):
    return 10 // n if n else -1


@case((2,), (-1,))
def ternary_in_an_index(n):
    a = np.arange(4.0)
    return a[n if n > 0 else 3]


@case((5,), (0,), (-2,), (np.int64(5),))
def numbers_in_a_range_of_run_time_length(n):
    r = range(n)
    return (
        3 in r,
        3.0 in r,
        3.5 in r,
        -1 in r,
        True in r,
        (3 + 0j) in r,
        np.int64(2) in r,
        4 not in r,
        n in r,
        n - 1 in r,
    )


@case((5,))
def what_is_no_number_is_in_no_range(n):
    return None in range(n), "a" in range(n), [1] in range(n)


@case((np.array([1, 9, 2]),), (np.array([1, 9, 1]),), (np.array([3, 3, 5]),))
def numbers_in_ranges_with_a_run_time_step(v):
    i, j, k = v
    return [(x in range(i, j, k), x in range(j, i, -k)) for x in range(-3, 12)], v[0] in range(int(v[1]))


@case((np.array([4, 5]),), (np.array([400, 5]),))
def run_time_numbers_in_a_range(v):
    small = v.astype(np.int8)[0]
    return (
        v[0] in range(10),
        v[0] / 2 in range(0, 10, 2),
        v[0] in range(10, 0, -3),
        complex(v[0]) in range(10),
        small in range(-1000, 1000, 3),
    )


@case((np.array([1, 2, 3]),), (np.array([9, 9, 9]),))
def items_in_iterators(v):
    pairs = (v[0], v[1]) in zip(v, v[::-1], strict=True), (0, v[0]) in enumerate(v)
    return 2.0 in (x * 2 for x in v), v[1] in map(lambda x: x + 1, v), 3 in reversed(range(v[0])), pairs


@case((2.0,), (-2.0,))
def ternary_in_call_arguments(x):
    return max(x if x > 0 else 0.5, -x if x < 0 else 0.25)


@case((2.0,), (-2.0,))
def ternary_of_tuples(x):
    a, b = (x, 1) if x > 0 else (1.0, 2)
    return a, b


@case((1,), (-1,))
def ternary_with_none(n):
    r = n if n > 0 else None
    return r


@case((1,), (-1,))
def ternary_int_or_float(n):
    return n if n > 0 else 0.5


@case((0, 5), (3, 5), (0, 0))
def or_gives_an_operand(a, b):
    return a or b


@case((0, 5), (3, 5), (3, 0))
def and_gives_an_operand(a, b):
    return a and b


@case((1, 2, 3), (0, 2, 3), (0, 0, 3), (0, 0, 0), (1, 0, 0), (1, 2, 0))
def and_or_mixed(a, b, c):
    return (a and b) or c, a or (b and c), (a or b) and c


@case((0.0,), (2.0,), (float("nan"),))
def not_of_a_float(x):
    return not x


@case((0,), (2,))
def not_not_of_an_int(n):
    return not not n


@case((0, 1), (1, 0), (2, 4))
def short_circuit_guards_division(a, b):
    return b != 0 and a / b > 0.25


@case((3,), (10,), (-1,))
def short_circuit_guards_an_index(i):
    a = np.arange(5.0)
    if 0 <= i < 5 and a[i] > 2:
        return a[i]
    return np.float64(-1.0)


@case((1,), (5,), (9,), (-3,))
def chained(n):
    return 0 < n < 6, 0 < n <= 9 != 4, 5 >= n >= 0 < 3


@case((1, 2, 3), (3, 2, 1), (2, 2, 2))
def chained_equalities(a, b, c):
    return a == b == c, a != b != c, a < b > c, a < b == c


@case((np.array([1.0, -2.0]), np.array([1.0, 3.0])))
def comparisons_of_arrays(a, b):
    return a == b, a < b, a >= b, (a > 0) & (b > 0), ~(a > 0) | (b < 0)


@case((np.array([1.0, -2.0]),))
def chained_comparison_of_arrays_is_an_error(a):
    return 0 < a < 3


@case((2.0,), (1.0,))
def walrus_in_if(x):
    if (y := x * 2) > 3:
        return y
    return y - 1


@case((5,), (0,))
def walrus_in_while(n):
    s = 0
    while (m := n - 1) >= 0:
        s += m
        n = m
    return s, m


@case((2.0, 1.0), (-2.0, 1.0), (-2.0, -1.0))
def walrus_behind_a_short_circuit(x, y):
    z = 0.0
    if x > 0 or (z := y * 3) > 0:
        return z
    return z - 10


@case((2.0,), (-2.0,))
def walrus_in_a_ternary(x):
    y = 1.0
    r = (y := x) if x > 0 else (y := -x) * 10
    return r, y


@case((3,), (0,))
def booleans_are_numbers(n):
    return (n > 0) + (n > 1) + True, (n > 2) * 5, -(n > 0), (n > 0) / 2


@case((3, 4), (0, 1))
def logical_on_bools(a, b):
    p, q = a > 0, b > 2
    return p & q, p | q, p ^ q, p and q, p or q, not p


@case((2.0,), (-2.0,))
def is_none_and_is_not_none(x):
    y = None
    if x > 0:
        y = x
    return (y is None), (y is not None)


@case((1.5, 2.5), (2.5, 1.5), (float("nan"), 1.0), (1.0, float("nan")))
def min_and_max_keep_python_order(a, b):
    return min(a, b), max(a, b), min(b, a), max(b, a)


@case((3, -2), (-7, 2), (7, -2))
def builtins_on_ints(a, b):
    return abs(a), divmod(a, b), pow(a, 2), round(a), int(a), float(a), bool(a)


@case((3,), (2.5,), (True,), (np.float64(1.0),), (np.arange(3),))
def class_of_a_value(a):
    return a.__class__ is int, a.__class__ is float, (a > 0).__class__.__name__, [a, None].__class__ is list


@case((3,), (-3,))
def class_of_one_or_the_other(n):
    a = None
    if n > 0:
        a = n
    return type(a) is int, a.__class__ is type(None)


@case((2.5,), (-2.5,), (3.5,), (1e10,))
def builtins_on_floats(x):
    return int(x), round(x), abs(x), float(x), x // 1, x % 1, divmod(x, 2)


@case((3,), (0,))
def lambda_in_an_expression(n):
    return (lambda v: v + 1 if v else 10)(n)


@case((3, 4))
def multi_line_expression(a, b):
    return (
        a  # the first
        + (b if a > 0 else -b)
        - 1
    )


@case((np.array([3, 1, 2]), 3), (np.array([1, 1, 1]), 0))
def in_sets_of_computed_members(b, n):
    k = int(b[0])
    pairs = (k, 1) in {(n, 1), (3, n)}
    return k in {int(b[1]), n}, 3 not in {b[2], 3.0}, n in {k}, pairs, k in {n, None, "x"}, True in {k == 3}


@case((np.array([3, 1, 2]), 3))
def a_list_in_a_set_of_computed_members(b, n):
    return [n] in {int(b[1]), n}


@case((np.array([3, 1, 2]), 3))
def a_list_as_a_computed_member(b, n):
    return n in {[1], int(b[0])}


@case((np.array([3, 1, 2]), 2.5), (np.array([1, 1, 1]), float("nan")))
def in_operators_of_sets_of_computed_members(b, x):
    n, m, s = int(b[0]), int(b[1]), {1, 3}
    first = n in {1, m} | {4}, n in {1, 3} - {m}, n not in s & {n, 7}, n in ({n} ^ {m}) | s, m in {n} | {m} - {3}
    return *first, x in {x} - {1.0}, x * 1 in {x}, n in s - {m} | frozenset({5}), 2 in {n, 2} - {k for k in (m, 2)}


@case((np.array([3, 1, 2]), 2.5), (np.array([1, 0, 1]), 1.0))
def in_sets_made_of_computed_members(b, x):
    n, m = int(b[0]), int(b[1])
    pair = (m, 4)
    of_calls = n in set((1, m)), n not in frozenset([x, m]), n in set(pair), n in {*pair, 3}, n in set(v for v in b)
    return of_calls, 0 < n in {m, 3}, n in {v + 1 for v in pair}, n in set({n: 1} if n is None else {1: 1})


@case((np.array([3, 1, 2]), 2.5))
def in_a_chain_that_never_asks_the_set(b, x):
    return int(b[0]) < 0 < 1 in {int(b[1]), print("asked")}, 0 < int(b[0]) not in {int(b[1]), print("asked")}


@case((np.array([3, 1, 2]), 2.5), (np.array([5, 1, 2]), 2.5))
def in_a_set_of_computed_members_in_a_loop(b, x):
    n, found = int(b[0]), 0
    while n not in {0, int(b[1])} - {found}:
        n -= 1
        if found in {n % 2, n // 2}:
            found += n
    return n, found, sum(1 for v in b if v in {n, 2})


@case((np.array([3, 1, 2]), 2.5))
def an_array_in_a_set_of_computed_members(b, x):
    return b in {x, int(b[0])}


@case((np.array([3, 1, 2]), 2.5))
def an_array_in_a_tuple_as_a_computed_member(b, x):
    return x in {x, (1, b)}


@pytest.mark.parametrize("program", case.programs)
def test_expression(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_expression_with_static_arguments(program: Program) -> None:
    program.check_static()
