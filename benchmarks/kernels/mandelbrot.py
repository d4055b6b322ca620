"""Escape times of the Mandelbrot set, one point after another, leaving each point's loop when it escapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, IntArray, Size

SIZES = {"small": (8, 6, 20), "full": (96, 64, 100)}


def mandelbrot(real: FloatArray, imaginary: FloatArray, limit: int) -> IntArray:
    """Count the iterations each point survives, up to `limit`."""
    counts = np.zeros((imaginary.shape[0], real.shape[0]), dtype=np.int64)
    for row in range(imaginary.shape[0]):
        for column in range(real.shape[0]):
            x = 0.0
            y = 0.0
            count = 0
            while count < limit:
                if x * x + y * y > 4.0:
                    break
                x, y = x * x - y * y + real[column], 2.0 * x * y + imaginary[row]
                count += 1
            counts[row, column] = count
    return counts


def arguments(size: Size) -> tuple[Any, ...]:
    """The usual window on the set and the largest count."""
    width, height, limit = SIZES[size]
    return np.linspace(-2.0, 0.6, width), np.linspace(-1.1, 1.1, height), limit


def jax_kernel() -> Callable[..., Any]:
    """A `while_loop` for one point, mapped over the window."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def run(real: Any, imaginary: Any, limit: Any) -> Any:
        def survives(state: Any) -> Any:
            x, y, count = state
            return (count < limit) & (x * x + y * y <= 4.0)

        def escape(y0: Any, x0: Any) -> Any:
            def step(state: Any) -> Any:
                x, y, count = state
                return x * x - y * y + x0, 2.0 * x * y + y0, count + 1

            return lax.while_loop(survives, step, (jnp.float64(0.0), jnp.float64(0.0), jnp.int64(0)))[2]

        over_columns = jax.vmap(escape, in_axes=(None, 0))
        return jax.vmap(over_columns, in_axes=(0, None))(imaginary, real)

    return run
