"""The product of a sparse matrix in compressed rows and a vector, a slice for each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, IntArray, generator


def sparse_product(indptr: IntArray, indices: IntArray, data: FloatArray, x: FloatArray) -> FloatArray:
    """The vector that a matrix in compressed rows makes of `x`."""
    n = indptr.shape[0] - 1
    y = np.zeros(n, x.dtype)
    for i in range(n):
        columns = indices[indptr[i] : indptr[i + 1]]
        values = data[indptr[i] : indptr[i + 1]]
        y[i] = values @ x[columns]
    return y


def arguments(n: int) -> tuple[Any, ...]:
    """Rows of 0 to 20 elements at random places."""
    rng = generator()
    indptr = np.concatenate([[0], np.cumsum(rng.integers(0, 21, n))])
    return indptr, rng.integers(0, n, indptr[-1]), rng.random(indptr[-1]), rng.random(n)


def jax_kernel() -> Callable[..., Any]:
    """All products at once, added up by the rows that they belong to."""
    import jax
    import jax.numpy as jnp

    def run(indptr: Any, indices: Any, data: Any, x: Any) -> Any:
        n = indptr.shape[0] - 1
        rows = jnp.repeat(jnp.arange(n), jnp.diff(indptr), total_repeat_length=indices.shape[0])
        return jax.ops.segment_sum(data * x[indices], rows, n, indices_are_sorted=True)

    return run
