"""Arrays made with sizes known only at run time."""

from __future__ import annotations

import numpy as np
import pytest

import anabranch
from anabranch import jit
from tests.program_table import Program, Table

case = Table()
A = np.array
SIZES = ((A([3, 4]),), (A([300, 2]),), (A([0, 0]),), (A([1, 1]),), (A([-1, -3]),))


@case(*SIZES)
def zeros(a):
    return np.zeros(int(a[0]))


@case(*SIZES)
def of_a_numpy_int(a):
    return np.ones(a[1] * 2, dtype=np.int16)


@case(*SIZES)
def of_two_axes(a):
    return np.zeros((a[0], int(a[1])), bool), np.empty((2, int(a[0]))).shape


@case((A(3),), (A(0),))
def of_an_array_of_one(a):
    return np.zeros(a), np.ones((a, 2))


@case((A([2, 3]),), (A([0, 5]),))
def of_an_array(a):
    return np.zeros(a)


@case(*SIZES)
def filled(a):
    n = int(a[0])
    return np.full(n, 2.5), np.full((n, 2), a), np.full((3, n), a[1], dtype=float)


@case(*SIZES)
def like_others(a):
    return np.zeros_like(a, shape=int(a[0])), np.ones_like(a, float, shape=(2, a[0])), np.full_like(a, 7, shape=a[1])


@case(*SIZES)
def matrices(a):
    n, m = int(a[0]), int(a[1])
    return np.eye(n), np.eye(n, m, k=1), np.identity(m), np.tri(n, m, -1)


@case((A([3, 4]),), (A([0, 2]),), (A([-1, 2]),))
def grids(a):
    n = int(a[0])
    return np.indices((n, 2)), np.indices((2, n), sparse=True)[1], np.fromfunction(lambda i, j: i * 10 + j, (2, n))


@case((A([3, 4]),), (A([0, 2]),), (A([1, 1]),), (A([300, 2]),))
def grids_of_lines(a):
    x, y = np.arange(int(a[0])), np.arange(a[1]) * 0.5
    r, s = np.meshgrid(x, y, a)[:2]
    return np.meshgrid(x, y), np.meshgrid(x, a, indexing="ij"), np.meshgrid(a[a > 2], y, sparse=True), r + s


@case((A([3, 4]),), (A([0, 2]),), (A([300, 1]),))
def grids_by_slices(a):
    return np.mgrid[: int(a[0]), :2], np.mgrid[1 : int(a[0]) : 2], np.ogrid[: a[1], :3]


@case(*SIZES)
def written_and_read(a):
    b = np.zeros(int(a.sum()))
    b[2] = 3.0
    b += 2
    b[1:-1] *= 2
    return b, b.sum(), len(b)


@case(*SIZES)
def together(a):
    n = int(a.sum())
    b = np.zeros(n) + np.arange(n)
    return b * np.ones(n), b @ b, np.linspace(0, 1, n) + b


@case((A([3, 4, 2]),), (A([1, 1, 5]),), (A([0, 3, 0]),))
def in_a_loop(a):
    total = 0.0
    for n in a:
        b = np.ones(n)
        b[: n // 2] = 3.0
        total += b.sum()
    return total


@case((5,), (0,), (40,))
def as_long_as_the_step(n):
    total = 0.0
    for i in range(n):
        b = np.arange(i) * 1.5
        total += b.sum()
    return total


@case((A([5.0, -1.0, 2.0]),), (A([-1.0]),))
def in_branches(x):
    n = int(x.sum())
    if n > 3:
        b = np.zeros(n)
    else:
        b = np.ones(2)
    return b, b.shape[0]


@case((A([5.0, -1.0, 2.0]),), (A([-1.0]),), (A([1.0] * 20),))
def as_long_as_what_a_mask_selects(x):
    positive = x[x > 0]
    b = np.zeros(len(positive))
    b += positive
    c = np.empty(positive.shape)
    c[:] = 4
    return b * 2 + c


@case(*SIZES)
def ranges_of_ints(a):
    n, m = int(a[0]), int(a[1])
    return np.arange(n), np.arange(n, m), np.arange(n, m, 3), np.arange(n, m, -3), np.arange(a[0], dtype=np.float32)


@case((A([3, 4]),), (A([2, 40]),), (A([7, -4]),))
def range_of_a_step(a):
    return np.arange(int(a[0]), int(a[1]), int(a[0])), np.arange(a[0], a[1], a[0])


@case(*SIZES)
def ranges_of_floats(a):
    return np.arange(a[0] * 0.5, a[1] * 1.25, 0.1), np.arange(float(a[0]))


@case((A([0.3, 7.0]),), (A([-0.3, 7.0]),), (A([np.nan, 7.0]),), (A([0.0, 7.0]),), (A([0.3, np.inf]),))
def range_of_a_float_step(x):
    return np.arange(0.0, x[1], x[0])


@case(*SIZES)
def evenly_spaced(a):
    n = int(a[0])
    return np.linspace(0, 1, n), np.linspace(a[0] * 0.5, a[1] * 1.5, n, endpoint=False), np.linspace(0, 9, n, dtype=int)


@case(*SIZES)
def evenly_spaced_with_the_step(a):
    return np.linspace(a[0], a[1], num=a[0], retstep=True)


@case(*SIZES)
def evenly_spaced_rows(a):
    return np.linspace(a, a * 3.0, num=int(a[0])), np.linspace(a[1], a[1], num=int(a[0]))


@case(*SIZES, ulps=2**22)
def geometric(a):
    return np.logspace(0, 2, int(a[0])), np.geomspace(1, 200, int(a[0])), np.geomspace(2.0, 50, a[0], endpoint=False)


@case(*SIZES)
def repeated(a):
    n = int(a[0])
    rows = np.arange(6.0).reshape(3, 2)
    return np.repeat(a, n), np.repeat(rows, n, axis=0), a.repeat(n), np.repeat(3.5, n)


@case(*SIZES[:-1], (A([2, -1]),))
def each_repeated(a):
    rows = np.arange(6.0).reshape(3, 2)
    return np.repeat(a, a), np.repeat(rows, a, axis=1), np.repeat(a, a > 3), np.repeat([1, 2], [int(a[0]), 2])


@case((A([3, 4]),), (A([1, 40, 7, 0]),), (A([0, 0]),))
def selected_and_repeated(a):
    some = a[a > 2]
    return np.repeat(some, 2), np.repeat(some, some), np.repeat(some, int(a[0])), some.repeat(3)


@case((A([3, 4]),), (A([1, 40, 7, 0]),))
def counts_that_do_not_fit(a):
    return np.repeat(a[a > 2], [2, 1])


@case((A([3, 4]),), (A([2, 5]),), (A([0, 0]),), (A([-1, -3]),))
def tiled(a):
    n = int(a[0])
    return np.tile(a, n), np.tile(a, (n, 2)), np.tile(np.arange(6).reshape(2, 3), (n, a[1]))


@case((A([3, 4]),), (A([2, 5]),), (A([0, 0]),))
def selected_and_tiled(a):
    return np.tile(a[a > 2], 3), np.tile(a[a > 2], (2, int(a[0])))


@case((A([3, 4]),), (A([0, 4]),), (A([-3, 4]),))
def a_size_that_is_caught(a):
    try:
        b = np.zeros(int(a[0]))
    except ValueError:
        return np.ones(2)
    return b + 1


@pytest.mark.parametrize("program", case.programs)
def test_creation(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_creation_with_static_arguments(program: Program) -> None:
    program.check_static()


def test_more_is_made_when_more_is_needed(compiled):
    f = jit(lambda a: np.arange(int(a.sum())))
    for n, count in ((3, 1), (256, 1), (257, 2), (100_000, 3), (3, 3), (512, 3), (100_001, 3)):
        np.testing.assert_array_equal(f(np.array([n])), np.arange(n))
        assert len(compiled) == count


def test_no_more_than_there_may_be():
    def f(a):
        return np.zeros(int(a[0]))

    line = f.__code__.co_firstlineno + 1
    text = rf"`np.zeros\(int\(a\[0\]\)\)` \({__file__}:{line}\) has room for 256 elements, and 1000000000000 are needed"
    with pytest.raises(anabranch.CapacityError, match=text):
        jit(f)(np.array([10**12]))
    with pytest.raises(anabranch.CapacityError, match="256 x 300000 elements"):
        jit(lambda a: np.zeros((int(a[0]), 300_000)))(np.array([2]))


def test_a_loop_that_is_too_long_ends():
    @jit
    def f(a):
        n, s = int(a[0]), 0
        b = np.zeros(n)
        for i in range(n):
            s += i
        return b, s

    with pytest.raises(anabranch.CapacityError, match="1000000000000000 are needed"):
        f(np.array([10**15]))


def test_arguments_alone_are_known_as_before(compiled):
    f = jit(lambda n: np.zeros(n) + np.arange(2 * n)[:n])
    for n in (3, 4, 3):
        np.testing.assert_array_equal(f(n), np.arange(n) * 1.0)
    assert len(compiled) == 2
    assert not f.explain(3).as_dict().get("capacity")
