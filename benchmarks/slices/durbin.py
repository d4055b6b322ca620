"""Durbin's recursion for the Yule-Walker equations, on slices that grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray


def durbin(r: FloatArray) -> FloatArray:
    """Solve the symmetric Toeplitz system of unit diagonal whose off-diagonals are `r`, with right-hand side ``-r``."""
    y = np.zeros_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = alpha
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + r[:k][::-1] @ y[:k]) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k] = alpha
    return y


def arguments(n: int) -> tuple[Any, ...]:
    """Autocorrelations that fall off slowly but leave the system well conditioned."""
    return (0.4 / (1.0 + np.arange(n)),)


def jax_kernel() -> Callable[..., Any]:
    """An order for each trip, with reversed and masked arrays."""
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

        start = (jnp.zeros_like(r).at[0].set(-r[0]), -r[0], jnp.ones((), r.dtype))
        return lax.fori_loop(1, r.shape[0], extend, start)[0]

    return run
