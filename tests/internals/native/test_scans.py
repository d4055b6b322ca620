"""Positions of extremes and truths of many elements, looked for in blocks."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.native import scans, shares
from tests.equivalence import check, check_calls

RNG = np.random.default_rng(31)
ROW = RNG.normal(size=1003)
ROWS = np.round(RNG.normal(size=(7, 143)), 1)
NATIVE = "anabranch_native"


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Rows have several blocks."""
    monkeypatch.setattr(scans, "_BYTES", 2**8)
    monkeypatch.setattr(scans, "_BYTES_OF_PART", 2**6)
    monkeypatch.setattr(scans, "_TRUTHS", 2**5)


def with_values(**values):
    """A row with other values at some places."""
    row = ROW.copy()
    for place, value in values.items():
        row[int(place[1:])] = value
    return row


FLOATS = [
    ROW,
    with_values(_1002=9.0),
    with_values(_64=9.0, _65=9.0, _900=9.0),
    with_values(_700=np.nan, _3=np.inf, _701=-np.nan, _1000=np.nan),
    with_values(_1002=np.nan),
    np.where(ROW > 0, 0.0, -0.0),
    np.full(1003, -np.inf),
]
ARRAYS = {
    "float64": FLOATS,
    "float32": [x.astype(np.float32) for x in FLOATS],
    "int8": [np.full(1003, -128, np.int8), RNG.integers(-9, 9, size=1003).astype(np.int8)],
    "int64": [RNG.integers(-9, 9, size=1003), np.arange(1003), np.full(1003, 2**63 - 1)],
    "uint8": [RNG.integers(0, 255, size=1003).astype(np.uint8)],
    "bool": [np.zeros(1003, bool), ROW > -9, with_values(_800=9.0) > 8, with_values(_1001=-9.0) > -8],
}


def positions(x):
    return np.argmax(x), x[::-1].argmin(), (x + x).argmax()


def truths(x):
    return x.any(), np.all(x < 8), (x[1:] == x[:-1]).all(), np.max(x > 2)


@pytest.mark.parametrize("dtype", ARRAYS)
def test_rows(dtype):
    check_calls(positions, *[(x,) for x in ARRAYS[dtype]])
    check_calls(truths, *[(x,) for x in ARRAYS[dtype]])


@pytest.mark.parametrize("dtype", ["float64", "bool"])
def test_parts_of_rows_for_several_threads(monkeypatch, dtype):
    monkeypatch.setattr(shares, "_WORK_OF_THREAD", 64)
    test_rows(dtype)


@pytest.mark.parametrize("x", [np.where(ROWS > 2, np.nan, ROWS), (ROWS * 10).astype(np.int32)], ids=["floats", "ints"])
def test_rows_of_matrices(x):
    check(lambda x: (x.argmax(axis=1), x[:, ::-1].argmin(axis=1), np.argmax(x), np.argmin(x, axis=0)), x)
    check(lambda x: (x.any(), x.T.all(), (x[1:, :-1] != x[:-1, 1:]).any(), np.argmax(x[:3], axis=1)), x)


def test_xla_calls_them_for_many_elements():
    x, factors = RNG.normal(size=20_000), RNG.integers(0, 9, (40, 40))

    def found(x, factors):
        return np.argmax(x), np.max(x), (x > 3).all(), factors @ factors

    text = jit(found, native_loops=True).lower(x, factors).as_text()
    assert text.count(f'call_target_name = "{NATIVE}') == 3
    check(found, x, factors)
    x[19_000] = np.nan
    check(found, x, factors)
    # What XLA computes on the way stays there.
    assert NATIVE not in jit(lambda x, m: (np.max(np.abs(x - 1)), m @ m)).lower(x, factors).as_text()
