"""Convex hull.

Andrew's monotone chain: points in order, and two lists from whose ends points are taken while they turn the wrong
way.
"""

from __future__ import annotations

import numpy as np
from picture import run

from anabranch import jit


def turn(a, b, c):
    """Positive where the way from `a` over `b` to `c` turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@jit
def hull(points):
    """The indices of the corners, against the clock."""
    order = np.lexsort((points[:, 1], points[:, 0]))
    chains = []
    for direction in (order, order[::-1]):
        chain = []
        for i in direction:
            while len(chain) >= 2 and turn(points[chain[-2]], points[chain[-1]], points[i]) <= 0:
                chain.pop()
            chain.append(i)
        chains.append(chain[:-1])
    return chains[0] + chains[1]


def compute():
    points = np.random.default_rng(28).normal(size=(400, 2))
    corners = hull(points)
    print(f"{len(corners)} corners of {len(points)} points")
    return points, corners


def draw(figure, result):
    points, corners = result
    axes = figure.add_subplot()
    around = points[[*corners, corners[0]]]
    axes.fill(*around.T, color="C0", alpha=0.15)
    axes.plot(*around.T, color="C0", marker="o")
    axes.scatter(*points.T, s=5, color="0.3", linewidths=0)
    axes.set_xticks([])
    axes.set_yticks([])


if __name__ == "__main__":
    run(compute, draw)
