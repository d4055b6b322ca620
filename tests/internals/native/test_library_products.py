"""Products by the library that NumPy calls: all ways in which matrices stand in memory."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.host import blas
from tests.equivalence import check

RNG = np.random.default_rng(7)
A, B = RNG.normal(size=(2, 24, 24))
W = RNG.normal(size=24)
STACK = RNG.normal(size=(3, 20, 24))


def products(a, b, w):
    return a @ b, a.T @ b, a @ b.T, a.T @ b.T, a @ w, a.T @ w, w @ a, np.outer(w, w) @ a


def parts(a, b, w):
    return a[3:, :20] @ b[:20, 4:], a[2] @ b, a[:, 5] @ b, a[::2, ::2] @ b[::2, 1:], b.T[4:] @ w[::1], a @ w[::-1]


def squares(a):
    return a @ a.T, a.T @ a, a[:, :7] @ a[:, :7].T


def stacks(s, a):
    turned = s.transpose(0, 2, 1)
    apart = a[3:] @ turned, a[None, 3:] @ turned[:, None], s[:, None, :2] @ turned[:2]
    return s @ a, s @ turned, np.einsum("bij,kj->bik", s, a), np.tensordot(s, s, ([0, 2], [0, 2])), apart


def thin(a, w):
    row, column = w[None, :], w[:, None]
    return row @ a, a @ column, column @ row, row @ column, a[:, :1] @ row


def steps(a, w, n):
    for _ in range(n):
        w = a @ w
        w = w / np.sqrt(w @ w)
    return w


def chosen(a, b, w, p):
    if p > 0:
        w = a @ w
    else:
        w = b.T @ (w + 1)
    return w


def written_after(a, w):
    y = a @ w
    a[0] = 5.0
    return y, a @ w


def of_what_differs_in_a_part(a, w):
    b = a.copy()
    b[0] = w
    b[:, 3] = 0.0
    return b @ a, a @ b[:, ::-1], b @ b.T, (a * 2) @ a


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.complex64])
def test_of_matrices(dtype):
    a, b, w = (x.astype(dtype) * (1 + 0.5j if np.dtype(dtype).kind == "c" else 1) for x in (A, B, W))
    a, b, w = (x.astype(dtype) for x in (a, b, w))
    tolerance = 1e-12 if a.real.itemsize == 8 else 2e-5
    for function, arguments in ((products, (a, b, w)), (parts, (a, b, w)), (squares, (a,)), (thin, (a, w))):
        compiled = jit(function)
        for _ in range(3):
            for found, expected in zip(compiled(*arguments), function(*arguments), strict=True):
                np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * 1000)
                assert found.dtype == expected.dtype


def test_of_stacks():
    for _ in range(3):
        check(stacks, STACK, A, ulps=4096)


def windows(x, w, k):
    """Rows that do not lie at equal distances, as those of one matrix do."""
    m, n = x.shape[1:3]
    out = x[:, k : m - 2 + k, 1 : n - 1] @ w
    return out, x[1:, :, :, 0] @ x[1, : x.shape[2], 2, :1], np.tensordot(x[:, 1:, k:], w[::-1], ([3], [1]))


def layer(x, w):
    b, m, n = x.shape[:3]
    out = np.zeros((b, m - 2, n - 2, w.shape[3]))
    for i in range(3):
        for j in range(3):
            out += x[:, i : m - 2 + i, j : n - 2 + j, :] @ w[i, j]
    return np.maximum(out, 0.0)


@pytest.mark.parametrize("shape", [(2, 6, 9, 24), (3, 20, 24, 24)])
def test_of_rows_at_unequal_distances(shape):
    """Many rows are given to the library part by part, and few are copied."""
    x = RNG.normal(size=shape)
    for _ in range(3):
        check(windows, x, A, 1, ulps=4096)
    check(layer, x, RNG.normal(size=(3, 3, 24, 24)), ulps=4096)


def test_in_loops_and_branches():
    check(steps, A @ A.T, W, 5)
    check(chosen, A, B, W, 1)
    check(chosen, A, B, W, -1)
    check(written_after, A.copy(), W)
    check(of_what_differs_in_a_part, A, W)


def test_vectors_to_the_last_bit():
    compiled = jit(lambda a, w: (a @ w, a.T @ w))
    for n in (17, 100, 333):
        a, w = RNG.normal(size=(n, n)), RNG.normal(size=n)
        for found, expected in zip(compiled(a, w), (a @ w, a.T @ w), strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(70, 701, 7), (3, 20, 701, 5), (9, 50_000, 3)])
def test_stacks_with_a_vector_to_the_last_bit(shape):
    a, w = RNG.normal(size=shape), RNG.normal(size=shape[-1])
    np.testing.assert_array_equal(jit(lambda a, w: a @ w)(a, w), a @ w)


@pytest.mark.parametrize("rows", [20_001, 16_384 + 64])
def test_of_a_long_matrix_and_a_small_one(rows):
    a, s, w = RNG.normal(size=(rows, 8)), RNG.normal(size=(2, rows, 16)), RNG.normal(size=(8, 16))
    check(lambda a, s, w: (a @ w, s[:, ::3, ::2] @ w, np.asfortranarray(a)[5:] @ w, a @ w[:, :1]), a, s, w)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dot_products_of_long_vectors_to_the_last_bit(dtype):
    x, y = RNG.normal(size=(2, 12_000)).astype(dtype)

    def dots(x, y):
        return (
            x @ y,
            np.dot(x[1:], y[:-1]),
            np.vdot(x[::-1], y),
            np.inner(x, x),
            (x + 1) @ y,
            x.reshape(2, -1)[1] @ y[6000:],
        )

    check(dots, x, y)
    assert "call void @blas" not in (llvm := jit(dots).lower(x, y).native_program().llvm)
    assert llvm.count(f"@blas.{'d' if dtype is np.float64 else 's'}dot(") == 1 + 3
    assert jit(lambda x, y: x @ y)(x, y) == x @ y


def test_squares_are_symmetric():
    found = jit(lambda a: a @ a.T)(RNG.normal(size=(90, 31)))
    np.testing.assert_array_equal(found, found.T)


def test_what_is_not_finite():
    a = A.copy()
    a[0, 0], a[3, 4], a[5, 6] = np.nan, np.inf, -np.inf
    compiled = jit(lambda a, w: a @ w)
    np.testing.assert_array_equal(compiled(a, W), a @ W)


def test_beside_what_xla_computes():
    x = RNG.normal(size=(400, 300))

    def f(x):
        y = np.tanh(x) @ x.T
        return y - y.mean(axis=0) + 1000

    check(f, x)


def test_without_such_a_library(monkeypatch):
    monkeypatch.setattr(blas, "is_there", lambda: False)
    check(lambda a, b, w: (a @ b, a.T @ w), A, B, W)


def test_scipys_library_is_another_one(monkeypatch):
    assert blas._scipys("dgemm") is not None
    assert blas._scipys("no_such_function") is None
    monkeypatch.setattr(blas, "_numpys", lambda name: None)
    assert blas._address_of.__wrapped__("dgemv") == blas._scipys("dgemv")


def rotated(state, angle, n):
    for _ in range(n):
        gate = np.array([[np.cos(angle), -1j * np.sin(angle)], [-1j * np.sin(angle), np.cos(angle)]])
        state = gate @ state
        kept = gate @ gate.T
    return state, kept, np.outer(state, state.conj()) @ gate


def test_few_complex_numbers_are_multiplied_in_place():
    args = np.array([0.6, 0.8j]), 0.3, 4
    assert jit(rotated).lower(*args).native_program() is not None
    check(rotated, *args)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128, np.int64])
def test_stacks_of_small_matrices_are_multiplied_in_place(dtype):
    def filtered(f, p, h):
        return f @ p @ f.T, h @ p @ h.T, p @ p.transpose(0, 2, 1), np.einsum("nij,nj->ni", p, p[:, 0])

    f, h, p = (RNG.integers(-9, 9, shape).astype(dtype) for shape in ((4, 4), (1, 4), (500, 4, 4)))
    assert jit(filtered).lower(f, p, h).native_program() is not None
    check(filtered, f, p, h)


def test_one_sum_of_all_products_moves_no_operand():
    def sums(a, b):
        return np.einsum("ij,ji->", a, b), np.tensordot(a, b), np.einsum("ij,ij->", a + 1, b.T), np.vdot(a.T, b)

    check(sums, A, B)
    check(sums, A + 1j * B, B)
    check(sums, (A * 9).astype(np.int64), (B * 9).astype(np.int64))


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int16, np.uint32, np.bool_])
@pytest.mark.parametrize("size", [24, 40])
def test_ints_and_bools_have_no_library(dtype, size):
    """They wrap, in any order, and bools are true where one of the products is."""
    a, b = (RNG.integers(0, 2, (2, size, size)) * RNG.integers(1, 2**31, (2, size, size))).astype(dtype)
    a, s = a * (RNG.random((size, size)) < 0.1), np.stack([a, b, a])

    def on_stacks(s, a):
        return s @ a, s @ s.transpose(0, 2, 1), np.einsum("bij,kj->bik", s, a), np.tensordot(s, s, ([0, 2], [0, 2]))

    check(products, a, b, b[0])
    check(parts, a, b, b[0, :size].copy()) if size == 24 else None
    check(squares, a)
    check(on_stacks, s, a)
    assert jit(lambda a, b: a @ b.T).lower(a, b).native_program() is not None
