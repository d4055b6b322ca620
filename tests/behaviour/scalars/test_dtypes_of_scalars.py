"""Dtypes and kinds of numbers through operators, branches and loops, and NumPy's own scalars."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()


@case((2.0,), (-2.0,))
def int_or_float_by_branch(x):
    if x > 0:
        y = 1
    else:
        y = 0.5
    return y


@case((2.0,), (-2.0,))
def bool_or_int_by_branch(x):
    if x > 0:
        y = True
    else:
        y = 3
    return y


@case((2.0,), (-2.0,))
def dtypes_by_branch_of_one_type(x):
    if x > 0:
        y = np.float32(1.5)
    else:
        y = np.float32(x)
    return y * 2, y + 1.5


@case((np.array([1, 2, 3], dtype=np.int32), 2), (np.array([1, 2, 3], dtype=np.int32), -2))
def int32_stays_int32(a, k):
    s = a[0]
    for v in a:
        s = s + v * k
    if k > 0:
        s = s // 2
    return s, a.sum(), a * k, a + np.int64(1)


@case((np.array([250, 251], dtype=np.uint8), 3))
def uint8_loop_wraps(a, n):
    s = a[0]
    for _ in range(n):
        s = s + a[1]
    return s


@case((np.int32(2**30), 1), (np.int32(2**30), 3))
def int32_scalar_wraps(a, n):
    for _ in range(n):
        a = a + a
    return a


@case((np.float32(0.1), 3))
def float32_accumulates_in_float32(x, n):
    s = np.float32(0)
    for _ in range(n):
        s = s + x
        s += 1
    return s, s * 0.1, s + np.float64(1)


@case((np.int8(100), 27), (np.int8(100), -28))
def int8_with_weak_ints(a, k):
    return a + 28, a * k, a - k, a // 3, a % 7, -a


@case((np.uint8(5),))
def weak_int_out_of_bounds(a):
    return a + 300


@case((np.uint8(5),))
def weak_negative_int_out_of_bounds(a):
    return a - -1 if a > 100 else a + -1


@case((np.uint8(5), 300), (np.uint8(5), 3))
def traced_int_out_of_bounds(a, k):
    return a + k


@case((np.uint8(5), 300), (np.uint8(5), -1), (np.uint8(5), 5))
def comparing_with_an_int_out_of_bounds(a, k):
    return a < k, a == k, a > 300, a >= -1


@case((np.int64(3), 2), (np.int64(-3), 2))
def numpy_int_with_python_int(a, k):
    return a + k, a / k, a // k, a % k, a**k, k - a, a > k


@case((np.int64(3), np.int64(-2)))
def numpy_int_to_a_negative_power_raises(a, k):
    return a**k


@case((np.bool_(True), False), (np.bool_(False), True))
def numpy_bools(p, q):
    return p | q, p & q, p ^ q, ~p, not p, p + q


@case((np.bool_(True), False), (np.bool_(False), True))
def numpy_bool_or_python_bool(p, q):
    return p and q, p or q


@case((np.array([True, False]), True))
def bool_array_sum_is_an_int(a, p):
    return a.sum(), a + a, a * 2, a & p, a.mean(), ~a, a.any()


@case((np.bool_(True),))
def subtraction_of_numpy_bools_raises(p):
    return p - p


@case((2.0,), (-2.0,))
def signed_zero(x):
    z = x * 0.0
    return np.copysign(1.0, z), np.copysign(1.0, -z), np.copysign(1.0, 0.0 - z), np.copysign(1.0, abs(z))


@case((-0.0,), (0.0,))
def signed_zero_through_a_branch(x):
    y = x if x <= 0 else 5.0
    if y:
        y = 3.0
    return np.copysign(1.0, y)


@case((-0.0, 3), (0.0, 3))
def signed_zero_through_a_loop(x, n):
    for _ in range(n):
        x = x + -0.0
    return np.copysign(1.0, x), np.copysign(1.0, x + 0)


@case((0.0, -0.0), (-0.0, 0.0))
def min_max_of_signed_zeros(x, y):
    return np.copysign(1.0, min(x, y)), np.copysign(1.0, max(x, y))


@case((0.5,), (1.5,), (2.5,), (-0.5,), (-1.5,))
def round_half_even(x):
    return round(x), np.round(x), np.rint(x)


@case((2.675,), (1234.5678,), (-0.05,), (-61.687,), (0.125,), (1e300,), (float("nan"),), (float("inf"),), ulps=0)
def round_to_digits(x):
    return round(x, 2), round(x, 0)


@case((1234,), (-15,), (25,), (2**63 - 1,), int64_overflow=True)
def round_int_to_tens(n):
    return round(n, -1)


@case((5.0, 3), (5.5, 3))
def numpy_of_python_scalars(x, n):
    return np.sqrt(x), np.add(x, n), np.maximum(n, 2), np.abs(n), np.floor(x)


@case((5.0, 3))
def numpy_types_of_python_scalars(x, n):
    return np.int64(n) + 1, np.float32(x)


@case((2**53 + 1,), (3,))
def comparing_ints_with_floats_is_exact(n):
    return n == 9007199254740992.0, n > 9007199254740992.0, n < 0.5


@case((2**53 + 1, 3), (10, 5))
def int_true_division_is_correctly_rounded(a, b):
    return a / b, a / 1


KINDS = (
    np.int64(2**53 + 1),
    np.float64(2.5),
    np.bool_(True),
    np.float32(-2.5),
    2**53 + 1,
    -2.5,
    True,
    np.float64("nan"),
)


@case(*((k,) for k in KINDS))
def whole_numbers_of_each_kind(k):
    found = []
    for take in (lambda: math.floor(k), lambda: math.ceil(k), lambda: math.trunc(k), lambda: round(k)):
        try:
            found.append(take())
        except (TypeError, ValueError) as error:
            found.append(str(error))
    return found


@case((np.int64(2),), (np.float32(2.5),), (np.bool_(True),))
def a_scalar_as_an_array(k):
    try:
        k[0]
    except IndexError as error:
        return k[...], k[None], k[()], k[None, ...], str(error)


@case((np.int64(2),), (np.float32(2.5),), (2,), (np.array(2),))
def attributes_that_are_missing(k):
    try:
        return k.nothing
    except AttributeError as error:
        return str(error), hasattr(k, "nothing"), getattr(k, "nothing", 5)


@pytest.mark.parametrize("program", case.programs)
def test_scalar(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_scalar_with_static_arguments(program: Program) -> None:
    program.check_static()
