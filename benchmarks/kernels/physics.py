"""Particles, spins and dynamical systems."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel

SOFTENING = 1e-2


def n_body(position, velocity, mass, dt, steps):
    """Advance `position` and `velocity`, both of shape (bodies, 3), in place."""
    n = position.shape[0]
    for _ in range(steps):
        for i in range(n):
            ax = 0.0
            ay = 0.0
            az = 0.0
            for j in range(n):
                if j != i:
                    dx = position[j, 0] - position[i, 0]
                    dy = position[j, 1] - position[i, 1]
                    dz = position[j, 2] - position[i, 2]
                    squared = dx * dx + dy * dy + dz * dz + SOFTENING
                    pull = mass[j] / (squared * np.sqrt(squared))
                    ax += pull * dx
                    ay += pull * dy
                    az += pull * dz
            velocity[i, 0] += dt * ax
            velocity[i, 1] += dt * ay
            velocity[i, 2] += dt * az
        for i in range(n):
            for axis in range(3):
                position[i, axis] += dt * velocity[i, axis]
    return position, velocity


def n_body_arguments(bodies, steps):
    """Bodies scattered in a unit cube, with small random velocities."""
    rng = generator()
    return rng.random((bodies, 3)), 0.1 * rng.standard_normal((bodies, 3)), rng.uniform(0.5, 1.5, bodies), 1e-3, steps


def mandelbrot(real, imaginary, limit):
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


def mandelbrot_arguments(width, height, limit):
    """The usual window on the set and the largest count."""
    return np.linspace(-2.0, 0.6, width), np.linspace(-1.1, 1.1, height), limit


def lennard_jones(position):
    """Forces between all pairs of atoms, each pair once, and the energy."""
    n = position.shape[0]
    forces = np.zeros_like(position)
    energy = 0.0
    for i in range(n):
        for j in range(i):
            squared = 0.0
            for axis in range(3):
                squared += (position[i, axis] - position[j, axis]) ** 2
            s6 = 1.0 / squared**3
            energy += 4.0 * (s6 * s6 - s6)
            strength = 24.0 * (2.0 * s6 * s6 - s6) / squared
            for axis in range(3):
                force = strength * (position[i, axis] - position[j, axis])
                forces[i, axis] += force
                forces[j, axis] -= force
    return energy, forces


def n_body_arrays(position, velocity, mass, dt, steps):
    """Gravity between all pairs of bodies, as arrays of pairs."""
    for _ in range(steps):
        offset = position[None, :, :] - position[:, None, :]
        squared = (offset * offset).sum(axis=-1) + SOFTENING
        pull = mass[None, :] / (squared * np.sqrt(squared))
        velocity = velocity + dt * (pull[:, :, None] * offset).sum(axis=1)
        position = position + dt * velocity
    return position, velocity


def ising(spins, chances, coupling):
    """Sweeps of a magnet by halves of a chessboard, with given random numbers."""
    m, n = spins.shape
    board = (np.arange(m)[:, None] + np.arange(n)[None, :]) % 2
    for sweep in range(chances.shape[0]):
        around = np.roll(spins, 1, 0) + np.roll(spins, -1, 0) + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
        flips = (chances[sweep] < np.exp(-2.0 * coupling * spins * around)) & (board == sweep % 2)
        spins = np.where(flips, -spins, spins)
    return spins


def lorenz(state, dt, steps):
    """Lorenz's attractor by Runge and Kutta's method, on single numbers."""
    x, y, z = state[0], state[1], state[2]
    path = np.zeros((steps, 3))
    for i in range(steps):
        ax, ay, az = 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z
        px, py, pz = x + 0.5 * dt * ax, y + 0.5 * dt * ay, z + 0.5 * dt * az
        bx, by, bz = 10.0 * (py - px), px * (28.0 - pz) - py, px * py - 8.0 / 3.0 * pz
        x, y, z = x + dt * bx, y + dt * by, z + dt * bz
        path[i, 0], path[i, 1], path[i, 2] = x, y, z
    return path


KERNELS = (
    Kernel(n_body, "elements", n_body_arguments, (4, 3), (6, 4), (40, 20)),
    Kernel(mandelbrot, "elements", mandelbrot_arguments, (8, 6, 20), (12, 8, 30), (96, 64, 100)),
    Kernel(lennard_jones, "elements", lambda n: (generator().random((n, 3)) * n,), (4,), (12,), (130,)),
    Kernel(n_body_arrays, "arrays", n_body_arguments, (4, 3), (12, 8), (200, 20)),
    Kernel(
        ising,
        "arrays",
        lambda n, k: (2 * generator().integers(0, 2, (n, n)) - 1, generator().random((k, n, n)), 0.4),
        (6, 2),
        (16, 6),
        (200, 30),
    ),
    Kernel(lorenz, "elements", lambda n: (np.array([1.0, 2.0, 20.0]), 1e-3, n), (5,), (40,), (2000,)),
)
