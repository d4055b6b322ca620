"""Ints beyond int64, numbers of which only the identity is asked, attributes that numbers have or miss."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anabranch import IntegerRangeError, UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()


def test_a_uint64_beyond_int64_is_no_int() -> None:
    @jit
    def converted(u):
        return float(u[1]), int(u[0])

    assert converted(np.array([2**63 - 1, 2**64 - 1], np.uint64)) == (2.0**64, 2**63 - 1)
    with pytest.raises(IntegerRangeError):
        converted(np.array([2**63, 0], np.uint64))


def _chosen_from_a_list(k):
    return [2**70, 1, 2][k + 0]


def _chosen_from_many(k):
    return [2**70 + i for i in range(20)][k + 0]


def _chosen_from_a_dict(k):
    return {0: 2**70, 1: 1}[k + 0]


def _put_into_a_list(k):
    line = [0] * 20
    line[k + 0] = 2**70
    return line


def _appended(k):
    line = [0]
    for _ in range(k + 1):
        line.append(2**70)
    return line


def _caught(k):
    try:
        return [2**70, 1, 2][k + 0]
    except OverflowError:
        return 7


def _counted_to(k):
    steps = 0
    for i in range(2**70):
        if i > k:
            break
        steps += 1
    return steps


def _counted_beyond(k):
    return sum(i > k for i in range(2**63 - 3, 2**63 + 5))


def _item_of_a_range(k):
    return range(2**70)[k + 0]


def _range_up_to(k):
    return [i for i in range(k + 0, 2**70, 2**69)]


def _array_of(k):
    return np.array([k, 2**70, 1.5])


@pytest.mark.parametrize(
    "function",
    [
        _chosen_from_a_list, _chosen_from_many, _chosen_from_a_dict, _put_into_a_list, _appended, _caught, _counted_to,
        _counted_beyond, _item_of_a_range, _range_up_to, _array_of,
    ],
)  # fmt: skip
def test_a_static_int_beyond_int64_is_no_run_time_value(function) -> None:
    with pytest.raises(IntegerRangeError, match=r"compiled code holds ints as int64") as caught:
        jit(function)(1)
    assert any(entry.path.name == Path(__file__).name and entry.name == function.__name__ for entry in caught.traceback)


@case((0,), (1,))
def range_that_ends_where_int64_does(k):
    steps = 0
    for i in range(-(2**63), 2**63, 2**62):
        if i > k:
            steps += 1
    return steps, range(2**63 - 3, 2**63)[k]


@case((0,), (1,))
def int_beyond_int64_that_numpy_refuses(k):
    a = np.array([1, 2, 3])
    try:
        a[k] = 2**70
    except OverflowError:
        return a + k
    return a


@case((3.0 + 4.0j,), (complex(1.7e308, 1.7e308),), (complex(np.inf, 1.0),), (complex(np.nan, 1.0),))
def size_of_a_complex_number(z):
    return abs(z)


@case((3, 3.0, 1 + 2j, "ab"), (-300, -0.5, complex(-0.0, 1.0), ""))
def methods_as_attributes_of_their_class(n, x, z, s):
    return (
        int.bit_length(n),
        float.is_integer(x),
        complex.conjugate(z),
        int.conjugate(n),
        float.__add__(x, 1.0),
        str.upper(s),
        float.is_integer(float(n)),
    )


@case((3,), (True,))
def method_of_another_class(n):
    return float.is_integer(n)


@case((3, 3), (3, 4), (256, 256), (-5, -5), (-6, 4), (1000, 1001))
def one_small_int(m, n):
    return m is n, m is not n, m is m, m + 0 is n, m is True


@case((1.5, 0.0), (-1.5, 0.0))
def a_number_or_none(x, y):
    z = None
    if x > 0:
        z = x
    return z is y, z is not y, z is None


@case((2.5, 3.5), (0.0, 1.0))
def floats_that_differ(x, y):
    z = x
    return x is y, x is not y, x is x, z is x, x is None


@pytest.mark.parametrize("value", [1000, 257, -6, 2.5, 1 + 2j])
def test_whether_equal_numbers_are_one_object_is_refused(value) -> None:
    def f(x, y):
        return x is y

    with pytest.raises(UnsupportedOperationError, match="compare with =="):
        jit(f)(value, value)


@pytest.mark.parametrize("program", case.programs)
def test_scalar(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_scalar_with_static_arguments(program: Program) -> None:
    program.check_static()
