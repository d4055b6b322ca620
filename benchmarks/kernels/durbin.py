"""Durbin's recursion for the Yule-Walker equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, Size

SIZES = {"small": 6, "full": 500}


def durbin(r: FloatArray) -> FloatArray:
    """Solve the symmetric Toeplitz system of unit diagonal whose off-diagonals are `r`, with right-hand side ``-r``."""
    n = r.shape[0]
    y = np.zeros(n)
    z = np.zeros(n)
    y[0] = -r[0]
    alpha = -r[0]
    beta = 1.0
    for k in range(1, n):
        beta = (1.0 - alpha * alpha) * beta
        total = r[k]
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -total / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return y


def arguments(size: Size) -> tuple[Any, ...]:
    """Autocorrelations that fall off slowly but leave the system well conditioned."""
    return (0.4 / (1.0 + np.arange(SIZES[size])),)


def jax_kernel() -> Callable[..., Any]:
    """One `fori_loop` over the orders; the inner loops are reversed and masked arrays."""
    import jax.numpy as jnp
    from jax import lax

    def run(r: Any) -> Any:
        index = jnp.arange(r.shape[0])

        def extend(k: Any, state: Any) -> Any:
            y, alpha, beta = state
            beta = (1.0 - alpha * alpha) * beta
            # Indices below zero wrap around, and the mask drops what they fetch.
            mirror = k - index - 1
            alpha = -(r[k] + jnp.sum(jnp.where(index < k, r[mirror] * y, 0.0))) / beta
            y = jnp.where(index < k, y + alpha * y[mirror], y)
            return y.at[k].set(alpha), alpha, beta

        start = (jnp.zeros_like(r).at[0].set(-r[0]), -r[0], jnp.float64(1.0))
        return lax.fori_loop(1, r.shape[0], extend, start)[0]

    return run
