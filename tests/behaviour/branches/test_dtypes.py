"""Names, items and attributes that a branch or a loop binds to values of another dtype or kind of number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()

X32 = np.array([1.5, -2.25, 0.1], np.float32)
X64 = np.array([1.5, -2.25, 0.1])
I32 = np.array([1, 2, 3], np.int32)
I64 = np.array([1, 2, 3])
B = np.array([True, False, True])
C64 = np.array([1 + 2j, 0.5j, 3], np.complex64)


@dataclass
class Box:
    v: object
    w: object = 0


# fmt: off


# Arrays: branches


@case((X32, 1), (X32, -1), (I32, 1), (B, -1), (C64, 1))
def an_array_of_a_branch(x, n):
    y = np.zeros(3)
    if n > 0:
        y = x * 2
    return y


@case((X32, X64, 1), (X32, X64, -1), (I32, I64, 1), (I32, I64, -1), (B, C64, 1), (B, C64, -1))
def an_array_of_either_branch(a, b, n):
    if n > 0:
        y = a * 1
    else:
        y = b + b
    return y


@case((X32, X64, 1), (X32, X64, -1), (I32, X32, 1), (I32, X32, -1))
def computing_with_either_array(a, b, n):
    y = a if n > 0 else b
    z = y * 2 + 1
    w = z[1:] / 3
    return y, z, w, z.sum(), z.dtype == np.float32, (-z).astype(np.int64), np.abs(z), abs(z), z ** 2, z > 1


@case((X32, X64, 1), (X32, X64, -1), (I32, X32, 1), (I32, X32, -1))
def numpy_functions_of_either_array(a, b, n):
    y = a if n > 0 else b
    return (
        np.sqrt(np.abs(y)), np.sum(y), np.mean(y), np.concatenate([y, y]), np.where(y > 1, y, 0), np.maximum(y, 1),
        np.dot(y, y), np.zeros_like(y), np.stack([y, a]), np.array([y, y]), np.clip(y, 0, 1), np.cumsum(y),
        y.dtype.name,
    )


@case((X32, X64, 1), (X32, X64, -1))
def writing_into_either_array(a, b, n):
    y = a if n > 0 else b
    y[0] = 0.1
    y += 1
    y[1:] *= 0.3
    return y, a, b


@case((X32, 1), (X32, -1), (I32, 1), (I32, -1))
def an_array_or_a_number(x, n):
    y = 0
    if n > 0:
        y = x * 2
    return y, y + 1


@case((X32, 1), (X32, 0), (X32, -1))
def an_array_of_three_dtypes(x, n):
    y = np.arange(3)
    if n > 0:
        y = x + 1
    elif n == 0:
        y = y > 1
    return y, y * 1.5


@case((X32, 1, 1), (X32, 1, -1), (X32, -1, 1), (X32, -1, -1))
def nested_branches(x, n, m):
    y = np.zeros(3)
    if n > 0:
        if m > 0:
            y = x * 2
        else:
            y = np.ones(3, np.int16)
        z = y + 1
    else:
        z = y
    return y, z


@case((X32, 1), (X32, -1))
def an_early_return_of_an_array(x, n):
    if n > 0:
        return x * 2
    return np.zeros(3)


@case((X32, 2), (X32, 0), (X32, 9))
def a_return_from_a_loop(x, n):
    for i in range(4):
        if i == n:
            return x * i
        if i > n:
            return I32 * i
    return np.zeros(3)


@case((X32, 1), (X32, 7))
def an_array_of_a_handler(x, i):
    try:
        v = x[i]
        y = x * v
    except IndexError:
        y = np.zeros(3)
    return y


@case((X32, 0), (X32, 1), (X32, 5))
def an_array_of_a_match(x, n):
    match n:
        case 0:
            y = x
        case 1:
            y = np.zeros(3)
        case _:
            y = np.ones(3, np.int8)
    return y, y + y


@case((X32, 0), (X32, 3))
def arrays_of_and_and_or(x, n):
    a = (n > 1 and x) if n > 1 else I64
    return a * 2


@case((X32, 1), (X32, -1))
def an_array_of_a_function(x, n):
    def pick(k):
        if k > 0:
            return x
        return np.ones(3)

    return pick(n) * 0.1, pick(n) @ x


# Arrays: loops


@case((X32,), (I32,), (B,), (C64,))
def an_array_of_each_step(x):
    y = np.zeros(3)
    for i in range(4):
        y = x * i
    return y


@case((X32, 0), (X32, 1), (X32, 4), (I32, 0), (I32, 3))
def an_array_of_each_step_of_many(x, n):
    y = np.zeros(3)
    for i in range(n):
        y = x * i
    return y, y + 1


@case((X32, 0), (X32, 1), (X32, 4))
def an_array_of_a_while_loop(x, n):
    y = np.zeros(3)
    i = 0
    while i < n:
        y = x * i
        i += 1
    return y


@case((X32, 0.0), (X32, 5.0))
def an_array_that_the_condition_reads(x, limit):
    y = np.zeros(3)
    i = 0
    while y[0] < limit:
        i += 1
        y = x * i
    return y, i


@case((X32, 0), (X32, 1), (X32, 5))
def an_array_that_becomes_another(x, n):
    y = np.ones(3, np.int64)
    for _ in range(n):
        y = y * x
    return y


@case((X32,), (I32,))
def an_array_that_becomes_another_in_known_steps(x):
    y = np.ones(3, np.int16)
    for _ in range(5):
        y = y * x
    return y


@case((X32, 2), (X32, 9), (X32, 0))
def an_array_of_some_steps(x, n):
    y = np.zeros(3)
    for i in range(5):
        if i > n:
            y = x * i
    return y, y * 0.1


@case((X32, 3), (X32, 0), (X32, 2))
def two_arrays_that_change_places(x, n):
    a, b = x, np.ones(3)
    for _ in range(n):
        a, b = b, a
    return a, b, a * 0.1


@case((X32, 3), (X32, 0), (X32, 2))
def dtypes_by_turns(x, n):
    y = np.ones(3)
    for i in range(n):
        if i % 2 == 0:
            y = x + i
        else:
            y = I32 * i
    return y


@case((X32, 3), (X32, 0))
def an_array_of_nested_loops(x, n):
    y = np.zeros(3)
    for i in range(n):
        for j in range(2):
            y = x * (i + j)
    return y


@case((X32, 3), (X32, 0))
def an_array_of_a_loop_that_is_left(x, n):
    y = np.zeros(3)
    for i in range(5):
        if i == n:
            break
        y = x * i
    else:
        y = I32
    return y


@case((X32, 3), (X32, 0))
def an_array_of_a_loop_with_continue(x, n):
    y = np.zeros(3)
    for i in range(5):
        if i < n:
            continue
        y = x * i
    return y


# Items, values, attributes


@case((X32, 1), (X32, -1), (X32, 0))
def an_array_in_a_list(x, n):
    r = [np.zeros(3), 1, x]
    if n > 0:
        r[0] = x
    for i in range(n + 1):
        r[2] = np.ones(3) * i
    return r


@case((X32, 1), (X32, -1))
def an_array_in_a_dict(x, n):
    d = {"a": np.zeros(3), "b": 1}
    if n > 0:
        d["a"] = x
        d["b"] = 0.5
    return d, d["a"] * 0.1


@case((X32, 1), (X32, -1))
def an_array_in_a_tuple(x, n):
    t = (np.zeros(3), 1)
    if n > 0:
        t = (x, 2.5)
    return t, t[0] + 1


@case((X32, 1), (X32, -1), (X32, 0))
def an_array_of_an_attribute(x, n):
    b = Box(np.zeros(3), 1)
    if n > 0:
        b.v = x
        b.w = 0.5
    for i in range(n + 1):
        b.v = x * i
    return b.v, b.w, b


@case(([1, 2.5, 18], 0, 0.5), ([1, 2.5, 18], 1, 0.5), ([1, 2.5, 18], 2, 3))
def an_item_by_index_of_a_list(dst, i, v):
    r = list(dst)
    r[i] = v
    return r


@case((1.0, 1), (1.0, -1))
def floats_of_both_kinds_in_a_list(x, n):
    r = [x, np.float64(0.5)]
    return r, r[n if n > 0 else 0]


@case((0,), (1,), (2,), (3,))
def an_item_of_several_kinds(i):
    items = [1, 2.5, True, np.float32(0.1)]
    return items[i]


@case((2.0, 1), (2.0, -1))
def an_attribute_becomes_a_number_of_numpy(x, n):
    b = Box(x)
    if n > 0:
        b.v = np.float64(1.5)
    return b


@case((X64, 1), (X64, -1))
def an_attribute_becomes_an_element(x, n):
    b = Box(0.5)
    if n > 0:
        b.v = x[0]
    return b, b.v * 2


@case((X32, I64, 0), (X32, I64, 3), (X32, np.arange(4.0), 0), (X32, np.arange(4.0), 3))
def an_item_set_in_a_loop_whose_first_step_is_apart(x, w, n):
    r = [0, 1, 0]
    y = x
    for _ in range(n):
        r[0] = y
        y = w
    return r, y


# Numbers


@case((1,), (-1,))
def an_int_or_a_float(n):
    y = 1 if n > 0 else 0.5
    return y, y * 2, y + 1, -y, y > 0.7


@case((1,), (-1,))
def a_bool_or_an_int(n):
    y = True if n > 0 else 3
    return y, y + 1


@case((X32, 1), (X32, -1))
def a_float_or_an_element(x, n):
    y = x[0] if n > 0 else 0.1
    return y, y * x, y * 3, [y], {"y": y}


@case((X32, 1), (X32, -1), (I32, 1), (I32, -1))
def a_number_that_decides_the_dtype(x, n):
    y = 2 if n > 0 else np.float64(0.5)
    return x * y, np.multiply(x, y), np.full(2, y), np.array([y, y])


@case((I32, 1), (I32, -1))
def an_int_or_a_float_beside_an_array(x, n):
    y = 2 if n > 0 else 0.5
    return x * y, y * x, x + y, y - x


@case((1,), (-1,))
def numbers_of_two_dtypes(n):
    y = np.float32(0.1) if n > 0 else np.float64(0.1)
    return y, y * 3, y + np.float32(1), y == 0.1


@case((1,), (-1,))
def an_int_or_a_complex_number(n):
    y = 2 if n > 0 else 1j
    return y, y * y


@case((1,), (-1,))
def early_returns_of_two_kinds(n):
    if n > 0:
        return 1
    return 0.5


@case((1.5,), (0.0,))
def kinds_of_and_and_or(x):
    return x or 7, x and 7, (x > 1) or x, (x > 1) and 2


@case((1,), (3,))
def maximum_of_an_int_and_a_float(n):
    return max(n, 2.5), min(n, 2.5)


@case((X32, 3), (X32, 0), (X64, 3), (X64, 0), (I32, 3), (I32, 0))
def a_sum_from_an_int(x, n):
    s = 0
    for v in x[:1] if n < 0 else range(n):
        s = s + x[v]
    return s


@case((0,), (1,), (4,))
def a_sum_of_floats_from_an_int(n):
    s = 0
    for i in range(n):
        s = s + 0.5
    return s, s * 2


@case((X32,), (X64,), (I64,))
def a_sum_over_an_array(x):
    s = 0
    for v in x:
        s = s + v
    return s


@case((0.1, 0), (0.1, 3))
def a_float_in_a_while_loop(h, n):
    t = 1
    k = 0
    while k < n:
        t = t + h
        k = k + 1
    return t, k


@case((0,), (1,), (3,))
def a_zero_dimensional_array(n):
    y = np.array(2.0)
    if n > 0:
        y = y * 2
    return y


@case((X32, 0), (X32, 2))
def a_row_after_a_loop(x, n):
    best = None
    y = np.zeros(3)
    for i in range(n):
        best = x
        y = best
    return best, y


@case((X32, 1), (X32, -1), (X32, 0))
def a_comprehension_with_two_dtypes(x, n):
    rows = [x * k if n > 0 else np.ones(3) * k for k in range(3)]
    return rows, np.array(rows)


@case((X32, 0), (X32, 2))
def augmented_to_another_dtype(x, n):
    y = 1
    for _ in range(n):
        y *= x
    z = np.float32(1)
    for _ in range(n):
        z += 0.1
    return y, z


# Numbers that every step binds to a kind of their own


@case((3, 2.5), (0, 2.5), (1, 2.5))
def an_int_for_a_float(n, x):
    s, t, u = 0.5, x, 1j
    for i in range(n):
        s = i + 2**60
        t = bool(i)
        u = i
    return s, t, u


@case((3, 2.5), (0, 2.5), (1, 2.5))
def a_kind_made_of_what_it_was(n, x):
    s, t, u = x, 0, np.float32(1)
    for i in range(n):
        s = round(s + i)
        t = not t
        u = u is None
    return s, t, u


@case((3, 2.5), (0, 2.5), (1, 2.5))
def a_kind_bound_by_a_while_loop(n, x):
    s, t, i = x, x, 0
    while i < n:
        i += 1
        t = s
        s = i
    return s, t == i - 1, i


@case((X32, 3, 2.5), (I64, 0, 2.5), (B, 1, 2.5))
def kinds_of_items_and_attributes(a, n, x):
    r, b, d = [x, 1j], Box(x), {"k": 0.5}
    for i in range(n):
        r[0] = i
        b.v = a[i] > 1
        d["k"] = i > 1
    return r, b, d


# Python's complex numbers and np.float64, which is a float to Python


@case((np.float64(2), 1 + 2j), (np.float32(2), 1 + 2j), (2, np.complex128(1j)), (np.float64(2), np.complex64(1j)))
def complex_numbers_and_floats(x, z):
    return z + x, x + z, z - x, z * x, z / x, x / z, z**x, 1j * x, x * 1j, sum([z, x])


@case((np.float64(0), 1 + 2j), (np.float64(1), 1 + 2j))
def a_complex_number_by_zero(x, z):
    return z / x


@case((X64,), (X32,), (I64,), (X64[:0],))
def a_complex_sum(a):
    s = 0j
    for v in a:
        s += v
    return s, sum(a, 0j)
# Lists of numbers of several dtypes, as NumPy takes them


PAYOFFS = np.linspace(-1.0, 2.0, 12)


@case((PAYOFFS,), (-PAYOFFS - 5.0,), (PAYOFFS + 5.0,))
def an_array_of_many_numbers_of_two_dtypes(x):
    kept = []
    for v in x:
        kept.append(0 if v < 0 else v)
    return np.array(kept), np.array(kept, dtype=float), np.mean(kept)


@case((PAYOFFS,), (-PAYOFFS - 5.0,), (PAYOFFS + 5.0,))
def operators_and_ufuncs_of_many_numbers_of_two_dtypes(x):
    kept = []
    for v in x:
        kept.append(0 if v < 0 else v)
    return np.multiply(kept, 2), np.add.reduce(kept), np.arange(12) + kept, kept * np.arange(12), np.negative(kept)


@case((PAYOFFS, 1), (-PAYOFFS - 5.0, 1), (-PAYOFFS - 5.0, -1), (PAYOFFS, -1))
def an_array_of_nested_lists_of_numbers_of_three_dtypes(x, n):
    pairs = [(n > 0 if v < 0 else v, True if n > 0 else 2) for v in x]
    return np.array(pairs), np.array([[n > 0, 2.5 if n > 0 else 1], [3 if n > 0 else 2.0, True]])


@case((2**53 + 1, 1), (2**53 + 1, -1))
def integers_of_a_list_that_floats_do_not_hold(k, n):
    items = [k if n > 0 else 0.5, k if n > 0 else 2.5]
    return np.array(items), np.array(items, dtype=np.int64)


# fmt: on


@pytest.mark.parametrize("program", case.programs)
def test_dtypes(program: Program) -> None:
    program.check()
