"""Jacobi relaxation on a square grid, written element by element."""

from __future__ import annotations

from typing import Any

from benchmarks.arrays import FloatArray, Size, generator
from benchmarks.kernels.jacobi_2d_slices import jax_kernel as jax_kernel

SIZES = {"small": (8, 3), "full": (64, 20)}


def jacobi_2d_loops(a: FloatArray, b: FloatArray, steps: int) -> FloatArray:
    """Relax `a` in place, with `b` as the other buffer."""
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = 0.2 * (b[i, j] + b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])
    return a


def arguments(size: Size) -> tuple[Any, ...]:
    """A random grid, a second buffer with the same border, and the number of steps."""
    n, steps = SIZES[size]
    grid = generator().random((n, n))
    return grid, grid.copy(), steps
