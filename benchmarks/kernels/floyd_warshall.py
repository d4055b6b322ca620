"""All shortest paths of a dense directed graph, a row at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, Size, generator

SIZES = {"small": 7, "full": 200}


def floyd_warshall(distance: FloatArray) -> FloatArray:
    """Turn edge lengths into shortest distances, in place."""
    n = distance.shape[0]
    for k in range(n):
        for i in range(n):
            distance[i, :] = np.minimum(distance[i, :], distance[i, k] + distance[k, :])
    return distance


def arguments(size: Size) -> tuple[Any, ...]:
    """Random edge lengths; most edges are missing (infinite)."""
    n = SIZES[size]
    rng = generator()
    distance = np.where(rng.random((n, n)) < 0.2, rng.uniform(1.0, 10.0, (n, n)), np.inf)
    np.fill_diagonal(distance, 0.0)
    return (distance,)


def jax_kernel() -> Callable[..., Any]:
    """All rows at once for each intermediate node."""
    import jax.numpy as jnp
    from jax import lax

    def through(k: Any, distance: Any) -> Any:
        return jnp.minimum(distance, distance[:, k][:, None] + distance[k, :][None, :])

    def run(distance: Any) -> Any:
        return lax.fori_loop(0, distance.shape[0], through, distance)

    return run
