"""Programs that ask Python, not NumPy, about run-time values: hidden state, types, membership, identity, text."""

from __future__ import annotations

import collections
import copy
import functools
import math
import operator
import random
import time

import numpy as np
import pytest

from anabranch import AnabranchError, UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()
SEEN: list[int] = []
CACHE: dict[str, float] = {}


@case((3,), (7,))
def in_a_range(n):
    return n in range(0, 10, 3), n in range(5)


@case((3,), (0,))
def in_a_deque_and_in_views_of_a_dict(n):
    queue, table = collections.deque([n, 1, 2]), {"a": n, "b": 2}
    return 3 in queue, n in queue, 0 not in queue, n in table.values(), ("a", 3) in table.items(), "a" in table.keys()


@case(
    (np.array([100, 100], np.int8), 0.5),
    (np.array([100, 100], np.int8), np.int64(0)),
    (np.array([100, 100, 100], np.int8), 1),
    (np.array([100, 100], np.int8), 1000),
    (np.array([0.25, 0.5], np.float32), np.float64(1e-9)),
    (np.array([True, True]), True),
    (np.array([True, True]), 0),
    (np.zeros(0), 2),
    (np.arange(3.0), np.zeros(2)),
    (np.arange(3.0), 0j),
    (np.arange(6).reshape(3, 2), np.array([0.5, 1.0])),
)
def sum_of_an_array_from_a_start(a, start):
    return sum(a, start), sum(a[1:], start)


@case((np.float64(2.5), np.int32(15), np.float32(1.25)), (np.float64(np.nan), np.int32(0), np.float32(-0.5)))
def round_of_numpy_scalars(a, b, c):
    return round(c), round(a, 1), round(c, 1), round(b, -1), round(b), round(a)


@case((np.bool_(True),), (np.complex128(1j),))
def round_of_what_has_none(a):
    return round(a)


@case((3,), (7,))
def in_a_set_and_a_dict(n):
    return n in {1, 3}, n in {3: "a", 4: "b"}, n not in {7}


@case((3,), (4,))
def item_of_a_dict_by_a_run_time_key(n):
    return {3: 10, 4: 20}[n]


@case((3,), (5,))
def dict_get_by_a_run_time_key(n):
    return {3: 10, 4: 20}.get(n, -1)


@case((2,), (3,), (9,))
def index_of_a_run_time_value(n):
    return [1, 2, 3].index(n)


@case((2,), (9,))
def count_of_a_run_time_value(n):
    return [1, 2, 2].count(n), (n, n, 2).count(n)


@case((2.0, 1.0), (1.0, 2.0))
def sorted_run_time_values(x, y):
    return sorted([x, y, 1.5])


@case((2.0, 1.0), (1.0, 2.0))
def list_sort_in_place(x, y):
    items = [x, y, 1.5]
    items.sort()
    return items


@case((2.0, -3.0), (1.0, 2.0))
def min_with_a_key(x, y):
    return min(x, y, key=abs), max([x, y], key=lambda v: -v)


@case((2.0,), (-2.0,))
def types_are_asked_for(x):
    return isinstance(x, float), isinstance(x, (int, str)), isinstance(x, np.floating)


@case((2.0,))
def type_of_a_float(x):
    return type(x) is float


@case((2.0,))
def branch_on_the_type_of_a_float(x):
    if type(x) == float:  # noqa: E721
        return x
    return -x


@case((np.float64(2.0),), (np.int32(2),), (np.ones(2),))
def numpy_types_are_asked_for(x):
    return isinstance(x, float), isinstance(x, np.generic), isinstance(x, np.ndarray), np.isscalar(x), np.ndim(x)


@case((2,), (0,))
def types_of_results(n):
    a, b = n / 2, n > 1
    return isinstance(a, float), isinstance(b, bool), isinstance(b, int)


@case((2,), (0,))
def branch_on_a_type(n):
    v = n / 2 if n is not None else n
    if isinstance(v, float):
        return v * 10
    return v


@case((1.0,), (float("nan"),), (float("inf"),))
def math_predicates(x):
    return math.isnan(x), math.isinf(x), math.isfinite(x)


@case((1.0,), (1.1,), (math.nan,))
def math_isclose(x):
    return math.isclose(x, 1.0)


@case((2.5,), (-2.5,), (1e300,), int64_overflow=True)
def math_to_ints(x):
    return math.floor(x), math.ceil(x), math.trunc(x), math.fabs(x), math.fmod(x, 2)


@case((5, 3), (12, 18), (0, 0))
def math_of_ints(a, b):
    return math.gcd(a, b), math.hypot(a, b), math.sqrt(a), math.prod([a, b, 2])


@case((710.0,), (1.0,))
def math_exp_overflows(x):
    return math.exp(x)


@case((0.0,), (-1.0,), (1.0,))
def math_log_has_a_domain(x):
    return math.log(x)


@case((-8.0, 1 / 3), (8.0, 0.5))
def math_pow_has_a_domain(x, y):
    return math.pow(x, y)


@case((-8.0, 0.5), (-8.0, 1.5), refused=UnsupportedOperationError)
def negative_to_a_fraction_is_complex(x, y):
    return x**y


@case((1e200, 2.0), (2.0, 3.0))
def float_power_overflows(x, y):
    return x**y


@case((2.0,), (-2.0,))
def equality_with_other_types(x):
    return x == "a", x != None, x == None, x is None  # noqa: E711


@case((2.0,), (-2.0,))
def equality_of_lists(x):
    return [x, 1] == [2.0, 1]


@case((2.0, 3.0), (2.0, 2.0), (3.0, 2.0))
def comparisons_of_tuples(x, y):
    return (x, y) < (y, x), (x, 1) == (y, 1), [x] >= [y], (1, x) != (1, y)


@case((2, 3.0), (2, 2.0), (3, np.nan), (-1, 0.0))
def comparisons_of_tuples_of_a_text_a_number_and_a_list(n, y):
    name = "up" if n > 2 else "down" if n > 0 else "none"
    one, other, third = (name, y, [n, 1]), ("down", 2.0, [2, n]), (n, name)
    orders = one < other, one <= other, one > one, one >= (name, y, [n, 1]), (name,) < ("none", n), third < (n, "up", 1)
    return orders, one == other, one != (name, y, [n, 1]), (name, y) == ("up", 3.0), (n, 1, name) == (n, True, "down")


@case((np.ones(2), np.ones(2)))
def identity_of_arrays(a, b):
    c = a
    d = a[:]
    return a is b, a is c, d is a, a is not c


@case((2.0,), (-2.0,))
def f_string(x):
    return f"{x}"


@case((2.0,), (-2.0,))
def str_of_a_value(x):
    return str(x)


@case((2,), (-2,))
def f_string_as_a_key(n):
    d = {}
    d[f"{n}"] = 1
    return d


@case((2,), (-2,))
def percent_format(n):
    return "n=%d" % n  # noqa: UP031


@case((2,), (-2,))
def value_as_a_dict_key(n):
    return {n: 1, 2: 5}


@case((2,), (1,))
def set_of_values(n):
    return len({n, 2, n + 1})


@case((2,), (0,))
def list_repeated_by_a_run_time_count(n):
    return [1] * n


@case((2,), (0,))
def string_repeated_by_a_run_time_count(n):
    return "ab" * n


@case((2,), (0,))
def slice_of_a_list_by_a_run_time_bound(n):
    return [1, 2, 3][:n]


@case((2,), (5,))
def list_of_a_run_time_range(n):
    return list(range(n))


@case((2,), (0,))
def shape_by_a_run_time_value(n):
    return np.zeros(n)


@case((2,), (-2,))
def operator_functions(n):
    return operator.lt(n, 0), operator.neg(n)


@case((2,), (0,))
def operator_truth(n):
    return operator.truth(n), operator.not_(n), operator.index(n)


@case((2,), (0,), (7,))
def operator_functions_that_ask(n):
    inside = operator.contains([n, 1], 2), operator.countOf([n, 2, 2.0], 2), operator.is_(n, None)
    return inside, operator.iadd(n, 1), operator.itemgetter(1)([1, n]), operator.methodcaller("conjugate")(n)


@case((2.0, 0.0), (2.0, -0.0), (7.5, 2.0), (np.inf, 2.0))
def divmod_of_floats(x, y):
    return divmod(x, y), divmod(7, y)


@case((2,), (-2,))
def dunder_methods(n):
    return n.__add__(1), n.__lt__(0)


@case(
    (2.0, 3),
)
def abs_pow_round_by_name(x, n):
    f, g = abs, pow
    return f(-x), g(x, n)


@case((2.0, 3.0), (3.0, 2.0))
def builtins_by_another_name(x, y):
    least, root, total = min, math.sqrt, sum
    return least(x, y), root(x), total([x, y]), [f(x) for f in (math.floor, math.sin, int, abs)]


@case((3,), (-3,), (0,), (2**62,))
def pow_with_a_modulus(n):
    return pow(n, 3, 5), pow(2, 10, n + 1), pow(7, abs(n) % 100, 2**61 - 1)


@case((3, -1, 7), (4, -1, 8), (3, -2, -7), (5, 3, 0), (2, 2**62, 2**63 - 25), (-(2**63), 2**63 - 1, -(2**63)))
def pow_of_run_time_values(a, b, m):
    return pow(a, b, m)


@case(([1, 2, 3], 1), ([1, 2, 3], -1))
def list_of_the_caller_indexed(items, i):
    return items[i]


@case((3,), (0,))
def copies_of_containers(n):
    d = {"a": [n, 1]}
    e = copy.copy(d)
    d["a"][0] = 50
    return e["a"][0]


@case((3,), (0,))
def deep_copies_of_containers(n):
    d = {"a": [n, 1]}
    e = copy.deepcopy(d)
    d["a"][0] = 50
    return e["a"][0]


@case((2.0,), (-2.0,))
def any_and_all_short_circuit(x):
    return any([x > 0, 1 / x > 0]), all((x > 0, x < 5)), any(()), all([])


@case((0,), (2,))
def all_stops_before_the_error(n):
    return all(v for v in (n, 1)) and 10 // n > 1


@case((0,), (2,))
def generator_stops_before_the_error(n):
    return any(10 // k > 3 if k else True for k in (n, 2))


@case((0.1, 0.2, 0.3), (1e16, 1.0, -1e16))
def sum_of_floats_by_python(x, y, z):
    return sum([x, y, z]), sum((x, y), z), x + y + z


@case((np.array([1e16, 1.0, -1e16, 1.0]),))
def sum_of_an_array_by_python(a):
    return sum(a), sum(v for v in a)


@case((np.array([3, 1, 2], dtype=np.uint8),))
def sum_of_small_ints_by_python(a):
    return sum(a), max(a), min(a), np.sum(a), sum(a, 250)


@case((np.array([[1.0, 2.0], [3.0, 4.0]]),))
def sum_of_rows_by_python(m):
    return sum(m), sum(m.T), m.sum(0), len(m)


@case((np.array([True, False, True]),))
def sum_of_bools(a):
    return sum(a), a.sum(), a + True, sum([a[0], a[2]])


def larger(p, q):
    if q > p:
        return q
    return p


@case((5,), (-3,), (0,), (9,))
def reduced_range_of_run_time_length(n):
    return functools.reduce(lambda p, q: p * 2 + q, range(n % 4), n), functools.reduce(larger, (n, 3, n + 1))


@case((7,), (1,), (0,))
def reduced_without_a_first_value(n):
    return functools.reduce(larger, range(n)), functools.reduce(larger, (v * 2 for v in range(n) if v % 2))


@case((9,), (3,), (0,))
def reduced_in_a_loop(n):
    t = 0
    for i in range(n):
        t = functools.reduce(lambda p, q: p * 2 + q + i, range(i), t) % 97
        if t > 40:
            break
    return t


@case((3,), (-3,), (0,))
def numbers_of_texts_chosen_at_run_time(n):
    try:
        half = float("0.5" if n > 0 else "half")
    except ValueError as error:
        print(error)
        half = 0.0
    return half, int("12" if n > 1 else "3"), complex("1j" if n else "2")


@case((np.array([1.0, 3.0, 2.0]),), (np.array([-1.0, -2.0]),))
def reduced_arrays(x):
    return functools.reduce(larger, x), functools.reduce(lambda p, q: p * q, x, 1.0)


@pytest.mark.parametrize("program", case.programs)
def test_hostile_builtins(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_hostile_builtins_with_static_arguments(program: Program) -> None:
    program.check_static()


def _refused_or(function, *args):
    """Return the results of three calls, or None where the project refuses the function."""
    try:
        return [function(*args) for _ in range(3)]
    except AnabranchError:
        return None


def test_numpy_random_is_no_constant() -> None:
    got = _refused_or(jit(lambda x: x + np.random.rand()), 1.0)
    assert got is None or len(set(got)) == 3


def test_numpy_generator_is_no_constant() -> None:
    rng = np.random.default_rng(0)
    got = _refused_or(jit(lambda x: x + rng.random()), 1.0)
    assert got is None or len(set(got)) == 3


def test_numpy_random_in_a_loop_is_no_constant() -> None:
    @jit
    def f(x, n):
        s = []
        for _ in range(n):
            x = x * 10 + np.random.randint(1, 1000)
        return x, s

    got = _refused_or(lambda: f(0, 2)[0])
    assert got is None or len({g % 10 for g in got} | set(got)) > 1


def test_random_is_no_constant() -> None:
    got = _refused_or(jit(lambda x: x + random.random()), 1.0)
    assert got is None or len(set(got)) == 3


def test_time_is_no_constant() -> None:
    got = _refused_or(jit(lambda x: x + time.perf_counter()), 1.0)
    assert got is None or len(set(got)) == 3


def test_counter_of_an_object_moves() -> None:
    class Counter:
        n = 0

        def bump(self):
            self.n += 1
            return self.n

    counter = Counter()
    got = _refused_or(jit(lambda x: x + counter.bump()), 1.0)
    assert got is None or (got == [2.0, 3.0, 4.0] and counter.n == 3)


def test_iterator_of_the_outside_moves() -> None:
    source = iter([1.0, 2.0, 3.0])
    got = _refused_or(jit(lambda x: x + next(source)), 1.0)
    assert got is None or got == [2.0, 3.0, 4.0]


def test_global_list_grows_by_each_call() -> None:
    SEEN.clear()

    @jit
    def f(n):
        for i in range(n):
            SEEN.append(1)
        return n

    got = _refused_or(f, 2)
    assert got is None or len(SEEN) == 6


def test_global_dict_is_written_by_each_call() -> None:
    CACHE.clear()

    @jit
    def f(x):
        CACHE["last"] = x * 2
        return x

    got = _refused_or(f, 2.0)
    if got is None:
        assert "last" not in CACHE
        return
    f(5.0)
    assert CACHE["last"] == 10.0


def test_object_of_a_closure_is_written_by_each_call() -> None:
    class Box:
        value = 0.0

    box = Box()

    @jit
    def f(x):
        if x > 0:
            box.value = x
        return x

    got = _refused_or(f, 2.0)
    if got is None:
        assert box.value == 0.0
        return
    f(5.0)
    f(-1.0)
    assert box.value == 5.0
