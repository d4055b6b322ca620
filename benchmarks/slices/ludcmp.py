"""A linear system by LU factorisation in inner products, and two substitutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, generator


def ludcmp(a: FloatArray, b: FloatArray) -> FloatArray:
    """The solution of ``a @ x == b``; `a` becomes its two factors."""
    n = a.shape[0]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


def arguments(n: int) -> tuple[Any, ...]:
    """A diagonally dominant matrix, which needs no pivoting, and a right-hand side."""
    rng = generator()
    return rng.random((n, n)) + n * np.eye(n), rng.random(n)


def jax_kernel() -> Callable[..., Any]:
    """A row and a column of the factors for each trip, with masked products; substitutions on what is zero so far."""
    import jax.numpy as jnp
    from jax import lax

    def run(a: Any, b: Any) -> Any:
        n = a.shape[0]
        index = jnp.arange(n)

        def factor(k: Any, a: Any) -> Any:
            row = a[k] - jnp.where(index < k, a[k], 0.0) @ a
            a = a.at[k].set(jnp.where(index >= k, row, a[k]))
            column = (a[:, k] - a @ jnp.where(index < k, a[:, k], 0.0)) / a[k, k]
            return a.at[:, k].set(jnp.where(index > k, column, a[:, k]))

        a = lax.fori_loop(0, n, factor, a)
        y = lax.fori_loop(0, n, lambda i, y: y.at[i].set(b[i] - a[i] @ y), jnp.zeros_like(b))

        def back(step: Any, x: Any) -> Any:
            i = n - 1 - step
            return x.at[i].set((y[i] - a[i] @ x) / a[i, i])

        return lax.fori_loop(0, n, back, jnp.zeros_like(b))

    return run
