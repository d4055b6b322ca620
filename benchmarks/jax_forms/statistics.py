"""Statistics."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def k_means(points, centres, steps):
    """The same steps in `fori_loop`."""

    def step(_, state):
        centres, _ = state
        squared = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = jnp.argmin(squared, axis=1)
        member = (nearest[:, None] == jnp.arange(centres.shape[0])[None, :]).astype(points.dtype)
        counts = member.sum(axis=0)
        means = (member.T @ points) / jnp.maximum(counts, 1.0)[:, None]
        return jnp.where(counts[:, None] > 0, means, centres), nearest

    return lax.fori_loop(0, steps, step, (centres, jnp.zeros(points.shape[0], int)))


@jax.jit
def logistic_regression(x, y, steps):
    """The same steps in `fori_loop`."""

    def step(_, weights):
        p = 1.0 / (1.0 + jnp.exp(-(x @ weights)))
        hessian = (x.T * (p * (1.0 - p))) @ x + 1e-3 * jnp.eye(x.shape[1])
        return weights + jnp.linalg.solve(hessian, x.T @ (y - p) - 1e-3 * weights)

    return lax.fori_loop(0, steps, step, jnp.zeros(x.shape[1]))
