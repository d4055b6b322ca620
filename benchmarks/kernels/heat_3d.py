"""The heat equation on a cube: explicit Euler steps with a seven-point stencil."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.arrays import FloatArray, Size, generator

SIZES = {"small": (6, 3), "full": (48, 100)}


def heat_3d(u: FloatArray, rate: float, steps: int) -> FloatArray:
    """Advance `u` in place; its faces are held fixed."""
    for _ in range(steps):
        core = u[1:-1, 1:-1, 1:-1]
        along_x = u[2:, 1:-1, 1:-1] - 2.0 * core + u[:-2, 1:-1, 1:-1]
        along_y = u[1:-1, 2:, 1:-1] - 2.0 * core + u[1:-1, :-2, 1:-1]
        along_z = u[1:-1, 1:-1, 2:] - 2.0 * core + u[1:-1, 1:-1, :-2]
        u[1:-1, 1:-1, 1:-1] = core + rate * (along_x + along_y + along_z)
    return u


def arguments(size: Size) -> tuple[Any, ...]:
    """A random temperature field, a rate within the stable range, and the number of steps."""
    n, steps = SIZES[size]
    return generator().random((n, n, n)), 0.125, steps


def jax_kernel() -> Callable[..., Any]:
    """The same step as the body of `fori_loop`."""
    from jax import lax

    def run(u: Any, rate: Any, steps: Any) -> Any:
        def step(_: Any, u: Any) -> Any:
            core = u[1:-1, 1:-1, 1:-1]
            along_x = u[2:, 1:-1, 1:-1] - 2.0 * core + u[:-2, 1:-1, 1:-1]
            along_y = u[1:-1, 2:, 1:-1] - 2.0 * core + u[1:-1, :-2, 1:-1]
            along_z = u[1:-1, 1:-1, 2:] - 2.0 * core + u[1:-1, 1:-1, :-2]
            return u.at[1:-1, 1:-1, 1:-1].set(core + rate * (along_x + along_y + along_z))

        return lax.fori_loop(0, steps, step, u)

    return run
