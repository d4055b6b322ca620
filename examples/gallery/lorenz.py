"""Lorenz attractor.

A solver of Runge and Kutta of fourth order that takes the equations as a function, and stores each step.
"""

from __future__ import annotations

import numpy as np
from picture import run, whole

from anabranch import jit


def lorenz(state):
    x, y, z = state
    return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])


@jit
def integrate(slope, state, width, steps):
    path = np.zeros((steps + 1, len(state)))
    path[0] = state
    for step in range(steps):
        k1 = slope(state)
        k2 = slope(state + 0.5 * width * k1)
        k3 = slope(state + 0.5 * width * k2)
        k4 = slope(state + width * k3)
        state = state + width / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        path[step + 1] = state
    return path


def compute():
    path = integrate(lorenz, np.array([1.0, 1.0, 1.0]), 0.004, 12000)
    print(f"after {len(path) - 1} steps at {path[-1].round(3)}")
    return path


def draw(figure, path):
    axes = whole(figure)
    axes.scatter(path[:, 0], path[:, 2], s=1.0, c=path[:, 1], cmap="viridis", linewidths=0)


if __name__ == "__main__":
    run(compute, draw)
