"""LU factorisation without pivoting, in place: each row less multiples of the rows above it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, generator


def lu(a: FloatArray) -> FloatArray:
    """Leave both factors in `a`: the unit lower one below the diagonal, the upper one on and above it."""
    for i in range(1, a.shape[0]):
        for k in range(i):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return a


def arguments(n: int) -> tuple[Any, ...]:
    """A diagonally dominant matrix, which needs no pivoting."""
    return (generator().random((n, n)) + n * np.eye(n),)


def jax_kernel() -> Callable[..., Any]:
    """One masked rank-one update for each trip."""
    import jax.numpy as jnp
    from jax import lax

    def run(a: Any) -> Any:
        index = jnp.arange(a.shape[0])

        def eliminate(k: Any, a: Any) -> Any:
            below = index > k
            factors = jnp.where(below, a[:, k] / a[k, k], 0.0)
            updated = a - jnp.outer(factors, jnp.where(below, a[k], 0.0))
            return updated.at[:, k].set(jnp.where(below, factors, a[:, k]))

        return lax.fori_loop(0, a.shape[0] - 1, eliminate, a)

    return run
