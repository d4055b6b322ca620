"""A landscape of Perlin noise.

Gradient noise in several octaves: a helper called in four places for each of the points, with `math.floor` and a
table of gradients.
"""

from __future__ import annotations

import math

import numpy as np
from picture import image, run

from anabranch import jit


def ramp(table, column, row, x, y):
    """The gradient of a corner, times the way from there."""
    angle = table[row % len(table), column % len(table)]
    return math.cos(angle) * (x - column) + math.sin(angle) * (y - row)


def noise(table, x, y):
    column, row = math.floor(x), math.floor(y)
    right, down = x - column, y - row
    across = right * right * right * (right * (6.0 * right - 15.0) + 10.0)
    along = down * down * down * (down * (6.0 * down - 15.0) + 10.0)
    top = ramp(table, column, row, x, y)
    top += across * (ramp(table, column + 1, row, x, y) - top)
    bottom = ramp(table, column, row + 1, x, y)
    bottom += across * (ramp(table, column + 1, row + 1, x, y) - bottom)
    return top + along * (bottom - top)


@jit
def landscape(table, rows, columns, scale, octaves):
    heights = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            strength, frequency = 1.0, 1.0 / scale
            for _ in range(octaves):
                heights[i, j] += strength * noise(table, j * frequency, i * frequency)
                strength *= 0.5
                frequency *= 2.0
    return heights


def compute():
    table = np.random.default_rng(22).uniform(0.0, 2.0 * np.pi, (64, 64))
    heights = landscape(table, 180, 240, 70.0, 6)
    print(f"{(heights < -0.05).mean():.0%} of the land is under water")
    return heights


def draw(figure, heights):
    from matplotlib.colors import LightSource  # noqa: PLC0415 - only pictures need it
    from matplotlib.pyplot import get_cmap  # noqa: PLC0415 - only pictures need it

    surface = np.maximum(heights, -0.05)
    shaded = LightSource(315, 40).shade(surface, get_cmap("gist_earth"), vert_exag=40.0, vmin=-0.5, vmax=0.8)
    image(figure, shaded)


if __name__ == "__main__":
    run(compute, draw)
