"""Sorting and searching."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from anabranch import djit, jit
from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import FLOATS, INTS, TRUTHS, VECTOR
from tests.equivalence import Outcome, alike, check

case = Table()

for ax in (0, 1, None, 2):
    case(np.sort, FLOATS, axis=ax)
    case(np.argsort, INTS, axis=ax, kind="stable")
    case(np.sort, FLOATS, axis=ax, kind="bad")
case(np.lexsort, [VECTOR, np.array([1, 1, 0, 0])])
case(np.lexsort, (VECTOR, np.array([1, 1, 0, 0])))
case(np.searchsorted, np.sort(VECTOR), FLOATS)
case(np.searchsorted, np.sort(VECTOR), FLOATS, side="right")
case(np.searchsorted, np.array([1, 2, 2, 3, 5]), np.array([0, 1, 2, 3, 4, 5, 6]))
case(np.searchsorted, np.array([1, 2, 2, 3, 5]), np.array([0, 1, 2, 3, 4, 5, 6]), side="right")
case(np.searchsorted, np.sort(VECTOR), 0.1)
case(np.searchsorted, np.array([]), FLOATS)
case(np.searchsorted, np.array([0.1, 0.2], np.float32), 0.1, side="right")
case(np.searchsorted, np.array([1, 7], np.int32), 2**31)
for side in ("left", "right"):
    for line in (np.sort(TRUTHS.ravel()), np.zeros(3, bool), np.ones(3, bool), np.zeros(0, bool)):
        case(np.searchsorted, line, TRUTHS, side=side)
        case(np.searchsorted, line, TRUTHS[0, 0], side=side)
case(np.lexsort, (VECTOR, VECTOR[:1]))
BITS = np.random.default_rng(2).integers(0, 2, (18, 300)).astype(bool)
BYTES = np.random.default_rng(3).integers(0, 256, (3, 300)).astype(np.uint8)
case(np.lexsort, BITS[:2])
case(np.lexsort, BITS)
case(np.lexsort, [BYTES[0], BITS[0], BYTES[1] // 16, BITS[1], BYTES[2].astype(np.int8), BITS[2]])
case(np.lexsort, (BYTES[0] // 64, BYTES[1] // 64, BYTES[2] // 64))
case(np.lexsort, BITS[:4].reshape(4, 30, 10), axis=0)
case(np.searchsorted, np.array([1, 2, np.nan]), np.array([np.nan, 1]))
case(np.digitize, FLOATS, Static([-1.0, 0, 1]))
for bins in ([-1.0, 0, 1], [1, 0, -1], [1, 2, 1], [2, 2, 2], [[1]]):
    case(np.digitize, FLOATS, np.array(bins), right=False)
    case(np.digitize, 0.5, np.array(bins), right=True)
    for right in (False, True):
        case(np.digitize, np.array([-1, 0, 1.0]), np.array(bins), right=right)
        case(np.digitize, np.array([-1, 0, 1.0]), Static(bins), right=right)
case(np.digitize, FLOATS, Static([1.0, 0, -1]))
case(np.digitize, FLOATS, Static([1.0, 0, -1]), right=True)
case(np.digitize, np.array([1.0, 0, -1, 2, -2, 0.5]), Static([1.0, 0, -1]))
case(np.digitize, np.array([1.0, 0, -1, 2, -2, 0.5]), Static([1.0, 0, -1]), right=True)
case(np.digitize, np.array([1.0, 0, -1, 2, -2, 0.5]), Static([-1, 0.0, 1]), right=True)

ORDERED = np.arange(6.0).reshape(2, 3)
for f in (np.partition, np.argpartition):
    case(f, ORDERED, Static(1))
    case(f, ORDERED, Static(1), axis=0)
    case(f, ORDERED, Static(7))
LINE = np.sort_complex(np.array([1 + 2j, 1 - 1j, 0, 3j, 2, 2]))
NAN_LAST = np.array([1, 2, complex(1, np.nan), complex(np.nan, 1)])
for side in ("left", "right"):
    for v in (LINE, np.array([1 + 1j, 5, -1j]), 2.0):
        case(np.searchsorted, LINE, v, Static(side))
    case(np.searchsorted, NAN_LAST, np.array([complex(np.nan, 0), complex(3, np.nan), 1.5]), Static(side))
case(np.isin, LINE, np.array([2, 3j]))
for a in (
    np.array([2, 3, -1, 2, 0, 3]), np.array([200, 0, 255], "u1"), np.array([True, False, True]),
    np.array([2.0, np.nan, -1.0, 0.5, np.nan, 2.0]), np.array([[1.5, np.nan], [2.5, 1.0]], "f2"),
    np.array([1 + 1j, 3, np.nan, complex(2, np.nan), complex(np.nan, 1), 1 + 2j]), np.zeros((3, 0)),
):  # fmt: skip
    for f in (np.sort, np.argsort):
        case(f, a, stable=True, descending=True)
        case(f, a, axis=Static(None), stable=True, descending=True)
        case(f, a, axis=0, stable=True, descending=False)
        case(f, a, kind="stable", descending=True)


@pytest.mark.parametrize(
    "function",
    [
        lambda a: np.sort(a[a != 2], descending=True),
        lambda a: np.argsort(a[a != 2], stable=True, descending=True),
        lambda a: a.argsort(stable=True, descending=True),
        lambda a: (a.sort(descending=True), a),
    ],
)
@pytest.mark.parametrize("a", [np.array([3, 2, -1, 0, 3, 0]), np.array([3.0, np.nan, -1.0, 2.0, np.nan, 3.0])])
def test_downwards(function, a):
    check(function, a)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i4", "u2", "i1", "?", "c16"])
def test_many_elements(dtype):
    rng = np.random.default_rng(1)
    x = (rng.integers(0, 700, (3, 400)) * 1.5).astype(dtype)
    if dtype[0] in "fc":
        x[:, ::50], x[:, 3::90] = np.nan, -0.0

    def ordered(a):
        return np.sort(a), np.sort(a, axis=0, kind="stable"), np.argsort(a, kind="stable"), np.sort(a[a != 3])

    check(ordered, x)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "?", "c16"])
def test_positions_that_partition_long_rows_are_those_of_numpy(dtype):
    def positions(a):
        return np.argpartition(a, (3, -5), axis=1), np.argpartition(a * a, 7, axis=0), a.argpartition(2, None)

    check(positions, (np.random.default_rng(5).standard_normal((130, 140)) * 9).astype(dtype))


def test_sorts_in_a_loop_and_in_threads():
    def smallest(x, n):
        total = 0.0
        for i in range(n):
            x = np.sort(x * -1.0)
            total += x[i]
        return total, x

    x = np.random.default_rng(2).random(2000)
    compiled, expected = jit(smallest), smallest(x, 9)
    with ThreadPoolExecutor(8) as pool:
        for total, ordered in pool.map(lambda _: compiled(x, 9), range(40)):
            assert total == expected[0]
            assert (ordered == expected[1]).all()


def test_a_function_traced_at_each_call_tells_sorts_apart():
    x = np.random.default_rng(3).random((40, 40))
    ordered = djit(lambda a, axis: np.sort(a, axis))
    for axis in (0, 1, 0):
        np.testing.assert_array_equal(ordered(x, axis), np.sort(x, axis))


def test_sorts_on_the_host_are_explained():
    ordered = jit(lambda x: np.sort(x))
    assert "sort: computed by NumPy" in str(ordered.explain(np.ones(1000)))
    assert "NumPy" not in str(ordered.explain(np.ones(10)))


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("kth", [[1, 1, 3], [1, 7, 9], [-7, -6], [-1]])
def test_positions_known_at_run_time(kth, native):
    def by_those_that_differ(a, k):
        places = np.unique(k)
        return np.partition(a, places)[places].sum()

    def by_all(a, k):
        return np.partition(a, k).sum(), np.partition(a, [k[0], 1])[1]

    values = np.array([3.0, 1, 2, 5, 4])
    for function in (by_those_that_differ, by_all):
        compiled = jit(function, native_loops=native)
        for _ in range(3):
            alike(Outcome(function, (values, np.array(kth)), {}), Outcome(compiled, (values, np.array(kth)), {}))
