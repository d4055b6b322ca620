"""Python's own int, float, bool and complex: operators, overflow and division by zero."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equivalence import same
from tests.program_table import Program, Table

case = Table()
BIG = 2**62


@case((7, 2), (-7, 2), (7, -2), (-7, -2), (0, 3))
def int_division_and_remainder(a, b):
    return a // b, a % b, a / b, divmod(a, b)


@case((7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-0.0, 3.0), (float("inf"), 2.0), (1.0, float("inf")), (-1.0, float("inf")))
def float_division_and_remainder(x, y):
    return x // y, x % y, x / y


@case((1, 1), (1, 0))
def int_true_division_by_zero(a, b):
    return a / b


@case((1, 1), (1, 0))
def int_floor_division_by_zero(a, b):
    return a // b


@case((1, 1), (1, 0))
def int_remainder_by_zero(a, b):
    return a % b


@case((1, 1), (1, 0))
def divmod_by_zero(a, b):
    return divmod(a, b)


@case((1.0, 1.0), (1.0, 0.0), (0.0, -0.0))
def float_division_by_zero(x, y):
    return x / y


@case((1.0, 0.0), (1.0, 2.0))
def float_remainder_by_zero(x, y):
    return x % y


@case((np.float64(1.0), 0.0), (np.float64(1.0), 2.0))
def numpy_float_division_by_zero_is_inf(x, y):
    return x / y


@case((1.0, np.float64(0.0)))
def python_float_by_numpy_zero_is_inf(x, y):
    return x / y


@case((np.int64(1), np.int64(0)), (np.int64(-7), np.int64(2)))
def numpy_int_division_by_zero_is_zero(a, b):
    return a // b, a % b, a / b


@case((2, 10), (-2, 3), (0, 0), (3, 0))
def int_power(a, b):
    return a**b


@case((2, -2), (-4, -1), refused=UnsupportedOperationError)
def int_to_a_negative_power_is_a_float(a, b):
    return a**b


@case((3, 1.5), (-3, 1.5), (4, -2.0), (-4, 2j), (0, np.float32(2)), (-17, 1.0))
def powers_of_known_ints(n, x):
    total = 0
    for k in range(3):
        total += (-1) ** (n - k) * x
    return (-1) ** n, (-1) ** n * x, 3**n + 1, 2**n % 3, round(7 * 10**-n, 2), total, abs((-2) ** n) > 2


@case((3,), (0,), (-1,), (64,), (5, True), (-5, True))
def powers_of_known_ints_as_ints(n, zero=False):
    return [k for k in range(2**n % 50)], 0**n if zero else 1


@case((3, [5, 6, 7]), (-3, [5, 6, 7]), (1, [5, 6, 7]))
def powers_of_known_ints_as_indices(n, items):
    return items[(-1) ** (n * n)], items[(-1) ** n]


@case((2.0, 0.5), (-2.0, 3.0), (0.0, 0.0), (2.0, -1.0))
def float_power(x, y):
    return x**y


@case((0.0, -1.0))
def zero_to_a_negative_power(x, y):
    return x**y


@case((0, -1), (0, 2))
def int_zero_to_a_negative_power(a, b):
    return a**b


@case((2,), (-2,))
def static_powers(n):
    return n**2, n**3, n**0, n**-1, 2**-1 * n, n**0.5 if n > 0 else 0.0


@case((5, 2), (-5, 1))
def shifts(a, k):
    return a << k, a >> k, a & k, a | k, a ^ k, ~a


@case((5, -1))
def negative_shift(a, k):
    return a << k


@case((3,), (-3,), (0,))
def unary(a):
    return -a, +a, ~a, abs(a), not a


@case((True, False), (True, True))
def bool_arithmetic(p, q):
    return p + q, p - q, p * 3, -p, p / 2, p // True, p**q, p & q, p | q, p ^ q, p < q, ~5 + p


@case((2.5,), (-2.5,), (1e300,))
def float_overflow_multiplies_to_inf(x):
    return x * 1e300, x - 1e308 * 10


@case((2.5,), (1e308,))
def math_on_floats(x):
    return x * x, -x, x + 1, x - 1 == x


@case((float("nan"), 1.0), (1.0, 1.0), (float("inf"), float("inf")))
def nan_comparisons(x, y):
    return x < y, x <= y, x > y, x >= y, x == y, x != y, not x < y


@case((1 + 2j, 2.0), (0j, 1.0), (-1 - 1j, -2.0))
def complex_scalars(z, x):
    w = z * x + 1j
    if w == 1j:
        w = w + 1
    return w, z.real, z.imag, z.conjugate(), abs(z), z - x, x - z


@case((1 + 2j, 0j), (1 + 2j, 1j))
def complex_division(z, w):
    return z / w


@case((1 + 2j, 0j))
def complex_has_no_order(z, w):
    return z < w


@case((2.9,), (-2.9,), (0.0,), (-0.5,))
def float_to_int(x):
    return int(x), int(x) * 2, x.is_integer() if x is None else int(x) == 0


@case((float("nan"),), (1.0,))
def int_of_nan(x):
    return int(x)


@case((float("inf"),), (1.0,))
def int_of_inf(x):
    return int(x)


@case((BIG, 1), (BIG, 2), int64_overflow=True)
def addition_never_wraps(a, k):
    return a + a if k > 1 else a + k


@case((BIG - 1, 1), (BIG, 4), (-BIG, 3), int64_overflow=True)
def multiplication_never_wraps(a, k):
    return a * k


@case((3, 10), (3, 70), int64_overflow=True)
def loop_multiplication_never_wraps(a, n):
    s = 1
    for _ in range(n):
        s = s * a
    return s


@case((2, 10), (2, 64), int64_overflow=True)
def power_never_wraps(a, n):
    return a**n


@case((1, 10), (1, 63), int64_overflow=True)
def shift_never_wraps(a, n):
    return a << n


@case((-(2**63),), (5,), int64_overflow=True)
def negation_of_the_least_int(a):
    return -a


@case((-(2**63),), (-5,), int64_overflow=True)
def absolute_of_the_least_int(a):
    return abs(a)


@case((2**70,), (5,), static=("k",))
def static_ints_are_unbounded(k):
    x = np.float64(2.0)
    return x * (k % 1000), k * 2


@case((3, 2**70), (3, -(2**70)), (3, 3), static=("k",))
def a_traced_int_with_a_large_static_one(n, k):
    if n > k:
        return 1
    return n


@case(
    (1, "a"),
    (2.5, None),
    (None, 2.5),
    (True, [1]),
    (1j, {}),
    ("a", 1),
    (np.float64(2), None),
    (np.float64(2), "a"),
    (np.arange(3), None),
    ({1: 2}, np.arange(3)),
    ("a", np.arange(3)),
)
def text_of_a_type_error_names_the_operands(x, y):
    try:
        return x - y
    except TypeError as error:
        return str(error)


@case((1, "a"), (2.5, None))
def text_of_a_type_error_names_the_operator(x, y):
    try:
        x += y
    except TypeError as error:
        return str(error)
    return x


@case(
    (np.arange(3), None),
    (np.ones((2, 1)), "a"),
    (np.float64(1), "a"),
    (np.float64(1), None),
    (np.arange(3), {1: 2}),
    (np.arange(3), len),
)
def no_number_is_equal_to_what_is_none(x, y):
    return x == y, x != y, y == x


@case((np.arange(3), None), (np.zeros(0), "a"), (np.arange(3), len))
def no_number_among_others(x, y):
    return y in x, y not in x


@case((2**62 + 1,))
def float_of_a_large_int(a):
    return float(a), a * 1.0, int(float(a))


@case((1e19,), (-1e19,), (9.0e18,), int64_overflow=True)
def int_of_a_float_beyond_int64(x):
    return int(x)


@case((3, 4.0), (-3, 4.0))
def attributes_of_python_scalars(n, x):
    return n.real, n.imag, n.conjugate(), x.real, x.imag


@case((3,), (True,))
def fraction_of_an_int(n):
    return n.numerator, n.denominator


@case(
    (2.675, 2), (2.675, 400), (1e300, -5), (-25.0, -1), (0.5, 0), (1e-300, 3), (5e22, -22),
    (25, -1), (-15, -1), (5 * 10**18, -19), (2**62, -20), (7, 3), (True, -1), (2.5, 1.0), ulps=0
)  # fmt: skip
def round_to_run_time_digits(x, n):
    return round(x, n)


@case((1e-7, 30), (1e40, -30), refused=UnsupportedOperationError)
def round_far_from_the_point(x, n):
    return round(x, n)


@case((1, 2**53 + 1), (2**53 + 1, 3), (2**62 + 1, 2**61 - 1), (-(2**63), 7), (2**63 - 1, -(2**63)), (0, 5), ulps=0)
def int_quotients_are_correctly_rounded(a, b):
    return a / b, a / 3, 2**60 / b


@case((5,), (-5,), (0,))
def arithmetic_with_static_ints_beyond_64_bits(n):
    m = n // 2**70, n >> 2**70, n < 2**70, n == -(2**64), n / 2**64, n < 1e300, n != 10**400
    return m, (n & 2**64 - 1) if n >= 0 else 0, (n % 2**70) if n >= 0 else 0


@case((5,), int64_overflow=True)
def a_static_int_beyond_64_bits_added(n):
    return n + 2**63


@case((0.5,), (1e300,), (float("inf"),), (float("nan"),))
def floats_against_ints_beyond_64_bits(x):
    return x < 2**70 + 1, x >= 10**400, x == 2**70, x * 2**70, 10**300 > x


@case((6,), (-6,), (0,), (-(2**63),), (2**63 - 1,), (True,))
def bits_of_ints(n):
    return n.bit_length(), n.bit_count(), n.as_integer_ratio()


@case(*((n,) for n in (6, -6, 0, 127, 128, -128, -129, 255, 256, 65535, -(2**63), 2**63 - 1, True)))
def bytes_of_ints(n):
    made = [n.to_bytes(9, "little", signed=True), n.to_bytes(length=8, byteorder="big", signed=True)]
    for length in (0, 1, 2, 7, 8, 12):
        for signed in (False, True):
            try:
                made.append(n.to_bytes(length, "big", signed=signed))
            except OverflowError as error:
                made.append(str(error))
    return made, int.to_bytes(n, 10, "little", signed=True)[:3], n.to_bytes(8, "big", signed=True)[-1]


@case((258,), (-1,), (65536,))
def bytes_of_an_int_that_do_not_fit(n):
    return n.to_bytes(2, "big")


@case((1,))
def bytes_of_an_int_in_no_order(n):
    return n.to_bytes(2, "middle")


@case((1,))
def bytes_of_an_int_of_no_length(n):
    return n.to_bytes(-1, "big")


@case(([300, 2, 70000],), ([300, -2, 1],))
def bytes_of_ints_in_a_loop(values):
    total = 0
    for v in np.array(values):
        raw = int(v).to_bytes(4, "big")
        total = total * 31 + raw[2] + raw[3]
    return total


@case((0.5,), (0.1,), (-3.0,), (0.0,), (1e18,), (float("nan"),), (float("inf"),), (1e300,), int64_overflow=True)
def ratios_of_floats(x):
    return x.as_integer_ratio(), x.is_integer()


@case((0.0, -np.inf), (0.0, -2.0), (-1.0, np.inf), (-2.0, 3.0), (np.nan, 0.0))
def special_powers(x, y):
    return x**y


@case((-0.0, -0.0), (-0.0, 1.5), (3.0, np.inf), (2, -0.0))
def complex_from_parts(x, y):
    z = complex(x, y)
    return z, np.copysign(1.0, z.real), np.copysign(1.0, z.imag), complex(z, 1), complex(1, y), complex(x)


@case(
    (2.041 + 1.103j, -0.528 - 0.768j), (0.345 - 0.79j, 1.929 + 0.4j), (1 + 1j, 0j), (-2j, 3 + 0.5j), (1j, 1e-3), ulps=0
)
def complex_arithmetic_is_that_of_python(z, w):
    return z * w, z * 2.5, 3 * z, z / w, z / 3, 2.5 / z


@case((0j, -1), (0j, 2), (0j, 1j), (1 + 2j, 0), (1 + 2j, 3), (1 + 2j, -2), (1e200 + 1e200j, 2.5))
def complex_powers(z, n):
    return z**n


@case((np.array([-0.0, 4.0, -np.inf]),), (np.array([-0.0, 4.0], np.float32),), (np.array([-1 + 0j, 4j]),))
def roots_as_powers(a):
    r = a**0.5, np.power(a, 0.5), a[0] ** 0.5, np.power(a[0], 0.5), a ** np.array([0.5])
    return r, [np.copysign(1.0, v.real) for v in r], np.copysign(1.0, a[0].real) ** 0.5


@case((np.array([0, 2, 255], np.uint8), 1), (np.array([2**53 + 1, 2**62], np.uint64), 0))
def unsigned_sums_as_python_numbers(u, i):
    wide = u.astype(np.uint64)
    return int(u.sum()), u.sum().item(), float(u.sum()), complex(wide[i]), wide[i].item(), wide.tolist()


@pytest.mark.parametrize("program", case.programs)
def test_scalar(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_scalar_with_static_arguments(program: Program) -> None:
    program.check_static()


def one_of_two(n, x):
    one = n if n > 2 else n + 0.5
    digits = 1 if n > 2 else None
    results = [round(x, digits), {one: 1, 3: 2}]
    for ask in (
        lambda: round(x, one),
        lambda: round(2.123456, one),
        lambda: pow(n, one, 7),
        lambda: pow(one, 2, 7),
        lambda: pow(3, 2, one),
        lambda: chr(65 + one),
        lambda: ([1, 2, 3][one:], "abcdef"[:one], (1, 2)[one:]),
        lambda: f"{one:d} of {n}",
        lambda: f"{digits:.1f}",
    ):
        try:
            results.append(ask())
        except (TypeError, ValueError) as error:
            results.append(str(error))
    return results


@pytest.mark.parametrize("native", [True, False])
def test_an_int_on_one_branch_is_taken_for_one(native):
    compiled = jit(one_of_two, native_loops=native)
    for n in (3, 0, 5):
        for _ in range(3):
            same(one_of_two(n, 2.65), compiled(n, 2.65))
