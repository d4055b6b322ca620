"""Partial differential equations."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def burgers_1d(u, ratio, steps):
    """Burgers's equation by upwind differences on a ring."""
    for _ in range(steps):
        u = u - ratio * u * (u - np.roll(u, 1))
    return u


def wave_2d(u, previous, rate, steps):
    """The wave equation on a membrane that is held at its border."""
    for _ in range(steps):
        following = np.zeros_like(u)
        laplacian = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        following[1:-1, 1:-1] = 2.0 * u[1:-1, 1:-1] - previous[1:-1, 1:-1] + rate * laplacian
        previous = u
        u = following
    return u


def gray_scott(u, v, steps):
    """A reaction and diffusion of two substances on a torus."""
    for _ in range(steps):
        around_u = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4.0 * u
        around_v = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1) - 4.0 * v
        reaction = u * v * v
        u = u + 0.16 * around_u - reaction + 0.06 * (1.0 - u)
        v = v + 0.08 * around_v + reaction - 0.122 * v
    return u, v


def shallow_water(h, u, v, steps):
    """Shallow water in a closed basin: heights and the flow between them."""
    for _ in range(steps):
        u[1:, :] -= 0.1 * (h[1:, :] - h[:-1, :])
        v[:, 1:] -= 0.1 * (h[:, 1:] - h[:, :-1])
        h[:-1, :] -= 0.1 * (u[1:, :] - u[:-1, :])
        h[:, :-1] -= 0.1 * (v[:, 1:] - v[:, :-1])
    return h, u, v


def lax_wendroff(u, c, steps):
    """Advection on a ring by Lax and Wendroff's scheme, point by point."""
    n = u.shape[0]
    new = np.zeros(n)
    for _ in range(steps):
        for i in range(n):
            left = u[i - 1]
            right = u[(i + 1) % n]
            new[i] = u[i] - 0.5 * c * (right - left) + 0.5 * c * c * (right - 2.0 * u[i] + left)
        for i in range(n):
            u[i] = new[i]
    return u


def spectral_heat(u, rate, steps):
    """The heat equation on a ring, solved in the space of frequencies."""
    n = u.shape[0]
    k = 2.0 * np.pi * np.fft.fftfreq(n)
    decay = np.exp(-rate * k * k)
    for _ in range(steps):
        u = np.fft.ifft(np.fft.fft(u) * decay).real
    return u


KERNELS = (
    Kernel(
        burgers_1d,
        "arrays",
        lambda n, steps: (1.0 + generator().random(n), 0.2, steps),
        (8, 3),
        (100, 20),
        (20_000, 200),
    ),
    Kernel(
        wave_2d, "arrays", lambda n, steps: (*generator().random((2, n, n)), 0.2, steps), (6, 3), (24, 10), (300, 60)
    ),
    Kernel(gray_scott, "arrays", lambda n, steps: (*generator().random((2, n, n)), steps), (6, 3), (16, 4), (256, 20)),
    Kernel(
        shallow_water,
        "arrays",
        lambda n, steps: (1.0 + generator().random((n, n)), np.zeros((n, n)), np.zeros((n, n)), steps),
        (6, 3),
        (16, 10),
        (256, 60),
    ),
    Kernel(
        lax_wendroff, "elements", lambda n, steps: (generator().random(n), 0.4, steps), (6, 2), (40, 5), (1000, 100)
    ),
    Kernel(
        spectral_heat, "arrays", lambda n, steps: (generator().random(n), 0.1, steps), (8, 3), (128, 5), (16_384, 30)
    ),
)
