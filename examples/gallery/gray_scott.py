"""Reaction and diffusion.

The model of Gray and Scott: two substances spread, and one eats the other. Whole-array arithmetic in a loop of
thousands of steps, which becomes one compiled loop.
"""

from __future__ import annotations

import numpy as np
from picture import image, run

from anabranch import jit


def spread(a):
    """The Laplacian on a torus."""
    return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4.0 * a


@jit
def react(u, v, feed, kill, steps):
    for _ in range(steps):
        reaction = u * v * v
        u = u + 0.16 * spread(u) - reaction + feed * (1.0 - u)
        v = v + 0.08 * spread(v) + reaction - (feed + kill) * v
    return u, v


def start(rows, columns, seed):
    rng = np.random.default_rng(seed)
    u, v = np.ones((rows, columns)), np.zeros((rows, columns))
    for _ in range(12):
        row, column = rng.integers(0, rows - 6), rng.integers(0, columns - 6)
        u[row : row + 6, column : column + 6] = 0.5
        v[row : row + 6, column : column + 6] = 0.25
    return u, v


def compute():
    _, v = react(*start(120, 160, seed=3), 0.037, 0.06, 5000)
    print(f"the second substance: mean {v.mean():.3f}, at most {v.max():.3f}")
    return v


def draw(figure, v):
    image(figure, v, cmap="YlGnBu_r")


if __name__ == "__main__":
    run(compute, draw)
