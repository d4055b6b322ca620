"""Indices that count from the end are told from all others by the check of those that lie in no axis."""

import re

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check, check_calls


def gathered(a, places):
    total = 0.0
    for i in range(len(places)):
        total += a[places[i]] * (i + 1)
    return total


def scattered(a, rows, columns):
    for i in range(len(rows)):
        a[rows[i], columns[i]] += i
        if a[rows[i], columns[i] - 1] > 3:
            a[rows[i] // 2, columns[i]] = 0.0
    return a


def in_two_axes_of_different_lengths(a, b, places):
    total = 0.0
    for i in range(len(places)):
        total += a[places[i]] - b[places[i]]
    return total


def chained(next, steps):
    at = 0
    found = []
    for _ in range(steps):
        at = next[at]
        found.append(at)
    return found


def traded(a, rows):
    for s in range(len(rows) - 1):
        i, j = rows[s], rows[s + 1]
        for k in range(a.shape[1]):
            a[i, k], a[j, k] = a[j, k], a[i, k]
    return a


def twice(a, places):
    for i in range(len(places)):
        a[places[i]] += 1
        if a[places[i]] > 2:
            a[places[i]] -= 3
    return a


def caught(a, places):
    count = 0
    for i in range(len(places)):
        try:
            count += a[places[i]]
        except IndexError:
            count -= 1000
    return count


A = np.random.default_rng(0).random(40)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int8, np.uint8])
def test_signs(dtype) -> None:
    places = np.random.default_rng(1).integers(0 if dtype == np.uint8 else -40, 40, 200).astype(dtype)
    check_calls(gathered, (A, places), (A, np.full(200, 39, dtype)))


@pytest.mark.parametrize("wrong", [40, -41, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("at", [1, 5, 19])
def test_outside(wrong, at) -> None:
    places = np.random.default_rng(1).integers(-40, 40, 20)
    places[at] = wrong
    check(gathered, A, places)
    check(caught, np.arange(40), places)


@pytest.mark.parametrize("wrong", [0, 6, -7])
def test_two_axes(wrong) -> None:
    rng = np.random.default_rng(2)
    rows, columns = rng.integers(-6, 6, 30), rng.integers(-6, 7, 30)
    rows[17] += 0 if wrong == 0 else wrong - rows[17]
    check(scattered, rng.random((6, 7)), rows, columns)


@pytest.mark.parametrize("wrong", [0, 5, -5, 7, -8])
def test_axes_of_different_lengths(wrong) -> None:
    places = np.random.default_rng(3).integers(-4, 4, 30)
    places[20] = wrong
    check(in_two_axes_of_different_lengths, np.arange(4.0), np.arange(7.0), places)


@pytest.mark.parametrize("wrong", [3, -1, 20, -21])
def test_an_index_that_was_read(wrong) -> None:
    next = np.roll(np.arange(20), 3) - np.where(np.arange(20) % 3 == 0, 20, 0)
    next[13] = wrong
    check(chained, next, 40)


@pytest.mark.parametrize("wrong", [0, 6, -7])
def test_rows_and_repeated_places(wrong) -> None:
    places = np.random.default_rng(4).integers(-6, 6, 30)
    places[11] += 0 if wrong == 0 else wrong - places[11]
    check(traded, np.random.default_rng(5).random((6, 4)), places)
    check(twice, np.zeros(6), places)


@pytest.mark.parametrize(
    ("function", "args", "count"),
    [
        (gathered, (A, np.arange(20)), 1),
        (chained, (A.argsort(), 9), 1),
        (twice, (A, np.arange(20)), 1),
        # Those of a row stand before the loop over its elements.
        (traded, (np.ones((20, 30)), np.arange(20)), 0),
    ],
)
def test_one_comparison_tells_all(function, args, count) -> None:
    llvm = jit(function).lower(*args).native_program().llvm
    assert len(re.findall(r"^odd\.", llvm, re.MULTILINE)) == count
