"""Sparse matrices."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def sparse_product(indptr, indices, data, x):
    """All products at once, added up by the rows that they belong to."""
    n = indptr.shape[0] - 1
    rows = jnp.repeat(jnp.arange(n), jnp.diff(indptr), total_repeat_length=indices.shape[0])
    return jax.ops.segment_sum(data * x[indices], rows, n, indices_are_sorted=True)


@jax.jit
def coo_product(rows, columns, data, x):
    """A scatter that adds."""
    return jnp.zeros_like(x).at[rows].add(data * x[columns])


@jax.jit
def ellpack_jacobi(indices, data, diagonal, b, steps):
    """The same steps in `fori_loop`."""
    return lax.fori_loop(0, steps, lambda _, x: (b - (data * x[indices]).sum(axis=1)) / diagonal, jnp.zeros_like(b))
