"""Differences, counts, picks, norms and the methods of ufuncs, of arrays of run-time size."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.errors import RunTimeSizeError
from tests.program_table import Program, Table

case = Table()

MIXED = np.array([1.0, -2.0, 0.0, 5.0, 3.0, 0.5])
NONE = np.zeros(6)
INTS = np.array([1, 0, 2, 0, 3, 7])
GAPS = np.array([1.0, np.nan, 2.0, -1.0, 4.0, 0.0])
GRID = np.array([[3.0, -1, 2], [0, 5, -2], [1, 4, 2]])
LINES = ((MIXED,), (NONE,), (INTS,))
SOME = ((MIXED,), (INTS,))
PARTS = ((GRID, 1), (GRID, 0), (GRID, 3))


# ---- differences and sums --------------------------------------------------------------------------------------------


@case(*LINES, (GAPS,))
def differences(a):
    some = a[a > 0]
    return np.diff(some), np.diff(some, 2), np.diff(some, prepend=1, append=[2, 3]), np.ediff1d(some, to_end=a[a > 1])


@case(*PARTS)
def differences_along_axes(a, k):
    return np.diff(a[k:], axis=0), np.diff(a[k:], axis=1), np.diff(a[:, k:])


@case(*LINES)
def slopes(a):
    return np.gradient(a[a > 0]), np.gradient(a[a > 0], 0.5)


@case((GRID, 2), (GRID, 3))
def slopes_along_axes(a, k):
    return np.gradient(a[:k], axis=0), np.gradient(a[:, :k], 2.0, axis=1)


@case(*LINES)
def areas(a):
    some = a[a > 0]
    return np.trapezoid(some), np.trapezoid(some, np.cumsum(some)), np.trapezoid(some, dx=2)


@case(*LINES)
def interpolated(a):
    places, values = np.sort(a[a > 0]), a[a > 0]
    return np.interp(a, places, values), np.interp(values, np.sort(a), a), np.interp(1.7, places, values, left=-1)


@case(*LINES)
def folded(a):
    some = a[a > 0]
    full, same = np.convolve(some, [1.0, 2, 3]), np.convolve(some, a[a >= 1], "same")
    return full, same, np.convolve(some, [1.0, 2], "valid"), np.convolve([1, 2, 3.0], some, "same")


# ---- counts ----------------------------------------------------------------------------------------------------------


@case((INTS,), (INTS + 30,), (INTS[:0],), (INTS * 0,))
def occurrences(a):
    return np.bincount(a), np.bincount(a[a > 0]), np.bincount(a[a > 0], minlength=5), len(np.bincount(a))


@case((INTS,), (INTS + 30,))
def weighted_occurrences(a):
    return np.bincount(a, weights=a * 0.5), np.bincount(a[a > 0], weights=a[a > 0] * 0.5, minlength=20)


@case(*SOME)
def in_bins(a):
    some = a[a > 0]
    even, given = np.histogram(some, 3), np.histogram(some, [0, 1, 2])
    return even, given, np.histogram(some, 4, (0, 2), density=True), np.histogram(some, 2, weights=some)


@case((NONE,))
def nothing_in_bins(a):
    return np.histogram(a[a > 0], 3), np.histogram(a[a > 0], [0, 1, 2])


# ---- picks -----------------------------------------------------------------------------------------------------------


@case(*SOME)
def taken(a):
    some = a[a > 0]
    picked = np.take(some, [0, 1, -1]), np.take(a, np.flatnonzero(a > 0)), np.take(some, 1)
    return *picked, np.take(some, np.array([0, 9]), mode="clip"), some.take([3, -2], mode="wrap")


@case((GRID, 1), (GRID, 2))
def taken_along_axes(a, k):
    return (
        np.take(a[k:], [0, 0], axis=0),
        a[k:][[0, 0]],
        np.take(a[k:], [2, 1], axis=1),
        np.take(a, np.arange(3)[k:], 1),
    )


@case(*SOME)
def put(a):
    np.put(a, np.flatnonzero(a > 0), [1, 2])
    b = a[a > 0]
    b.put([0, -1], 9)
    np.put(b, [0], a[a > 1])
    return a, b


@case((MIXED,), (NONE,), (GRID,))
def put_into_any_shape(a):
    np.put(a, np.flatnonzero(a > 0), -a[a > 0])
    return a


@case(*SOME)
def chosen(a):
    low, some = a[a < 3], a[a > 0]
    return np.choose(low.astype(int) % 3, [1, low, 3.0]), np.select([some > 1, some < 0.7], [some, -some], 7)


@case(*LINES)
def rolled(a):
    return np.roll(a[a > 0], 1), np.roll(a[a > 0], -5), np.roll(a[1:], len(a[a > 1]))


@case(*PARTS)
def turned(a, k):
    around = np.rot90(a[k:]), np.rot90(a[:, k:], 2), np.rot90(a[k:], 3)
    return np.roll(a[k:], 1, axis=0), np.roll(a[k:], (1, 2), axis=(0, 1)), *around


# ---- norms and comparisons -------------------------------------------------------------------------------------------


@case(*LINES)
def norms(a):
    some = a[a > 0]
    return np.linalg.norm(some), np.linalg.norm(some, 1), np.linalg.norm(some, np.inf), np.linalg.norm(some, 3)


@case(*PARTS)
def norms_along_axes(a, k):
    whole = np.linalg.norm(a[k:]), np.linalg.norm(a[:, :k]), np.trace(a[k:]), np.trace(a[:, k:], 1)
    return *whole, np.linalg.norm(a[k:], axis=1), np.linalg.norm(a[k:], axis=0, keepdims=True)


@case(*LINES, (GAPS,))
def compared(a):
    some = a[a > 0]
    alike = np.array_equal(some, a[a >= 0]), np.array_equal(some, some), np.array_equal(some, [1, 5, 3, 0.5])
    return *alike, np.allclose(some, some + 1e-12), np.array_equal(a[a != 0], a[a != 0], equal_nan=True)


@case((GRID, 1), (GRID, 0))
def spreads(a, k):
    some = a[0, k:]
    return np.cov(a[:, k:]), np.corrcoef(a[:, k:]), np.cov(a[:k], rowvar=False), np.cov(some), np.cov(some, some**2)


# ---- methods of ufuncs -----------------------------------------------------------------------------------------------


@case(*LINES)
def reduced(a):
    some = a[a > 0]
    return np.add.reduce(some), np.multiply.reduce(some), np.logical_and.reduce(some), np.hypot.reduce(some)


@case(*LINES, (GAPS,))
def reduced_without_identity(a):
    some = a[a > 0]
    ends = np.maximum.reduce(some), np.minimum.reduce(some, keepdims=True), np.fmax.reduce(a[a != 0])
    return *ends, np.subtract.reduce(some), np.divide.reduce(some)


@case((INTS,), (INTS * 0,))
def reduced_bits(a):
    some = a[a > 0]
    bits = np.bitwise_and.reduce(some), np.gcd.reduce(some), np.maximum.reduce(some, initial=3)
    return *bits, np.logaddexp.reduce(some), np.logaddexp2.reduce(some, initial=1)


@case(*PARTS)
def reduced_along_axes(a, k):
    ends = np.add.reduce(a[k:]), np.add.reduce(a[:, k:], axis=1), np.add.reduce(a[k:], axis=None)
    return *ends, np.maximum.reduce(a[k:], axis=1), np.add.accumulate(a[k:], axis=1)


@case(*LINES)
def accumulated(a):
    some = a[a > 0]
    sums = np.add.accumulate(some), np.maximum.accumulate(a[a != 0]), np.subtract.accumulate(some)
    return *sums, np.multiply.outer(some, a), np.subtract.outer(a, a[a > 1])


@case(*SOME)
def one_by_one(a):
    b, c = np.zeros(8), a[a > 0]
    np.add.at(b, np.flatnonzero(a > 0), 1)
    np.add.at(b, a[a > 0].astype(int), a[a > 0])
    np.multiply.at(c, [0, 0], 3)
    np.add.at(a, a > 1, 10)
    np.power.at(b, np.flatnonzero(a > 2), 2)
    return a, b, c


@case(*SOME)
def in_segments(a):
    some = a[a > 0]
    return np.add.reduceat(some, [0, 2]), np.maximum.reduceat(some, [1, 0]), np.add.reduceat(a, np.flatnonzero(a > 0))


@case((np.array([3, 1, 2, 5, 4]), 2), (np.array([3, 1, 2, 5, 4]), 9))
def in_loops_and_branches(a, k):
    out = np.zeros(5, int)
    for i in range(5):
        part = np.diff(a[i:]) if i < k else a[:i]
        out[i] = np.add.reduce(part)
        if np.linalg.norm(part) > 4:
            np.add.at(out, np.flatnonzero(part > 2), 1)
        else:
            out[i] += len(np.bincount(np.abs(part)))
    return out


@pytest.mark.parametrize("program", case.programs)
def test_programs(program: Program) -> None:
    program.check()


@pytest.mark.parametrize(
    ("program", "argument"),
    [
        (lambda a: np.bincount(a), INTS - 1),
        (lambda a: np.bincount(a, a[a > 0]), INTS),
        (lambda a: np.take(a[a > 0], [0, 5]), MIXED),
        (lambda a: np.take(a[a > 9], [0, 5]), MIXED),
        (lambda a: np.add.reduceat(a[a > 0], [0, 2, 5]), MIXED),
        (lambda a: np.maximum.reduce(a[a > 9]), MIXED),
        (lambda a: a[0].sort(), MIXED),
        (lambda a: np.gradient(a[a > 4]), MIXED),
        (lambda a: np.convolve(a[a > 9], a), MIXED),
        (lambda a: np.choose(a[a > 0], [1, 2, 3]), INTS),
        (lambda a: np.array([a[a > 0], a[a > 1]]), MIXED),
        (lambda a: np.array([a[a > 0], a]), MIXED),
        (lambda a: np.asarray([a[a > 0], 1.0]), MIXED),
        (lambda a: np.array([np.ones((2, a[a > 0].size, 2)), np.ones((2, a[a > 0].size, 3))]), MIXED),
    ],
)
def test_messages(program, argument) -> None:
    with pytest.raises((ValueError, IndexError)) as eager:
        program(argument)
    with pytest.raises(type(eager.value)) as jitted:
        jit(program)(argument)
    assert str(jitted.value) == str(eager.value)


@pytest.mark.parametrize(
    "program",
    [
        lambda a: np.fft.fft(a[a > 0]),
        lambda a: np.linalg.eigvals(a[a > 0][:, None] * a[a > 0]),
        lambda a: np.linalg.qr(a[a > 0][:, None] * a[a > 0]),
        lambda a: np.quantile(a[a > 0], 0.5, weights=a[a > 0]),
        lambda a: np.linalg.svd(a[a > 0][:, None] * a[a > 0]),
    ],
)
def test_what_needs_a_size_names_where_it_came_from(program) -> None:
    with pytest.raises(RunTimeSizeError, match=r"known only at run time \(from `a\[a > 0\]"):
        jit(program)(MIXED)


def test_a_size_of_arguments_alone_becomes_known() -> None:
    program = jit(lambda a, k: np.fft.fft(a[:k]))
    np.testing.assert_allclose(program(MIXED, 4), np.fft.fft(MIXED[:4]))
