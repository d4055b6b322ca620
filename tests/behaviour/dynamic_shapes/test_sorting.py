"""Sorting and order statistics of arrays of run-time size."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()

SIGNED = np.array([1.0, -2.0, 0.0, np.nan, 3.0, 0.0])
NONE = np.zeros(6)
ALL = np.array([5.0, 2.0, 3.0, 1.0, 7.0, 2.0])
INTS = np.array([1, 0, 2, 0, 3, 1])
HUGE = np.array([2**63 - 1, 3, 2**63 - 1, -4, 0, 3])
TRUTHS = np.array([True, False, True])
EMPTY = np.zeros(0)
COMPLEX = np.array([1j, 0, 2, complex(np.nan, 1), 1 - 1j, 1j])
GRID = np.array([[3.0, -1, 2], [0, 5, -2], [1, np.nan, 4]])
LINES = ((SIGNED,), (NONE,), (ALL,), (INTS,), (HUGE,), (TRUTHS,), (EMPTY,), (COMPLEX,))
NUMBERS = ((ALL,), (NONE,), (SIGNED,), (INTS,), (HUGE,))
PARTS = ((GRID, 1), (GRID, 0), (GRID, 2), (np.arange(9).reshape(3, 3)[::-1].copy(), 1))


@case(*LINES)
def in_order(a):
    return np.sort(a[a != 0]), np.sort(a[a != 0], kind="stable")[::-1], a[a != 0].argsort(kind="stable")


@case(*PARTS)
def in_order_along_axes(a, k):
    rows, columns = np.sort(a[k:], axis=0), np.sort(a[k:], axis=1)
    places = np.argsort(a[:, k:], axis=1, kind="stable"), np.argsort(a[k:], axis=0, kind="stable")
    return rows, columns, np.sort(a[:, :k], axis=None), *places


@case(*NUMBERS)
def in_place(a):
    b = a[a > 0]
    b.sort()
    a[1:].sort()
    return a, b


@case((ALL, 2), (ALL, 0), (INTS, 6), (SIGNED, 3))
def parts_in_place(a, k):
    a[k:].sort()
    a[:k].sort()
    return a


@case((GRID, 1), (GRID, 3))
def columns_in_place(a, k):
    a[:, k:].sort(axis=0)
    a[:k].sort()
    return a


@case((np.array([3, 1, 2, 5, 4]),), (np.zeros(5, int),))
def sorted_in_a_loop(a):
    total = 0
    for i in range(5):
        part = np.sort(a[:i])
        if len(part) > 2:
            part.sort()
            total += part[1] * i
        total += part.sum()
    return total


@case((ALL, True), (ALL, False), (NONE, True))
def sorted_in_branches(a, up):
    b = np.sort(a[a > 1]) if up else a[a > 2]
    b[:1] = 0
    return b, a


@case(*NUMBERS)
def partitioned(a):
    b = a[a >= 0]
    return np.sort(np.partition(b, 1)), np.sort(np.argpartition(b, -2)), np.partition(b, (0, 1))[0]


@case((ALL,), (NONE,), (INTS,))
def partitioned_in_place(a):
    b = a[a >= 0]
    b.partition(2)
    return b[2]


@case(*NUMBERS)
def by_several_keys(a):
    return np.lexsort((a[a > 0], a[a > 0] % 2)), np.lexsort((a[a > 1],))


@case((np.array([1.0, 2, 3]), np.array([1.0, 0, 3])))
def by_keys_of_other_sizes(a, b):
    return np.lexsort((a[a > 0], b[b > 0]))


@case(*NUMBERS)
def medians(a):
    some = a[a != 0]
    return np.median(some), np.nanmedian(some), np.median(a[a > 1]), np.nanmedian(a[a < 0])


@case(*PARTS)
def medians_along_axes(a, k):
    flat = np.median(a[k:], axis=0), np.median(a[k:], axis=1), np.nanmedian(a[k:], axis=1)
    return *flat, np.median(a[:, k:], axis=1, keepdims=True), np.nanmedian(a[k:], axis=0)


@case((ALL,), (NONE,), (INTS,), (SIGNED,))
def quantiles(a):
    some = a[a >= 0]
    return np.quantile(some, 0.3), np.quantile(some, [0.3, 0.5, 1]), np.percentile(some, 40, method="lower")


@case((ALL,), (NONE,), (INTS,), (SIGNED,))
def quantiles_in_other_ways(a):
    some = a[a >= 0]
    near = np.percentile(some, [40, 2], method="nearest", keepdims=True)
    return near, np.nanpercentile(a[a != 0], 40), np.quantile(some, 0.4, method="hazen")


@case(*PARTS[:3])
def quantiles_along_axes(a, k):
    across = np.percentile(a[k:], [30, 50], axis=1), np.quantile(a[:, k:], 0.4, axis=0)
    return *across, np.quantile(a[:, : k + 1], 0.4, axis=1, keepdims=True), np.nanquantile(a[k:], 0.4, axis=0)


@case((ALL[ALL > 9],), (NONE,), (ALL,))
def a_quantile_of_nothing(a):
    return np.quantile(a[a > 1], 0.5)


@case(*NUMBERS)
def without_nan(a):
    some = a[a != 0]
    return np.nansum(some), np.nanmean(some), np.nanstd(some), np.nanvar(some), np.nancumsum(some), np.nanprod(some)


@case(*NUMBERS)
def extremes_without_nan(a):
    some = a[a != 0]
    return np.nanmax(some), np.nanmin(some), np.nanargmax(some), np.nanargmin(some)


@pytest.mark.parametrize("program", case.programs)
def test_programs(program: Program) -> None:
    program.check()


def test_the_median_of_huge_numbers() -> None:
    def program(a):
        return np.nanmedian(a), np.nanmedian(a[a > 0]), np.median(a[a > 0])

    a = np.array([np.nan, 1.7e308])
    np.testing.assert_array_equal(jit(program)(a), program(a))


@pytest.mark.parametrize(
    ("program", "argument"),
    [
        (lambda a: np.partition(a[a > 1], 5), ALL),
        (lambda a: np.argpartition(a[a > 1], -6), ALL),
        (lambda a: np.nanmax(a[a > 9]), ALL),
        (lambda a: np.nanargmin(a[a > 9]), ALL),
        (lambda a: np.nanargmax(a[np.isnan(a)]), SIGNED),
        (lambda a: np.quantile(a[a > 9], 0.5), ALL),
        (lambda a: np.percentile(a[a > 1], a[0] * 100), ALL),
        (lambda a: np.lexsort((a[a > 1], a[a > 2])), ALL),
        (lambda a: np.lexsort((a[a > 6], a[a > 2])), ALL),
        (lambda a: np.partition(a[a > 1], (0, -9, 9)), ALL),
    ],
)
def test_messages(program, argument) -> None:
    with pytest.raises((ValueError, IndexError)) as eager:
        program(argument)
    with pytest.raises(type(eager.value)) as jitted:
        jit(program)(argument)
    assert str(jitted.value) == str(eager.value)


def test_several_quantiles_of_what_may_be_empty() -> None:
    program = jit(lambda a: np.nanquantile(a[a > 5], [0.25, 0.5]))
    np.testing.assert_array_equal(program(ALL), [7.0, 7.0])
    with pytest.raises(UnsupportedOperationError, match="a single NaN"):
        program(NONE)
