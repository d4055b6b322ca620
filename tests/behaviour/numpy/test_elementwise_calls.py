"""NumPy's functions that call the user's own: `np.vectorize`, `np.piecewise`, `apply_along_axis`; and `np.nditer`."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, configure, jit
from tests.equivalence import check

LINE = np.arange(6.0) - 3
GRID = np.arange(6.0).reshape(2, 3) - 2
CUBE = np.arange(24.0).reshape(2, 3, 4)


# ---- vectorize -------------------------------------------------------------------------------------------------------


@np.vectorize
def scaled(v, w=2):
    if v > 0:
        return v * w
    return -v


@pytest.mark.parametrize(
    ("x", "native"), [(GRID.T, True), (GRID.T, False), (3.0, True), (np.float64(-3), False), (LINE.astype("f"), True)]
)
def test_of_arrays_and_numbers(x, native):
    def f(x):
        return scaled(x), scaled(x, 3), scaled(x, w=0.5), np.vectorize(lambda v: v if v > 0 else 0.0)(x)

    with configure(native_loops=native):
        check(f, x)


def test_loops_in_the_function_and_broadcasting():
    def f(x, y):
        def g(a, b):
            total, k = 0.0, 0
            while k < abs(a):
                total += b
                k += 1
            return total if total > 2 else -total

        return np.vectorize(g)(x, y), np.vectorize(g)(x, 2)

    check(f, GRID, np.array([[1], [2]]))


def test_elements_are_pythons_numbers_and_the_first_call_gets_numpys():
    def f(x):
        log = []

        def g(v, w):
            log.append(v)
            return isinstance(v, np.generic), v + w

        made = np.vectorize(g)(x, np.float32(3))
        return made, log

    check(f, LINE)


def test_dtypes():
    def f(x):
        return (
            np.vectorize(lambda v: (v + 1, v > 0), otypes=[float, bool])(x),
            np.vectorize(lambda v: (v, int(v)))(x),
            np.vectorize(lambda v: v / 2, otypes=[int])(x),
            np.vectorize(lambda v: 1 if v > 0 else 0.5)(x),  # of the first element
            np.vectorize(lambda v: v, otypes="f")(x),
            np.vectorize(lambda v, w: v * w)(x, [1, 2, 3, 4, 5, 6]),
        )

    check(f, LINE)


def test_sizes_known_only_at_run_time():
    def f(x, t):
        return np.vectorize(lambda v, k: v * k)(x[x > t], 2)

    check(f, LINE, 0.0)
    check(f, LINE, 100.0)


def test_nothing_and_what_fails():
    def f(x):
        return np.vectorize(lambda v: 1 / v)(x)

    check(f, LINE)
    check(f, LINE[:0])
    check(lambda x: np.vectorize(lambda v: 1 / v, otypes=[float])(x), LINE[:0])
    check(lambda x: np.vectorize(lambda v, w: v)(x, x[:2]), LINE)


def test_in_a_loop():
    def f(x, n):
        g = np.vectorize(lambda v: v * 0.5 if v > 1 else v + 1)
        for _ in range(n):
            x = g(x)
        return x

    check(f, LINE, 3)


def test_refused_options():
    with pytest.raises(UnsupportedOperationError, match="signature or excluded"):
        jit(lambda x: np.vectorize(lambda v: v, excluded=[0])(x))(LINE)
    with pytest.raises(UnsupportedOperationError, match="of a list"):
        jit(lambda x: np.vectorize(lambda v, w: v)(x, [1, 2.5, 3, 4, 5, 6]))(LINE)


# ---- piecewise -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [GRID, LINE.astype(int), LINE[:0], np.array([np.nan, 1]), -2])
def test_piecewise(x):
    def f(x):
        return (
            np.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v * 2]),
            np.piecewise(x, [x < 0, x > 1], [lambda v, k: v * k, lambda v, k: k, lambda v, k: v.sum()], 5),
        )

    check(f, x)


def test_piecewise_functions_see_their_elements_alone():
    def f(x):
        return (
            np.piecewise(x, [x < -100], [lambda v: v.max(), lambda v: np.sort(v)[::-1]]),
            np.piecewise(x, x > 0, [1, 2]),
            np.piecewise(x, [x > 0], [lambda v: v[0]]),
            np.piecewise(x, [x > 0, x < 2], [lambda v: v + 10, 5]),
        )

    check(f, LINE)


def test_piecewise_errors():
    check(lambda x: np.piecewise(x, [x > 0], [1, 2, 3]), LINE)
    check(lambda x: np.piecewise(x, [x > 0], [lambda v: v[5]]), LINE)


# ---- nditer ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "a",
    [CUBE[:, ::-1, ::2], CUBE.transpose(2, 0, 1)[::-1], CUBE[:, :1], np.broadcast_to(np.arange(3.0), (2, 3))],
)
def test_nditer_goes_through_memory(a):
    def f(a):
        total, weight = 0.0, 1.0
        for v in np.nditer(a):
            total += v * weight
            weight += 1
        return total, [float(v) for v in np.nditer(a)], [v + 0 for v in np.nditer(a, order="F")]

    check(f, a)


def test_nditer_writes():
    def f(a):
        with np.nditer(a, op_flags=["readwrite"]) as it:
            for x in it:
                x[...] = 2 * x + 1
        for k, v in enumerate(np.nditer(a, op_flags=[["readwrite"]])):
            v += k
        return a

    check(f, GRID.copy())
    check(f, GRID.T.copy(order="K"))


def test_nditer_with_indices():
    def f(a):
        total, it = 0.0, np.nditer(a, flags=["multi_index"])
        for v in it:
            i, j = it.multi_index
            total += v * (i + 2 * j)
            if v > 4:
                a[it.multi_index] = 0
        return total, a

    for native in (True, False):
        with configure(native_loops=native):
            check(f, GRID.copy())
    with pytest.raises(UnsupportedOperationError, match="another order"):
        jit(f)(GRID.T)


def test_nditer_errors_and_refusals():
    def write(a):
        for v in np.nditer(a):
            v[...] = 1

    def last(a):
        for v in np.nditer(a):
            if v > 2:
                break
        return v

    check(write, GRID)
    check(last, GRID)
    check(lambda a: list(np.nditer(a)), GRID[:0])
    with pytest.raises(UnsupportedOperationError, match=r"nditer"):
        jit(lambda a: list(np.nditer(a, flags=["external_loop"])))(GRID)
    check(lambda a, b: [x + y for x, y in np.nditer([a, b])], GRID, GRID[:, :2])


def test_nditer_over_several_arrays():
    def f(a, b):
        total, it = 0.0, np.nditer([a, b, None], flags=["multi_index", "f_index"])
        with it:
            for x, y, z in it:
                i, _ = it.multi_index
                z[...] = x - i * y + it.index
                b[0] += 0.5
            made = it.operands[2]
        for x, y in np.nditer([a, made], op_flags=[["readonly"], ["readwrite"]]):
            y[...] += x
            total += y
        return made, total, b

    check(f, GRID, GRID[0].copy())
    check(f, GRID.T.copy(), GRID[:, 0].copy())


def test_nditer_place_by_place():
    def f(a):
        it, found = np.nditer(a, flags=["multi_index"], op_flags=["readwrite"]), []
        while not it.finished:
            if it[0] > 2:
                found.append((it.multi_index, float(it[0])))
                it[0] = it[0] * 2
            if not it.iternext():
                break
        return found, a, it.itersize, it.finished

    def past(a):
        it = np.nditer(a)
        while not it.finished:
            it.iternext()
        return it[0]

    for native in (True, False):
        with configure(native_loops=native):
            check(f, GRID.copy())

    def closed(a):
        with np.nditer([a, None]) as it:
            for x, y in it:
                y[...] = x
        return it.operands

    check(past, GRID)
    check(closed, GRID)


# ---- apply_along_axis ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_along_an_axis(axis):
    def f(x):
        ends = np.apply_along_axis(lambda r: np.array([r.min(), r.max()]), axis, x)
        products = np.apply_along_axis(lambda r, k: np.outer(r, r) * k, axis, x, 3)
        return ends, np.apply_along_axis(np.sum, axis, x), products

    check(f, GRID)
    check(f, CUBE)
    check(f, CUBE.astype(int))
    check(f, GRID[:, :0])


def test_lines_are_changed_and_kept_in_order():
    def f(x):
        found = []

        def g(r):
            found.append(r[0])
            r[0] = len(found)
            return r[1] / (r[0] - 3)

        return np.apply_along_axis(g, 0, x), found, x

    check(f, CUBE[0].copy())
    check(f, CUBE.copy())


def test_the_first_line_says_what_the_others_are():
    def f(x):
        return np.apply_along_axis(lambda r: r.sum() if r[0] > 3 else 7, 1, x)

    def by_size(x):
        return np.apply_along_axis(lambda r: r[r > 0], 1, x)

    def failing(x):
        return np.apply_along_axis(lambda r: 1 // int(r[0] - 4), 1, x)

    for x in (CUBE[0] + 0.5, CUBE[0] + 4.5):
        check(f, x)
    check(by_size, CUBE[0] + 1)
    check(by_size, CUBE[0] - 5)
    check(failing, CUBE[0])


def test_many_lines_are_a_loop():
    def f(x):
        return np.apply_along_axis(lambda r: r - r.mean(), 1, x)

    sizes = [len(jit(f).trace(np.ones((n, 3))).program.equations) for n in (50, 5000)]
    assert sizes[0] == sizes[1]
