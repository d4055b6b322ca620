"""Sparse matrices."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def sparse_product(indptr, indices, data, x):
    """The vector that a matrix in compressed rows makes of `x`."""
    n = indptr.shape[0] - 1
    y = np.zeros(n, x.dtype)
    for i in range(n):
        columns = indices[indptr[i] : indptr[i + 1]]
        values = data[indptr[i] : indptr[i + 1]]
        y[i] = values @ x[columns]
    return y


def sparse_product_arguments(n):
    """Rows of 0 to 20 elements at random places."""
    rng = generator()
    indptr = np.concatenate([[0], np.cumsum(rng.integers(0, 21, n))])
    return indptr, rng.integers(0, n, indptr[-1]), rng.random(indptr[-1]), rng.random(n)


def csr_product_loops(indptr, indices, data, x):
    """The product of a sparse matrix in compressed rows and a vector, element by element."""
    y = np.zeros(indptr.shape[0] - 1)
    for i in range(y.shape[0]):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * x[indices[k]]
        y[i] = total
    return y


def csr_transpose(indptr, indices, data):
    """The transpose of a square matrix in compressed rows, by counting."""
    n = indptr.shape[0] - 1
    starts = np.zeros(n + 1, dtype=np.int64)
    for k in range(indices.shape[0]):
        starts[indices[k] + 1] += 1
    for i in range(n):
        starts[i + 1] += starts[i]
    place = starts.copy()
    rows = np.zeros_like(indices)
    values = np.zeros_like(data)
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            at = place[indices[k]]
            rows[at] = i
            values[at] = data[k]
            place[indices[k]] = at + 1
    return starts, rows, values


def coo_product(rows, columns, data, x):
    """The product of a sparse matrix of triples and a vector, added up by a weighted count."""
    return np.bincount(rows, weights=data * x[columns], minlength=x.shape[0])


def ellpack_jacobi(indices, data, diagonal, b, steps):
    """Jacobi's iteration with a sparse matrix of as many elements in each row."""
    x = np.zeros_like(b)
    for _ in range(steps):
        x = (b - (data * x[indices]).sum(axis=1)) / diagonal
    return x


KERNELS = (
    Kernel(sparse_product, "slices", sparse_product_arguments, (7,), (200,), (5000,)),
    Kernel(csr_product_loops, "elements", lambda n: sparse_product_arguments(n), (7,), (50,), (10_000,)),
    Kernel(csr_transpose, "elements", lambda n: sparse_product_arguments(n)[:3], (7,), (40,), (5000,)),
    Kernel(
        coo_product,
        "arrays",
        lambda n: (*generator().integers(0, n, (2, 10 * n)), generator().random(10 * n), generator().random(n)),
        (5,),
        (1000,),
        (100_000,),
    ),
    Kernel(
        ellpack_jacobi,
        "arrays",
        lambda n, steps: (
            generator().integers(0, n, (n, 7)),
            generator().random((n, 7)),
            np.full(n, 9.0),
            np.ones(n),
            steps,
        ),
        (5, 3),
        (100, 10),
        (20_000, 20),
    ),
)
