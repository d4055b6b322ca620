"""Memory as NumPy shows it: `flat`, `strides`, `flags`, views of other dtypes, windows and strides."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib import stride_tricks

from anabranch import UnsupportedOperationError, configure, jit
from tests.equivalence import check

GRID = np.arange(6.0).reshape(2, 3)
LINE = np.arange(6.0)
CUBE = np.arange(24.0).reshape(2, 3, 4)


# ---- flat ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "native"), [(GRID, True), (GRID.T, False)])
def test_flat_is_read_and_written(a, native):
    def f(a, i):
        a.flat[i] = 9
        a.T.flat[1] = 3
        part = a.flat[1:4]
        part[0] = 100
        total = 0.0
        for k, v in enumerate(a.flat):
            if v > 3:
                a.flat[k] = -v
            total += v
        return a, a.flat[i], part, total, len(a.flat), a.flat[[0, 2]], a.flat[-1], a.flat[...]

    with configure(native_loops=native):
        check(f, a.copy(order="K"), -3)


def test_flat_takes_values_over_and_over():
    def f(a, m, i):
        a.flat[0:4] = [7, 8, 9]
        a.flat[m] = [1, 2]
        a.flat[i] = a.flat[i] + [10, 20]
        a.flat[2:2] = [3]
        a.flat[1:3] = []
        return a, a.flat[m], a.flat[i]

    check(f, GRID, np.array([True, False] * 3), np.array([[1, 4], [0, -1]]))


def test_flat_as_an_iterable():
    def f(a):
        pairs = [x * y for x, y in zip(a.flat, a.T.flat, strict=True)]
        return pairs, sum(a.flat), max(a.flat), list(a.flat), np.sum(a.flat), np.asarray(a.flat), a.flat == 3

    check(f, GRID)


def test_flat_beside_arrays_and_numbers():
    def f(a, x):
        chosen = a.flat * x[x > -1], x[0] * a.flat, a.T.flat - x
        x *= a.flat
        return chosen, a.flat + x, x - a.flat, a.flat < x, x == a.flat

    check(f, GRID, np.arange(6.0) - 0.5)
    check(lambda a: a.flat + 1, GRID)


def test_flat_knows_its_place():
    def f(a):
        it = a.flat
        x, y = next(it), next(it)
        place = it.index, it.coords
        rest = list(it)
        it[0] = 5
        return x, y, place, rest, next(it)

    check(f, GRID)


@pytest.mark.parametrize("i", [6, -7])
def test_places_beyond_flat(i):
    check(lambda a, i: a.flat[i], GRID, i)
    check(lambda a, i: a.flat[i], GRID, np.array([0, i]))

    def f(a, i):
        a.flat[i] = 1

    check(f, GRID, i)
    check(lambda a: a.flat[6], GRID)
    check(lambda a: a.flat[[0, 6]], GRID)


def test_what_is_no_place_in_flat():
    def several(a):
        a.flat[0] = [1, 2]

    check(several, GRID)
    check(lambda a: a.flat[1, 2], GRID)
    check(lambda a: a.flat[None], GRID)
    check(lambda a, m: a.flat[m], GRID, np.array([True, False]))
    with pytest.raises(UnsupportedOperationError, match=r"flat with such an index"):
        jit(lambda a, i: a.flat[i])(GRID, True)


def test_flat_iterated_in_a_branch_that_did_not_make_it_is_refused():
    def f(a):
        it = a.flat
        x = 0.0
        if a[0, 0] > 1:
            x = next(it)
        return x, next(it)

    with pytest.raises(UnsupportedOperationError, match=r"a\.flat is kept"):
        jit(f)(GRID)


# ---- strides and flags -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("a", [CUBE, CUBE.T, CUBE[:, :, ::2], CUBE[::-1, :, 1:3]])
def test_layout(a):
    def f(a):
        made = a + 1
        parts = [a, a.T, a[:, 1:], a[..., ::-1], made, a.reshape(-1, 2), a.copy(), np.zeros((2, 3), order="F"), a.real]
        return [
            (p.strides, p.flags.c_contiguous, p.flags.f_contiguous, p.flags["C"], p.flags.fnc, p.flags.forc)
            for p in parts
        ]

    jitted = jit(f)
    assert jitted(a) == f(a)


def test_writeable():
    def f(a):
        return a.flags.writeable, a[1:].flags["W"], a.flags.contiguous

    frozen = LINE.copy()
    frozen.flags.writeable = False
    check(f, LINE)
    check(f, frozen)


def test_what_is_not_known_of_memory_is_refused():
    def setting(a):
        a.flags.writeable = False

    for f, text in (
        (lambda a: a[:1].strides, "fewer than two elements"),
        (lambda a: a[None].strides[0] > 8, "fewer than two elements"),
        (lambda a: stride_tricks.as_strided(a[None], (2, 1), a[None].strides), "fewer than two elements"),
        (lambda a: print(a[None].strides), "fewer than two elements"),
        (lambda a: a.flags.owndata, "owndata"),
        (lambda a: a.flags["ALIGNED"], "aligned"),
        (setting, "flag of an array is set"),
        (lambda a: a[a > 2].view(np.int32), "known only at run time"),
    ):
        with pytest.raises(UnsupportedOperationError, match=text):
            jit(f)(LINE)


@pytest.mark.parametrize("a", [LINE[None], LINE[:, None], LINE[:1, None]])
def test_strides_without_a_meaning_are_passed_on(a):
    def windows(a):
        rows, columns = a.shape
        down, along = a.strides
        size = min(columns, 2)
        moved = stride_tricks.as_strided(a, (columns - size + 1, rows, size), (along, down, along * 1))
        return moved, stride_tricks.as_strided(a, strides=a.strides), len(a.strides)

    check(windows, a)


# ---- views of other dtypes -------------------------------------------------------------------------------------------

SPECIAL = np.array([np.nan, -0.0, np.inf, 1e-310, 1.5, -2.0])


@pytest.mark.parametrize("native", [True, False])
def test_view_shows_the_bytes(native):
    def f(a):
        return [
            a.view(t)
            for t in (np.int64, np.uint64, np.float32, np.int32, np.uint16, np.int8, np.complex128, np.complex64)
        ]

    with configure(native_loops=native):
        check(f, SPECIAL)


def test_view_of_complex_numbers_and_of_bools():
    def f(z, b, h):
        parts = z.view(np.float64)
        parts[1] = 7
        return parts, z, z.view(np.complex64), z.view(np.int64), b.view(np.uint8), h.view(np.int16), h.view(np.float64)

    check(f, np.array([1 + 2j, 3 - 4j]), np.array([True, False]), np.arange(8, dtype=np.float16))


def test_writes_reach_what_is_viewed():
    def f(a, n):
        words, small = a.view(np.int64), a.view(np.uint8)
        small[::8] = 7
        for i in range(n):
            words[i] += i
            a[i] *= 2
        return words, a

    check(f, LINE + 1, 4)
    check(lambda a: a.view(np.int64), LINE[::-1])


def test_an_array_as_a_buffer():
    check(lambda a: np.frombuffer(a, np.uint8, 5, 2), LINE)
    check(lambda a: np.frombuffer(a, np.complex128), LINE[:3])


def test_a_returned_view_is_one_of_the_callers_array():
    a = LINE.copy()
    words = jit(lambda a: a.view(np.int32))(a)
    windows = jit(lambda a: stride_tricks.sliding_window_view(a, 2))(a)
    a[0] = 5
    assert words[1] == a.view(np.int32)[1]
    assert windows[0, 0] == 5
    assert not windows.flags.writeable


def test_views_that_cannot_be():
    check(lambda a: a.view(np.int32), LINE[::2])
    check(lambda a: a.view(np.int32), GRID.T)
    check(lambda a: a.view(np.complex128), LINE[:3])
    check(lambda a: a.view(np.int32), np.array(1.0))
    check(lambda a: a.view(np.int64), np.array(1.0))
    check(lambda x: x.view(np.int64), np.float64(1.5))
    check(lambda x: x[x > 2].view(np.int64), LINE)
    with pytest.raises(UnsupportedOperationError, match="viewed as bools"):
        jit(lambda a: a.view(bool))(np.arange(3, dtype=np.uint8))


# ---- windows and strides ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("native", [True, False])
def test_windows(native):
    def f(a, v):
        w = stride_tricks.sliding_window_view(v, 3)
        v[2] = 50
        return (
            w,
            w.mean(axis=1),
            stride_tricks.sliding_window_view(a, (2, 2)),
            stride_tricks.sliding_window_view(a, 2, axis=1).sum(-1),
            stride_tricks.sliding_window_view(a, (1, 2), (1, 0)),
            w.strides,
        )

    with configure(native_loops=native):
        check(f, GRID, LINE)


def test_windows_that_cannot_be():
    def write(v):
        stride_tricks.sliding_window_view(v, 2)[0, 0] = 1

    check(write, LINE)
    check(lambda v: stride_tricks.sliding_window_view(v, 7), LINE)
    check(lambda v: stride_tricks.sliding_window_view(v, -1), LINE)
    check(lambda v: stride_tricks.sliding_window_view(v, (1, 2)), LINE)
    check(lambda v, k: stride_tricks.sliding_window_view(v, k).sum(1), LINE, 2)
    with pytest.raises(UnsupportedOperationError, match="writeable=True"):
        jit(lambda v: stride_tricks.sliding_window_view(v, 2, writeable=True))(LINE)


def test_strides_of_any_size():
    def f(v, a):
        return (
            stride_tricks.as_strided(v, (3, 2), (16, 8)),
            stride_tricks.as_strided(v, (4, 3), (8, 8)).sum(1),
            stride_tricks.as_strided(v[3:], (3,), (-8,)),
            stride_tricks.as_strided(v, (3,), (0,)),
            stride_tricks.as_strided(a, (2, 2)),
            stride_tricks.as_strided(a[1:], (3,), (8,)),
        )

    check(f, LINE, GRID)


def test_strides_that_leave_the_memory_are_refused():
    def write(v):
        stride_tricks.as_strided(v, (2, 2), (8, 8))[0, 0] = 1

    for f, text in (
        (lambda v: stride_tricks.as_strided(v, (7,), (8,)), "beyond the memory"),
        (lambda v: stride_tricks.as_strided(v[1:], (2,), (-16,)), "beyond the memory"),
        (lambda v: stride_tricks.as_strided(v, (2,), (3,)), "no multiples"),
        (write, "writing to what as_strided returns"),
    ):
        with pytest.raises(UnsupportedOperationError, match=text):
            jit(f)(LINE)
