"""The mean of an image in rings around its centre, each ring by a mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, generator


def azimuthal_integration(values: FloatArray, radius: FloatArray, edges: FloatArray) -> FloatArray:
    """The mean of the `values` in each ring; ring i goes from ``edges[i]`` to ``edges[i + 1]``."""
    means = np.zeros(edges.shape[0] - 1, values.dtype)
    for i in range(means.shape[0]):
        inside = (radius >= edges[i]) & (radius < edges[i + 1])
        means[i] = values[inside].mean()
    return means


def arguments(n: int) -> tuple[Any, ...]:
    """A hundred times n pixels, and rings of equal width, none of them empty."""
    rng = generator()
    return rng.random(100 * n), rng.random(100 * n), np.linspace(0.0, 1.0, (n + 1) // 2 + 1)


def jax_kernel() -> Callable[..., Any]:
    """A masked sum and a count for each trip."""
    import jax.numpy as jnp
    from jax import lax

    def run(values: Any, radius: Any, edges: Any) -> Any:
        def ring(i: Any, means: Any) -> Any:
            inside = (radius >= edges[i]) & (radius < edges[i + 1])
            return means.at[i].set(jnp.sum(jnp.where(inside, values, 0.0)) / jnp.sum(inside))

        rings = edges.shape[0] - 1
        return lax.fori_loop(0, rings, ring, jnp.zeros(rings, values.dtype))

    return run
