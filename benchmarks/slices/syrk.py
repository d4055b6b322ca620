"""The lower triangle of a symmetric rank-k update, in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.arrays import FloatArray, generator


def syrk(alpha: float, beta: float, c: FloatArray, a: FloatArray) -> FloatArray:
    """Make the lower triangle of `c` that of ``alpha * a @ a.T + beta * c``."""
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]
    return c


def arguments(n: int) -> tuple[Any, ...]:
    """Two factors, a square matrix, and one of half the columns."""
    rng = generator()
    return 1.5, 1.2, rng.random((n, n)), rng.random((n, (n + 1) // 2))


def jax_kernel() -> Callable[..., Any]:
    """A row for each trip, written under a mask."""
    import jax.numpy as jnp
    from jax import lax

    def run(alpha: Any, beta: Any, c: Any, a: Any) -> Any:
        index = jnp.arange(a.shape[0])

        def row(i: Any, c: Any) -> Any:
            return c.at[i].set(jnp.where(index <= i, beta * c[i] + alpha * (a @ a[i]), c[i]))

        return lax.fori_loop(0, a.shape[0], row, c)

    return run
