"""Newton's fractal.

Which root of `z**3 - 1` Newton's method finds from each point of a square, and how fast. The loop over one point ends
by an early `return`.
"""

from __future__ import annotations

import numpy as np
from picture import image, run

from anabranch import jit


def descend(z, tolerance):
    """The root's number, and the steps to it."""
    for step in range(40):
        if abs(z) < 1e-9:
            return 0, step
        z = z - (z**3 - 1.0) / (3.0 * z**2)
        if abs(z - 1.0) < tolerance:
            return 1, step
        if abs(z + 0.5 - 0.8660254037844386j) < tolerance:
            return 2, step
        if abs(z + 0.5 + 0.8660254037844386j) < tolerance:
            return 3, step
    return 0, 40


@jit
def basins(reals, imaginaries, tolerance):
    found = np.zeros((len(imaginaries), len(reals)))
    for row in range(len(imaginaries)):
        for column in range(len(reals)):
            root, steps = descend(complex(reals[column], imaginaries[row]), tolerance)
            found[row, column] = root + 0.9 * min(steps, 20) / 20
    return found


def compute():
    found = basins(np.linspace(-1.6, 1.6, 480), np.linspace(-1.2, 1.2, 360), 1e-6)
    shares = [(found.astype(int) == root).mean() for root in (1, 2, 3)]
    print("shares of the three roots: " + ", ".join(f"{share:.1%}" for share in shares))
    return found


def draw(figure, found):
    image(figure, found, cmap="twilight_shifted")


if __name__ == "__main__":
    run(compute, draw)
