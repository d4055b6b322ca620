"""Cubic spline.

A smooth curve through given points: a tridiagonal system, solved by one sweep forwards and one backwards, and a
search for the interval of each place that is asked for.
"""

from __future__ import annotations

import numpy as np
from picture import run

from anabranch import jit


def curvatures(x, y):
    """The second derivatives at the points, zero at both ends."""
    n = len(x)
    above, right = np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        left, width = x[i] - x[i - 1], x[i + 1] - x[i]
        bend = 6.0 * ((y[i + 1] - y[i]) / width - (y[i] - y[i - 1]) / left)
        below = 2.0 * (left + width) - left * above[i - 1]
        above[i] = width / below
        right[i] = (bend - left * right[i - 1]) / below
    found = np.zeros(n)
    for i in range(n - 2, 0, -1):
        found[i] = right[i] - above[i] * found[i + 1]
    return found


@jit
def spline(x, y, places):
    second = curvatures(x, y)
    heights = np.zeros(len(places))
    for k in range(len(places)):
        i = min(max(np.searchsorted(x, places[k]) - 1, 0), len(x) - 2)
        width = x[i + 1] - x[i]
        a, b = (x[i + 1] - places[k]) / width, (places[k] - x[i]) / width
        bend = (a**3 - a) * second[i] + (b**3 - b) * second[i + 1]
        heights[k] = a * y[i] + b * y[i + 1] + bend * width**2 / 6.0
    return heights


def compute():
    x = np.array([0.0, 0.7, 1.1, 2.0, 2.6, 3.9, 4.4, 5.5, 6.0])
    y = np.array([0.2, 1.1, 0.9, -0.6, -0.4, 1.5, 1.2, -0.8, 0.1])
    places = np.linspace(0.0, 6.0, 500)
    heights = spline(x, y, places)
    print(f"between {heights.min():.3f} and {heights.max():.3f}")
    return x, y, places, heights


def draw(figure, result):
    x, y, places, heights = result
    axes = figure.add_subplot()
    axes.plot(x, y, "--", color="0.7", linewidth=1)
    axes.plot(places, heights, color="C0", linewidth=2)
    axes.plot(x, y, "o", color="C3")
    axes.grid(alpha=0.3)


if __name__ == "__main__":
    run(compute, draw)
