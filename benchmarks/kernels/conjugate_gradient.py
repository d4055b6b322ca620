"""Conjugate gradients on a dense positive definite system, left when the residual is small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, Size, generator

SIZES = {"small": 10, "full": 1500}


def conjugate_gradient(a: FloatArray, b: FloatArray, tolerance: float, limit: int) -> FloatArray:
    """Solve ``a @ x == b`` to a residual norm of `tolerance`, in at most `limit` steps."""
    x = np.zeros(b.shape[0])
    residual = b.copy()
    direction = b.copy()
    squared = np.dot(residual, residual)
    for _ in range(limit):
        image = a @ direction
        step = squared / np.dot(direction, image)
        x += step * direction
        residual -= step * image
        previous = squared
        squared = np.dot(residual, residual)
        if squared < tolerance * tolerance:
            break
        direction = residual + (squared / previous) * direction
    return x


def arguments(size: Size) -> tuple[Any, ...]:
    """A matrix with eigenvalues spread evenly over 1 to 100, and a random right-hand side."""
    n = SIZES[size]
    rng = generator()
    basis = np.linalg.qr(rng.standard_normal((n, n)))[0]
    a = (basis * np.linspace(1.0, 100.0, n)) @ basis.T
    return 0.5 * (a + a.T), rng.standard_normal(n), 1e-12, 2 * n


def jax_kernel() -> Callable[..., Any]:
    """The same steps in a `while_loop`, which tests the residual of the step before."""
    import jax.numpy as jnp
    from jax import lax

    def run(a: Any, b: Any, tolerance: Any, limit: Any) -> Any:
        def unfinished(state: Any) -> Any:
            *_, squared, count = state
            return (count < limit) & ((count == 0) | (squared >= tolerance * tolerance))

        def advance(state: Any) -> Any:
            x, residual, direction, previous, count = state
            image = a @ direction
            step = previous / jnp.dot(direction, image)
            residual = residual - step * image
            squared = jnp.dot(residual, residual)
            return x + step * direction, residual, residual + squared / previous * direction, squared, count + 1

        start = (jnp.zeros_like(b), b, b, jnp.dot(b, b), jnp.int64(0))
        return lax.while_loop(unfinished, advance, start)[0]

    return run
