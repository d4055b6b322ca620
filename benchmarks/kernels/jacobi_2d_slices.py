"""Jacobi relaxation on a square grid, two half-steps at a time, written with slices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.arrays import FloatArray, Size, generator

SIZES = {"small": (8, 3), "full": (256, 200)}


def jacobi_2d_slices(a: FloatArray, b: FloatArray, steps: int) -> FloatArray:
    """Relax `a` in place, with `b` as the other buffer."""
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return a


def arguments(size: Size) -> tuple[Any, ...]:
    """A random grid, a second buffer with the same border, and the number of steps."""
    n, steps = SIZES[size]
    grid = generator().random((n, n))
    return grid, grid.copy(), steps


def jax_kernel() -> Callable[..., Any]:
    """The same steps with both buffers carried through `fori_loop`."""
    from jax import lax

    def relax(source: Any, target: Any) -> Any:
        total = source[1:-1, 1:-1] + source[1:-1, :-2] + source[1:-1, 2:] + source[2:, 1:-1] + source[:-2, 1:-1]
        return target.at[1:-1, 1:-1].set(0.2 * total)

    def step(_: Any, buffers: Any) -> Any:
        a, b = buffers
        b = relax(a, b)
        return relax(b, a), b

    def run(a: Any, b: Any, steps: Any) -> Any:
        return lax.fori_loop(0, steps, step, (a, b))[0]

    return run
