"""Thomas's algorithm for tridiagonal systems: a forward elimination and a backward substitution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, Size, generator

SIZES = {"small": 8, "full": 100_000}


def thomas(lower: FloatArray, diagonal: FloatArray, upper: FloatArray, right: FloatArray) -> FloatArray:
    """The solution; the first of `lower` and the last of `upper` are not used, and no argument is changed."""
    n = diagonal.shape[0]
    scaled = np.empty(n)
    x = np.empty(n)
    scaled[0] = upper[0] / diagonal[0]
    x[0] = right[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * scaled[i - 1]
        scaled[i] = upper[i] / pivot
        x[i] = (right[i] - lower[i] * x[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        x[i] -= scaled[i] * x[i + 1]
    return x


def arguments(size: Size) -> tuple[Any, ...]:
    """The three diagonals of a diagonally dominant matrix and a right-hand side, signed so that no element cancels."""
    n = SIZES[size]
    rng = generator()
    return -rng.random(n), rng.uniform(3.0, 4.0, n), -rng.random(n), rng.random(n)


def jax_kernel() -> Callable[..., Any]:
    """Two `scan`, the second one reversed."""
    import jax.numpy as jnp
    from jax import lax

    def eliminate(state: Any, row: Any) -> Any:
        scaled, x = state
        lower, diagonal, upper, right = row
        pivot = diagonal - lower * scaled
        state = upper / pivot, (right - lower * x) / pivot
        return state, state

    def substitute(following: Any, row: Any) -> Any:
        scaled, x = row
        x = x - scaled * following
        return x, x

    def run(lower: Any, diagonal: Any, upper: Any, right: Any) -> Any:
        zero = jnp.float64(0.0)
        _, (scaled, x) = lax.scan(eliminate, (zero, zero), (lower, diagonal, upper, right))
        _, head = lax.scan(substitute, x[-1], (scaled[:-1], x[:-1]), reverse=True)
        return jnp.append(head, x[-1])

    return run
