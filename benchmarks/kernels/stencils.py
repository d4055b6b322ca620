"""Stencils on grids."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def jacobi_2d_slices(a, b, steps):
    """Relax `a` in place, with `b` as the other buffer."""
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return a


def jacobi_2d_slices_arguments(n, steps):
    """A random grid, a second buffer with the same border, and the number of steps."""
    grid = generator().random((n, n))
    return grid, grid.copy(), steps


def jacobi_2d_loops(a, b, steps):
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


def jacobi_2d_loops_arguments(n, steps):
    """A random grid, a second buffer with the same border, and the number of steps."""
    grid = generator().random((n, n))
    return grid, grid.copy(), steps


def heat_3d(u, rate, steps):
    """Advance `u` in place; its faces are held fixed."""
    for _ in range(steps):
        core = u[1:-1, 1:-1, 1:-1]
        along_x = u[2:, 1:-1, 1:-1] - 2.0 * core + u[:-2, 1:-1, 1:-1]
        along_y = u[1:-1, 2:, 1:-1] - 2.0 * core + u[1:-1, :-2, 1:-1]
        along_z = u[1:-1, 1:-1, 2:] - 2.0 * core + u[1:-1, 1:-1, :-2]
        u[1:-1, 1:-1, 1:-1] = core + rate * (along_x + along_y + along_z)
    return u


def heat_3d_arguments(n, steps):
    """A random temperature field, a rate within the stable range, and the number of steps."""
    return generator().random((n, n, n)), 0.125, steps


def gauss_seidel(u, source, tolerance):
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


def gauss_seidel_arguments(n):
    """A zero field, a random source, and the tolerance."""
    return np.zeros((n, n)), generator().random((n, n)), 1e-4


def seidel_2d(a, steps):
    """Sweeps of the mean of nine neighbours, in place."""
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                above = a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1]
                below = a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]
                a[i, j] = (above + a[i, j - 1] + a[i, j] + a[i, j + 1] + below) / 9.0
    return a


def game_of_life(cells, steps):
    """Conway's cellular automaton on a torus, with rolled arrays."""
    for _ in range(steps):
        rows = np.roll(cells, 1, 0) + cells + np.roll(cells, -1, 0)
        around = np.roll(rows, 1, 1) + rows + np.roll(rows, -1, 1) - cells
        cells = ((around == 3) | ((cells == 1) & (around == 2))).astype(np.int64)
    return cells


def game_of_life_loops(cells, steps):
    """Conway's cellular automaton on a torus, cell by cell."""
    m, n = cells.shape
    for _ in range(steps):
        following = np.zeros_like(cells)
        for i in range(m):
            for j in range(n):
                around = -cells[i, j]
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        around += cells[(i + di) % m, (j + dj) % n]
                if around == 3 or (cells[i, j] == 1 and around == 2):
                    following[i, j] = 1
        cells = following
    return cells


def fdtd_2d(ex, ey, hz, steps):
    """Maxwell's equations in the plane, by finite differences in time."""
    for t in range(steps):
        ey[0, :] = t
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


KERNELS = (
    Kernel(jacobi_2d_slices, "arrays", jacobi_2d_slices_arguments, (8, 3), (24, 20), (256, 200)),
    Kernel(jacobi_2d_loops, "elements", jacobi_2d_loops_arguments, (8, 3), (14, 2), (64, 20)),
    Kernel(heat_3d, "arrays", heat_3d_arguments, (6, 3), (12, 10), (48, 100)),
    Kernel(gauss_seidel, "elements", gauss_seidel_arguments, (6,), (7,), (24,)),
    Kernel(seidel_2d, "elements", lambda n, steps: (generator().random((n, n)), steps), (6, 2), (12, 2), (60, 15)),
    Kernel(
        game_of_life, "arrays", lambda n, steps: (generator().integers(0, 2, (n, n)), steps), (6, 2), (24, 4), (400, 20)
    ),
    Kernel(
        game_of_life_loops,
        "elements",
        lambda n, steps: (generator().integers(0, 2, (n, n)), steps),
        (6, 2),
        (10, 2),
        (48, 10),
    ),
    Kernel(fdtd_2d, "arrays", lambda n, steps: (*generator().random((3, n, n)), steps), (6, 2), (20, 10), (250, 60)),
)
