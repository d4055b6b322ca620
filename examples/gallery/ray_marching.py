"""Balls on a floor.

A picture by ray marching: each ray steps as far as the nearest surface allows until it hits something, and then looks
for the lamp. Helpers that return early, and a shape that is an ordinary Python function.
"""

from __future__ import annotations

import math

import numpy as np
from picture import image, run

from anabranch import jit


def distance(x, y, z):
    """The distance to the nearest surface: three balls and a floor."""
    nearest = y + 1.0
    nearest = min(nearest, math.sqrt(x * x + y * y + z * z) - 1.0)
    nearest = min(nearest, math.sqrt((x - 1.7) ** 2 + (y + 0.4) ** 2 + (z + 0.7) ** 2) - 0.6)
    return min(nearest, math.sqrt((x + 1.5) ** 2 + (y + 0.55) ** 2 + (z + 1.0) ** 2) - 0.45)


def reach(x, y, z, dx, dy, dz, most):
    """How far a ray goes until it hits something; `most` where it hits nothing."""
    gone = 0.02
    for _ in range(120):
        step = distance(x + gone * dx, y + gone * dy, z + gone * dz)
        if step < 1e-3:
            return gone
        gone += step
        if gone > most:
            return most
    return gone


@jit
def render(rows, columns):
    light = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            dx, dy, dz = (j - 0.5 * columns) / rows, (0.45 * rows - i) / rows, 1.0
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            dx, dy, dz = dx / length, dy / length, dz / length
            gone = reach(0.0, 0.4, -4.5, dx, dy, dz, 20.0)
            if gone >= 20.0:
                light[i, j] = 0.55 + 0.4 * dy
                continue
            x, y, z = gone * dx, 0.4 + gone * dy, -4.5 + gone * dz
            # The slope of the distance is the surface's normal.
            here = distance(x, y, z)
            nx = distance(x + 1e-4, y, z) - here
            ny = distance(x, y + 1e-4, z) - here
            nz = distance(x, y, z + 1e-4) - here
            length = math.sqrt(nx * nx + ny * ny + nz * nz)
            shine = max(0.0, (0.5 * nx + 0.7 * ny - 0.5 * nz) / length / 0.995)
            x, y, z = x + 2e-2 * nx / length, y + 2e-2 * ny / length, z + 2e-2 * nz / length
            if reach(x, y, z, 0.5025, 0.7035, -0.5025, 12.0) < 12.0:
                shine *= 0.25
            tile = 0.75 if y < -0.95 and (math.floor(x) + math.floor(z)) % 2 == 0 else 1.0
            light[i, j] = tile * (0.15 + 0.8 * shine)
    return light


def compute():
    light = render(240, 320)
    print(f"mean brightness {light.mean():.3f}")
    return light


def draw(figure, light):
    image(figure, np.clip(light, 0.0, 1.0) ** 0.7, cmap="bone", vmin=0.0, vmax=1.0)


if __name__ == "__main__":
    run(compute, draw)
