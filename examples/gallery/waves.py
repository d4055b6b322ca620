"""Waves behind two slits.

The wave equation in two dimensions, driven at one side, with a wall that has two gaps. Slices of arrays are read and
written in place, and old and new swap names at each step.
"""

from __future__ import annotations

import numpy as np
from picture import image, run

from anabranch import jit


@jit
def ripple(wall, damping, frequency, steps):
    before = np.zeros(wall.shape)
    now = np.zeros(wall.shape)
    for step in range(steps):
        after = np.zeros(wall.shape)
        around = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
        after[1:-1, 1:-1] = 2.0 * now[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.25 * (around - 4.0 * now[1:-1, 1:-1])
        after[:, 1] = np.sin(frequency * step)
        after[wall] = 0.0
        after *= damping
        before, now = now, after
    return now


def start(rows, columns):
    wall = np.zeros((rows, columns), dtype=bool)
    at = columns // 4
    wall[:, at : at + 3] = True
    for middle in (rows * 2 // 5, rows * 3 // 5):
        wall[middle - rows // 36 : middle + rows // 36, at : at + 3] = False
    # Waves die out near the far edges instead of coming back.
    edge = np.minimum(np.minimum(np.arange(rows), np.arange(rows)[::-1])[:, None], np.arange(columns)[::-1])
    return wall, 1.0 - 0.0004 * np.maximum(20 - edge, 0) ** 1.5


def compute():
    heights = ripple(*start(144, 192), 0.45, 600)
    print(f"heights between {heights.min():.2f} and {heights.max():.2f}")
    return heights


def draw(figure, heights):
    image(figure, heights, cmap="RdBu", vmin=-0.9, vmax=0.9)


if __name__ == "__main__":
    run(compute, draw)
