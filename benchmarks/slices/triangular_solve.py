"""A lower triangular system by forward substitution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, generator


def triangular_solve(lower: FloatArray, b: FloatArray) -> FloatArray:
    """The solution of ``lower @ x == b``; what is above the diagonal is not looked at."""
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


def arguments(n: int) -> tuple[Any, ...]:
    """A matrix with a large diagonal, and a right-hand side."""
    rng = generator()
    return rng.random((n, n)) + n * np.eye(n), rng.random(n)


def jax_kernel() -> Callable[..., Any]:
    """A row for each trip; what is not solved yet is zero, and masks the row."""
    import jax.numpy as jnp
    from jax import lax

    def run(lower: Any, b: Any) -> Any:
        def solve(i: Any, x: Any) -> Any:
            return x.at[i].set((b[i] - lower[i] @ x) / lower[i, i])

        return lax.fori_loop(0, b.shape[0], solve, jnp.zeros_like(b))

    return run
