"""Gauss-Seidel sweeps of Poisson's equation until the largest change falls below a tolerance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, Size, generator

SIZES = {"small": 6, "full": 26}


def gauss_seidel(u: FloatArray, source: FloatArray, tolerance: float) -> tuple[FloatArray, int]:
    """Solve in place inside the border of `u`; the second result is the number of sweeps."""
    n = u.shape[0]
    sweeps = 0
    change = tolerance + 1.0
    while change > tolerance:
        change = 0.0
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                value = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + source[i, j])
                change = max(change, abs(value - u[i, j]))
                u[i, j] = value
        sweeps += 1
    return u, sweeps


def arguments(size: Size) -> tuple[Any, ...]:
    """A zero field, a random source, and the tolerance."""
    n = SIZES[size]
    return np.zeros((n, n)), generator().random((n, n)), 1e-4


def jax_kernel() -> Callable[..., Any]:
    """A `while_loop` of sweeps; a sweep is a `scan` over rows, and a row a `scan` that carries its left neighbour."""
    import jax.numpy as jnp
    from jax import lax

    def cell(state: Any, inputs: Any) -> Any:
        left, change = state
        above, below, right, old, source = inputs
        value = 0.25 * (above + below + left + right + source)
        return (value, jnp.maximum(change, jnp.abs(value - old))), value

    def row(state: Any, inputs: Any) -> Any:
        above, change = state
        old, below, source = inputs
        columns = (above[1:-1], below[1:-1], old[2:], old[1:-1], source[1:-1])
        (_, change), inner = lax.scan(cell, (old[0], change), columns)
        new = old.at[1:-1].set(inner)
        return (new, change), new

    def sweep(u: Any, source: Any) -> Any:
        (_, change), inner = lax.scan(row, (u[0], jnp.float64(0.0)), (u[1:-1], u[2:], source[1:-1]))
        return u.at[1:-1].set(inner), change

    def run(u: Any, source: Any, tolerance: Any) -> Any:
        def advance(state: Any) -> Any:
            u, _, sweeps = state
            return *sweep(u, source), sweeps + 1

        start = (u, jnp.float64(tolerance + 1.0), jnp.int64(0))
        u, _, sweeps = lax.while_loop(lambda state: state[1] > tolerance, advance, start)
        return u, sweeps

    return run
