"""Reductions and products of arrays in machine code: loops over elements, with NumPy's results."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.host import machine_code
from anabranch.runtime.xla import disk_cache
from tests.equivalence import check

RNG = np.random.default_rng(7)
M, N, T, U = (RNG.normal(size=shape) for shape in ((12, 17), (17, 9), (3, 4, 5), (3, 5, 6)))
V, W = RNG.normal(size=17), RNG.normal(size=12)
INTS = RNG.integers(-9, 9, size=(12, 17))
HOLES = np.where(M > 1, np.nan, M)


@pytest.fixture
def no_xla(monkeypatch):
    """XLA compiles nothing."""

    def refuse(*_):
        raise AssertionError("XLA was asked")

    monkeypatch.setattr(disk_cache, "compile_text", refuse)


REDUCTIONS = {
    "sum": lambda a: a.sum(),
    "first axis": lambda a: a.sum(0),
    "last axis": lambda a: a.sum(1),
    "both axes": lambda a: a.sum((0, 1)),
    "kept": lambda a: a.sum(0, keepdims=True),
    "largest": lambda a: a.max(),
    "least of rows": lambda a: a.min(1),
    "where": lambda a: a.argmax(),
    "where in columns": lambda a: a.argmin(0),
    "any": lambda a: (a > 0).any(),
    "all of rows": lambda a: (a > -3).all(1),
    "mean": lambda a: a.mean(0),
    "product": lambda a: np.prod(a[:2, :9]),
    "part": lambda a: a[1:, 2:].sum(),
    "steps": lambda a: a[::3, ::-2].sum(1),
    "of what is computed": lambda a: (a.T * 2 + 1).sum(0),
    "twice": lambda a: (a - a.sum(0)).sum(1),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("a", [M, M.astype(np.float32), INTS, HOLES, np.asfortranarray(M), M[::-1, ::2]], ids=range(6))
def test_reductions(no_xla, name, a):
    check(REDUCTIONS[name], a)


# Rows in parts for threads, and in blocks with some left over; few and many columns.
STACKS = {
    "narrow": RNG.normal(size=(65_539, 3)),
    "wide": RNG.normal(size=(1030, 513)),
    "blocks": RNG.normal(size=(2, 11, 530)),
    "short": RNG.normal(size=(7, 2, 33)),
}


def of_rows(a):
    return a.sum(0), a.max(0), np.argmin(a, 0), (a * a + 1).sum(-2), (a > 0).all(0), (2 * a).sum()


@pytest.mark.parametrize("name", STACKS)
def test_columns_are_reduced_in_blocks_of_rows(no_xla, name):
    a = STACKS[name]
    check(of_rows, a, ulps=2**13)
    one, two = jit(of_rows, threads=1)(a), jit(of_rows, threads=2)(a)
    assert all(np.array_equal(x, y) for x, y in zip(one, two, strict=True))
    gaps = np.where(a > 2.5, np.nan, np.round(a, 1))
    check(lambda a: (a.max(0), np.argmax(a, 0), np.argmin(a, 0)), gaps)


def elementwise(a, b):
    c = np.where(a > b, a - b, b * 2)
    d = a + c
    b[:] = d * d
    return c, np.maximum(d, 0) - b, (d > 1) & (a < b), d.sum(), a + b[::-1]


@pytest.mark.parametrize("shape", [(9, 8, 3), (40, 2, 2, 5), (3, 300)])
def test_whole_arrays_are_computed_along_one_axis(no_xla, shape):
    check(elementwise, *RNG.normal(size=(2, *shape)))


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda a, b: a @ b, (M, N)), (lambda a, b: a @ b, (M, V)), (lambda a, b: b @ a, (M, W)),
        (lambda a, b: a @ b, (V, V)), (lambda a, b: a @ b, (T, U)), (lambda a, b: np.dot(a, b), (INTS, INTS.T)),
        (lambda a, b: np.einsum("bij,bjk->kbi", a, b), (T, U)), (lambda a, b: np.tensordot(a, b, 2), (M, M)),
        (lambda a, b: a.T @ b, (M, M)), (lambda a, b: a[2:, ::2] @ b[:9], (M, N)),
        (lambda a, b: a @ b, (M.astype(np.float32), N.astype(np.float32))), (lambda a, b: (a + 1) @ (2 * b), (M, N)),
    ],
)  # fmt: skip
def test_products(no_xla, f, args):
    check(f, *map(np.abs, args))  # of which no sum loses digits


def test_in_loops(no_xla):
    def f(a, x, steps):
        for _ in range(steps):
            y = a @ x
            x = y / np.sqrt((y * y).sum())
        return x, x @ (a @ x)

    def g(a):
        out = np.zeros(a.shape[0])
        for i in range(a.shape[0]):
            out[i] = a[i].max() - a[:, i].sum()
        return out

    square = M[:, :12] @ M[:, :12].T
    check(f, square, W, 5)
    check(g, square)


@pytest.mark.skipif(machine_code.HAS_THREADS, reason="there are threads for them")
def test_large_ones_are_xlas(monkeypatch):
    asked, plain = [], disk_cache.compile_text
    monkeypatch.setattr(disk_cache, "compile_text", lambda *a: asked.append(1) or plain(*a))
    a = np.ones((600, 600))
    assert jit(lambda a: a.sum())(a) == 360_000
    assert (jit(lambda a: a * 2 + a)(a) == 3).all()
    assert len(asked) == 2


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_extremes_where_a_condition_holds(rng, dtype):
    def chosen(x, m):
        low, high = np.where(m, x, -np.inf), np.where(x > 0, x, np.inf)
        return low.max(-1), low.max(), high.min(0), np.where(m, np.inf, -x).min(-1), np.nanmax(x, axis=1), high * 2

    x = rng.standard_normal((5, 40, 30)).astype(dtype)
    x[1, 2], x[3, :, 4], x[0, 0, 0], x[0, 1, 1] = np.nan, -np.inf, np.inf, -0.0
    check(chosen, x, np.tril(np.ones((40, 30), bool)))
    check(chosen, x, np.zeros((40, 30), bool))


def test_positions_of_extremes_in_a_program_of_xlas(rng):
    def largest(x):
        # XLA computes so many sines.
        return np.sin(x).argmax(1), np.cos(x).argmin(axis=1)

    check(largest, rng.standard_normal((5000, 8)))
