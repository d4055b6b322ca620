"""Functions of NumPy whose sizes are computed from data: grids of indices, bins, orders of norms."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equivalence import check, check_calls

DATA = np.array([0.5, 1, 2, 5, 7, 7, 3.3, -1])


@pytest.mark.parametrize("n", [0, 1, 3, -2])
def test_triangles_and_diagonals(n):
    def f(x, n):
        n = int(x[0] * 0 + n)
        return np.tril_indices(n), np.triu_indices(n, 1), np.tril_indices(n, -1, 4), np.diag_indices(n, 3)

    check(f, DATA, float(n))


@pytest.mark.parametrize("k", [-2, 0, 2])
def test_offsets_of_triangles(k):
    def f(x, k):
        k = int(x[0] * 0 + k)
        return np.tri(3, 4, k), np.tril(x.reshape(2, 4), k), np.triu(x, k), np.triu_indices(3, k)

    check(f, DATA, float(k))


def test_sizes_that_are_arguments_become_static():
    def f(n):
        i = np.tril_indices(n)
        np.broadcast_shapes((n, 1), (1, 2))
        return i, np.diag_indices(n), np.mask_indices(n, np.triu), np.zeros((n, n))[i]

    check(f, 3)


def test_sizes_that_loops_count_for_an_argument():
    def f(n):
        prime = np.ones(n + 1, bool)
        for i in range(2, n // 2 + 1):
            prime[2 * i :: i] = False
        count = 0
        for i in range(2, n + 1):
            if prime[i]:
                count += 1
        found = np.zeros(count, int)
        return found, np.arange(count), np.flatnonzero(prime[2:])

    check_calls(f, (2,), (12,), (13,))


def test_one_array_for_all_dimensions_of_a_diagonal():
    def f(x):
        i, j = np.diag_indices(int(x[2]))
        i[0] = 7
        return i, j, i is j

    check(f, DATA)


@pytest.mark.parametrize("order", ["C", "F"])
def test_positions_in_an_array_of_computed_sizes(order):
    def f(i, n, m):
        return np.unravel_index(i, (n, m), order=order)

    check_calls(f, (3, 3, 4), (11, 3, 4), (12, 3, 4), (-1, 3, 4), (0, 0, 4), (3, -1, 4), (3, np.int32(3), 4))
    check_calls(f, (np.array([[1, 5], [7, 2]]), 3, 4), (np.array([[1, 20], [30, 2]]), 3, 4))
    check(f, 3, 2.0, 4)
    with pytest.raises(ValueError, match="negative"):  # NumPy divides by what both make together
        jit(f)(3, -2, -2)


def test_the_place_of_the_largest_in_an_array_of_computed_size():
    def f(a):
        middle = int(a.max())
        counts = np.zeros((2 * middle + 1, 3))
        counts[middle + int(a[0]), 1] = 1.0
        place = np.unravel_index(counts.argmax(), counts.shape)
        return place[0] - middle, place[1]

    check_calls(f, (np.array([3, 9, 4]),), (np.array([0, 30, 4]),))


@pytest.mark.parametrize("bins", [1, 3, 7])
def test_bins(bins):
    def f(x, k):
        k = int(x[0] * 0 + k)
        return (
            np.histogram(x, k),
            np.histogram(x, bins=k, range=(0, 4)),
            np.histogram(x, k, weights=x),
            np.histogram(x, k, density=True),
            np.histogram(x[x > 2].astype(int), k),
            np.histogram(x[x > 2], k, range=(0, 4), weights=x[x > 2]),
            np.histogram_bin_edges(x, k),
        )

    check(f, DATA, float(bins))


def test_no_bins():
    def f(x):
        return np.histogram(x, int(x[0]))

    check(f, np.zeros(3))


def test_weights_of_other_types_are_refused():
    def f(x, w):
        return np.histogram(x, int(x[2]), weights=w)

    with pytest.raises(UnsupportedOperationError, match="weights of float64"):
        jit(f)(DATA, DATA * 1j)


@pytest.mark.parametrize("order", [0.0, 1.0, 2.0, 3.0, 0.5, -1.0, np.inf, -np.inf])
def test_order_of_a_norm(order):
    def f(x, order):
        return np.linalg.norm(x, order), np.linalg.norm(x.reshape(2, 4), order, axis=1, keepdims=True)

    check(f, DATA, order)
