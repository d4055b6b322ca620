"""The product of a triangular matrix and a matrix, in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.arrays import FloatArray, generator


def trmm(alpha: float, a: FloatArray, b: FloatArray) -> FloatArray:
    """Make `b` ``alpha * lower.T @ b``, where `lower` is the unit lower triangle of `a`."""
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += a[i + 1 :, i] @ b[i + 1 :, j]
            b[i, j] *= alpha
    return b


def arguments(n: int) -> tuple[Any, ...]:
    """A factor, a square matrix, and one of half the columns."""
    rng = generator()
    return 1.5, rng.random((n, n)), rng.random((n, (n + 1) // 2))


def jax_kernel() -> Callable[..., Any]:
    """A row for each trip, by a masked column."""
    import jax.numpy as jnp
    from jax import lax

    def run(alpha: Any, a: Any, b: Any) -> Any:
        index = jnp.arange(a.shape[0])

        def row(i: Any, b: Any) -> Any:
            return b.at[i].set(alpha * (b[i] + jnp.where(index > i, a[:, i], 0.0) @ b))

        return lax.fori_loop(0, b.shape[0], row, b)

    return run
