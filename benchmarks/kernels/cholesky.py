"""Cholesky factorisation by rows, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, Size, generator

SIZES = {"small": 6, "full": 120}


def cholesky(a: FloatArray) -> FloatArray:
    """The lower factor of `a`, or NaN throughout if `a` is not positive definite."""
    n = a.shape[0]
    lower = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            if i == j:
                if total <= 0.0:
                    return np.full((n, n), np.nan)
                lower[i, i] = np.sqrt(total)
            else:
                lower[i, j] = total / lower[j, j]
    return lower


def arguments(size: Size) -> tuple[Any, ...]:
    """A well-conditioned positive definite matrix."""
    n = SIZES[size]
    factor = generator().random((n, n))
    return (factor @ factor.T + n * np.eye(n),)


def jax_kernel() -> Callable[..., Any]:
    """One masked column for each trip of `fori_loop`."""
    import jax.numpy as jnp
    from jax import lax

    def run(a: Any) -> Any:
        index = jnp.arange(a.shape[0])

        def column(j: Any, state: Any) -> Any:
            lower, definite = state
            rest = a[:, j] - lower @ lower[j, :]
            values = jnp.where(index >= j, rest / jnp.sqrt(rest[j]), 0.0)
            return lower.at[:, j].set(values), definite & (rest[j] > 0.0)

        lower, definite = lax.fori_loop(0, a.shape[0], column, (jnp.zeros_like(a), jnp.bool_(True)))
        return jnp.where(definite, lower, jnp.nan)

    return run
