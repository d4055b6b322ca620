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
