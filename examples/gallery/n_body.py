"""Two galaxies that meet.

Every body pulls every other one; the leapfrog scheme moves them. Half of the pairs are visited, and the pull is
written to both ends, so the loops write in place at two indices.
"""

from __future__ import annotations

import math

import numpy as np
from picture import run, whole

from anabranch import jit


@jit
def move(places, speeds, masses, width, steps):
    """Change places and speeds; returns the path of the first two bodies."""
    bodies = len(masses)
    path = np.zeros((steps, 2, 2))
    for step in range(steps):
        pull = np.zeros((bodies, 2))
        for i in range(bodies):
            for j in range(i + 1, bodies):
                x, y = places[j, 0] - places[i, 0], places[j, 1] - places[i, 1]
                square = x * x + y * y + 0.02
                inverse = 1.0 / (square * math.sqrt(square))
                pull[i, 0] += masses[j] * x * inverse
                pull[i, 1] += masses[j] * y * inverse
                pull[j, 0] -= masses[i] * x * inverse
                pull[j, 1] -= masses[i] * y * inverse
        speeds += width * pull
        places += width * speeds
        path[step] = places[:2]
    return path


def start(stars, seed):
    rng = np.random.default_rng(seed)
    places, speeds = np.zeros((2 * stars + 2, 2)), np.zeros((2 * stars + 2, 2))
    masses = np.full(2 * stars + 2, 1e-4)
    for galaxy, (middle, drift, turn) in enumerate((((-1.6, -0.7), (0.35, 0.0), 1), ((1.6, 0.7), (-0.35, 0.0), -1))):
        masses[galaxy], places[galaxy], speeds[galaxy] = 1.0, middle, drift
        radius = rng.uniform(0.3, 1.1, stars)
        angle = rng.uniform(0.0, 2.0 * np.pi, stars)
        own = slice(2 + galaxy * stars, 2 + (galaxy + 1) * stars)
        places[own] = middle + radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        fast = turn * radius / (radius**2 + 0.02) ** 0.75
        speeds[own] = drift + fast[:, None] * np.stack([-np.sin(angle), np.cos(angle)], axis=1)
    return places, speeds, masses


def compute():
    places, speeds, masses = start(200, seed=4)
    path = move(places, speeds, masses, 0.01, 500)
    print(f"the two centres are {np.hypot(*(path[-1, 0] - path[-1, 1])):.2f} apart")
    return places, path


def draw(figure, result):
    places, path = result
    figure.set_facecolor("black")
    axes = whole(figure)
    half = (len(places) - 2) // 2
    for body, own, colour in ((0, slice(2, 2 + half), "#7fb8ff"), (1, slice(2 + half, None), "#ffb070")):
        axes.plot(path[:, body, 0], path[:, body, 1], color=colour, linewidth=0.8, alpha=0.7)
        axes.scatter(places[own, 0], places[own, 1], s=3, color=colour, linewidths=0)
    axes.set_xlim(-4.0, 4.0)
    axes.set_ylim(-3.0, 3.0)


if __name__ == "__main__":
    run(compute, draw)
