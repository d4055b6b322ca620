"""Calls of functions that are not compiled: arguments become static, or the refusal says what to do."""

from __future__ import annotations

import datetime
import decimal
import fractions
import functools
import itertools
import json
import struct

import numpy as np
import pytest

from anabranch import AnabranchError, jit
from anabranch.runtime.errors import ConcretizationError, IntegerRangeError, UnsupportedValueError
from tests.program_table import Program, Table

case = Table()


@case(([1.0, 2.0, 3.0], 2), ([1.0, 2.0], 1))
def lengths_for_itertools(items, n):
    return (
        list(itertools.permutations(items, n)),
        list(itertools.combinations(items, n)),
        list(itertools.product(items, repeat=n)),
    )


@case((16,), (8,), (3,))
def the_base_of_a_number(b):
    return int("12", b)


@case((3,))
def numbers_of_the_standard_library(n):
    days = datetime.timedelta(n)
    return fractions.Fraction(n, 2) == 1.5, decimal.Decimal(n) == 3, days == datetime.timedelta(days=3)


class Place:
    def __init__(self, n):
        self.n = n

    def __index__(self):
        return self.n

    def __hash__(self):
        return self.n

    def __eq__(self, other):
        return self.n == other.n


@case((3,), (1,))
def methods_that_must_give_an_int(n):
    return [1, 2, 3, 4][Place(n)], {Place(n): 5}[Place(n)]


@case((3,), (0,), (-1,))
def bounds_of_islice(n):
    return list(itertools.islice([1, 2, 3], n)), list(itertools.islice(itertools.cycle([1, 2]), n))


@case(([3.0, 1.0, 2.0],), ([1.0, 1.0, -2.0],))
def order_by_a_function_of_two(xs):
    def compare(p, q):
        if p > q:
            return 1
        return -1 if p < q else 0

    xs.sort(key=functools.cmp_to_key(lambda p, q: (q > p) - (q < p)))
    return sorted(xs, key=functools.cmp_to_key(compare)), max(xs, key=functools.cmp_to_key(compare))


@case((3,), (0,))
def order_of_ints_by_their_difference(n):
    key = functools.cmp_to_key(lambda p, q: q - p)
    return (
        sorted([3, 1, n], key=key),
        key(n) < key(2),
        key(n) != key(2),
        sorted(["b", "a"], key=functools.cmp_to_key(_of_texts)),
    )


def _of_texts(p, q):
    return (p > q) - (p < q)


@pytest.mark.parametrize("program", case.programs)
def test_programs(program: Program) -> None:
    program.check()


def text(x):
    return json.dumps([x])


def number(x):
    return decimal.Decimal(x)


@pytest.mark.parametrize(
    ("function", "name"),
    [(text, "json.dumps"), (number, "decimal.Decimal")],
)
@pytest.mark.parametrize("x", [2.0, np.float64(2.0)])
def test_a_refusal_names_the_function_and_what_to_do(function, name, x) -> None:
    with pytest.raises(AnabranchError) as caught:
        jit(function)(x)
    said = str(caught.value)
    assert said.startswith(f"{name} is not compiled")
    assert "call it outside" in said
    assert f"{__file__}:" in said
    assert "static_argnames" not in said


def test_what_a_function_of_scipy_asks_for_is_refused_as_that_function() -> None:
    optimize = pytest.importorskip("scipy.optimize")

    def root(x):
        return optimize.brentq(lambda t: t * t - x, 0.0, 10.0)

    with pytest.raises(AnabranchError, match=r"^scipy\.optimize\.brentq is not compiled"):
        jit(root, host_calls=False)(2.0)


def test_a_ufunc_of_no_library_is_refused() -> None:
    own = np.frompyfunc(lambda a, b: a + b, 2, 1)
    with pytest.raises(AnabranchError, match="is not compiled"):
        jit(lambda x: own(x, x))(np.ones(2))


def test_an_argument_that_would_have_to_be_static_is_named_where_it_may_not_be() -> None:
    def permuted(items, n):
        return list(itertools.permutations(items, n))

    with pytest.raises(AnabranchError, match="static_argnames='n'"):
        jit(permuted, auto_static=False)([1.0, 2.0], 1)


def test_an_error_of_a_library_about_a_stand_in_is_told_in_plain_words() -> None:
    def packed(x):
        return struct.pack("d", x)

    def caught(x):
        try:
            return struct.pack("d", x)
        except struct.error:
            return b""

    for f in (packed, caught):
        with pytest.raises(AnabranchError, match=r"^struct\.pack is not compiled.*call it outside"):
            jit(f)(1.5)


def test_an_exception_has_none_of_earlier_attempts_to_trace_before_it() -> None:
    def f(n):
        return datetime.date(2000, n, 1).month

    def g(n):
        items = []
        for i in range(n):
            items.append(i)
        items.foo = 1

    for function, argument in ((f, 13), (g, 3)):
        with pytest.raises((ValueError, AttributeError)) as plain:
            function(argument)
        with pytest.raises(type(plain.value)) as compiled:
            jit(function)(argument)
        assert compiled.value.__context__ is None
        assert str(compiled.value) == str(plain.value)


def test_errors_of_the_users_own_functions_pass_through() -> None:
    def key(v):
        raise TypeError("mine")

    def greatest(x):
        return functools.reduce(lambda a, b: key(a), [x, x])

    with pytest.raises(TypeError, match=r"^mine$"):
        jit(greatest)(2.0)


def test_a_result_that_hides_run_time_values_is_refused_at_the_function() -> None:
    def partial(x):
        return functools.partial(max, x)

    with pytest.raises(UnsupportedValueError, match="is a partial, which holds run-time values") as caught:
        jit(partial)(2.0)
    assert f"{__file__}:{partial.__code__.co_firstlineno}\n    def partial(x):" in str(caught.value)


def test_an_int_out_of_range_is_told_with_its_line() -> None:
    def grown(a):
        n = int(a[0])
        return n * 4

    with pytest.raises(IntegerRangeError) as caught:
        jit(grown)(np.array([2**62]))
    assert f"{__file__}:{grown.__code__.co_firstlineno + 2}\n    return n * 4\n" in str(caught.value)


def test_a_hash_known_only_at_run_time_is_refused() -> None:
    def hashed(a):
        return hash(int(a[0]))

    with pytest.raises(ConcretizationError, match="hash"):
        jit(hashed)(np.array([1]))
