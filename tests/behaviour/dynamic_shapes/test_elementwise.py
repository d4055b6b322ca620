"""Arithmetic on arrays of a run-time size: elementwise functions, and products."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import B, C, Hoped, M, N, S, V, W, Worded, each, ints
from tests.program_table import Program, Table

case = Table(Worded)
# Those that may be refused.
hoped = Table(Hoped)
PAIRS = ((3, 3), (0, 0), (8, 8), (3, 4), (1, 4), (4, 1), (0, 1), (1, 0), (0, 2), (8, 1))


# ---- elementwise -----------------------------------------------------------------------------------------------------


@case(*ints(V, W, at=(0, 3, 8)))
def windows_at_the_same_place(a, b, k):
    return a[:k] + b[:k], a[k:] * b[k:], a[:k] < b[:k], np.maximum(a[k:], b[k:])


@case(*each(V, W, last=((0, 2, 3), (2, 0, 3), (1, 5, 3), (4, 4, 4), (5, 2, 0))))
def windows_at_different_places(a, b, i, j, k):
    return a[i : i + k] - b[j : j + k], (a[i : i + k] * b[j : j + k]).sum()


@case(*each(V, W, last=PAIRS))
def lengths_broadcast_or_raise(a, b, i, j):
    return a[:i] + b[:j]


@case(*each(V, W, last=PAIRS))
def comparisons_of_lengths_that_may_differ(a, b, i, j):
    return a[:i] > b[:j]


@case(*each(V, W, last=PAIRS))
def augmented_by_a_length_that_may_differ(a, b, i, j):
    a[:i] += b[:j]
    return a


@case(*ints(B, N, at=(8, 4)))
def augmented_by_what_its_dtype_cannot_take(a, b, k):
    try:
        a[:k] += b
    except TypeError:
        a += b[:k]
    return a


@case(*ints(V, np.array([1.0, 2.0, 3.0]), at=(3, 1, 4, 0)))
def a_run_time_size_and_a_static_one(a, b, k):
    return a[:k] + b


@case(*ints(V, np.array([2.0]), at=(3, 1, 8, 0)))
def a_run_time_size_and_one_element(a, b, k):
    return a[:k] * b, b - a[k:], a[:k] * [3.0]


@case(*ints(V, at=(0, 1, 3, 8)))
def unary_functions(a, k):
    v = a[:k]
    return (
        np.abs(v),
        -v,
        np.sign(v),
        np.floor(v / 2),
        np.square(v),
        v**2,
        np.isnan(v),
        np.exp(v * 0),
        np.sqrt(np.abs(v)),
    )


@case(*each(V, last=((0, 2.5), (3, -1.0), (8, 0.0))))
def numbers_and_windows(a, k, x):
    v = a[k:]
    return v + x, 2 * v, v / (x + 10), v // 2, v % 3, v > x, x - v, divmod(v, 2), 1 / (v + 0.5), v == x


@case(*ints(N, at=(0, 3, 8)))
def ints_of_a_window(a, k):
    v = a[:k]
    return v + 1, v / 2, v // 2, v & 3, v << 1, ~v, v**2, v * 0.5, v == 2, v.astype(np.int8) + np.int8(1)


@case(*ints(N, V, B, at=(0, 3, 8)))
def windows_of_different_dtypes(i, f, b, k):
    return i[:k] + f[:k], i[:k] * b[:k], f[:k] - b[:k], b[:k] | (f[:k] > 0), i[:k].astype(np.float32) + i[:k]


@case(*ints(N, V, at=(0, 3, 8)))
def division_by_zero_in_a_window(i, f, k):
    return i[:k] // (i[:k] * 0), f[:k] / (f[:k] * 0), i[:k] % np.maximum(i[:k], 0)


@case(*ints(V, W, at=(0, 3, 8)))
def where_on_windows(a, b, k):
    return np.where(a[:k] > b[:k], a[:k], b[:k]), np.where(a[k:] > 2, 1, 0), np.where(a[:k] > 0, a[:k], 0.0)


@case(*each(V, W, last=((3, 3), (3, 1), (3, 4), (0, 1))))
def where_of_lengths_that_may_differ(a, b, i, j):
    return np.where(a[:i] > 0, b[:j], -1.0)


@case(*ints(V, at=(0, 3, 8)))
def functions_of_more_arguments(a, k):
    v = a[:k]
    return np.clip(v, 0, 4), np.round(v / 3, 2), np.power(v, 2), np.hypot(v, v), np.arctan2(v, 1.0), np.isclose(v, 4)


@case(*ints(C, at=(0, 3, 8)))
def complex_windows(a, k):
    v = a[:k]
    return v * v, v.conj() * v, np.abs(v) ** 2, v.real + v.imag, np.angle(v), v == 4


@case(*each(M, last=((2, 3), (0, 6), (5, 0), (1, 1))))
def blocks_with_rows_and_columns(a, i, j):
    b = a[:i, :j]
    return b + a[0, :j], b - a[:i, :1], b * a[:i, j - 1 : j] if j else b, b + 1


@case(*each(M, last=((2, 3), (2, 2), (3, 3), (5, 1), (1, 5))))
def a_block_and_a_row_that_may_not_fit(a, i, j):
    return a[:2, :i] * a[3, :j]


@case(*each(M, last=((2, 2), (3, 3), (2, 3), (1, 3))))
def a_block_and_its_transpose(a, i, j):
    return a[:i, :j] + a[:i, :j].T


@case(*ints(V, at=(0, 1, 3, 8)))
def outer_sums_by_new_axes(a, k):
    v = a[:k]
    return v[:, None] + v[None, :], v[None] * 2, (v[:, np.newaxis] > v).sum(), np.abs(v[:, None] - a).min(axis=1)


@case(*each(V, W, last=((2, 3), (0, 3), (3, 0), (1, 8))))
def outer_products_by_new_axes(a, b, i, j):
    return a[:i, None] * b[:j], (a[:i, None] - b[None, :j]).shape


# ---- products --------------------------------------------------------------------------------------------------------


@case(*ints(V, W, at=(0, 1, 3, 8)))
def dot_products(a, b, k):
    return a[:k] @ b[:k], np.dot(a[k:], b[k:]), a[:k].dot(b[:k]), np.vdot(a[:k], b[:k]), np.inner(a[:k], b[:k])


@case(*each(V, W, last=((3, 3), (3, 4), (0, 0), (1, 4), (8, 8))))
def dot_products_of_lengths_that_may_differ(a, b, i, j):
    return a[:i] @ b[:j]


@case(*each(V, W, last=((3, 3), (3, 4), (0, 1), (8, 8))))
def dot_of_lengths_that_may_differ(a, b, i, j):
    return np.dot(a[:i], b[-j:] if j else b[:0])


@case(*ints(N, at=(0, 1, 3, 8)))
def dot_products_of_ints(a, k):
    return a[:k] @ a[:k], np.dot(a[:k], a[:k][::-1]), a[:k].astype(np.int8) @ a[:k].astype(np.int8)


@case(*ints(C, at=(0, 1, 3, 8)))
def dot_products_of_complex_numbers(a, k):
    return a[:k] @ a[:k], np.vdot(a[:k], a[:k]), np.inner(a[k:], a[k:])


@case(*each(M, V[:6].copy(), last=((2, 3), (0, 6), (5, 0), (5, 6))))
def a_block_times_a_vector(a, x, i, j):
    return a[:i, :j] @ x[:j], np.dot(a[:i, :j], x[:j]), a[:i] @ x, x[:i] @ a[:i, :j] if i else x[:0]


@case(*each(M, V[:6].copy(), last=((2, 3), (3, 2), (6, 1), (1, 6))))
def a_block_times_a_vector_that_may_not_fit(a, x, i, j):
    return a[:, :i] @ x[:j]


@case(*each(M, last=((2, 3, 4), (0, 3, 3), (3, 0, 3), (5, 6, 5))))
def blocks_multiplied(a, i, j, k):
    return a[:i, :j] @ a[:k, :j].T, np.matmul(a.T[:j, :i], a[:i, :j]), np.dot(a[:i, :j], a[:k, :j].T).shape


@case(*each(V, W, last=((2, 3), (0, 3), (8, 0), (8, 8))))
def outer_products(a, b, i, j):
    return np.outer(a[:i], b[:j]), np.multiply.outer(a[:i], b[:j]).sum(), np.outer(a[:i], b).shape


@case(*each(M, last=((2, 3), (0, 3), (5, 6))))
def sums_of_products_by_einsum(a, i, j):
    b = a[:i, :j]
    return np.einsum("ij,ij->i", b, b), np.einsum("ij->j", b), np.einsum("ij,kj->ik", b, b), np.einsum("ij->", b)


@case(*ints(V, W, at=(0, 3, 8)))
def einsum_of_vectors(a, b, k):
    return np.einsum("i,i", a[:k], b[:k]), np.einsum("i,j->ij", a[:k], b[:k]), np.einsum("i,i->i", a[k:], b[k:])


@case(*ints(S, at=(1, 2, 4)))
def quadratic_forms(a, k):
    x = a[0, :k]
    return x @ a[:k, :k] @ x, np.trace(a[:k, :k]), np.diag(a[:k, :k]), np.tril(a[:k, :k]), np.triu(a[:k, :k], 1)


@case(*ints(S, np.array([1.0, 2.0, 3.0, 4.0]), at=(1, 2, 4)))
def systems_of_a_run_time_size(a, b, k):
    return np.linalg.solve(a[:k, :k], b[:k])


@case(*ints(S, at=(1, 2, 4)))
def determinants_of_leading_blocks(a, k):
    return np.linalg.det(a[:k, :k]), np.linalg.inv(a[:k, :k])


@case(*ints(V, at=(1, 2, 4, 8)))
def transforms_of_a_run_time_size(a, k):
    return np.fft.fft(a[:k])


@case(*each(V, np.array([1.0, 2.0, -1.0]), last=((3,), (8,), (1,))))
def convolved_and_correlated(a, h, k):
    return np.convolve(a[:k], h)


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_uses(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_uses_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()
