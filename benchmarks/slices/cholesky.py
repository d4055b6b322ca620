"""Cholesky factorisation by rows, in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, generator


def cholesky(a: FloatArray) -> FloatArray:
    """Leave the lower factor of `a` on and below its diagonal; what is above it stays."""
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[j, :j]
            a[i, j] /= a[j, j]
        a[i, i] = np.sqrt(a[i, i] - a[i, :i] @ a[i, :i])
    return a


def arguments(n: int) -> tuple[Any, ...]:
    """A well-conditioned positive definite matrix."""
    factor = generator().random((n, n))
    return (factor @ factor.T + n * np.eye(n),)


def jax_kernel() -> Callable[..., Any]:
    """A column for each trip: a product with a masked row, written under a mask."""
    import jax.numpy as jnp
    from jax import lax

    def run(a: Any) -> Any:
        index = jnp.arange(a.shape[0])

        def column(j: Any, a: Any) -> Any:
            rest = a[:, j] - a @ jnp.where(index < j, a[j], 0.0)
            return a.at[:, j].set(jnp.where(index >= j, rest / jnp.sqrt(rest[j]), a[:, j]))

        return lax.fori_loop(0, a.shape[0], column, a)

    return run
