"""Dithering.

Floyd and Steinberg's way to draw greys with black and white: what is lost at one pixel is handed on to those that
come after it, so that each depends on all before.
"""

from __future__ import annotations

import numpy as np
from picture import image, run

from anabranch import jit


@jit
def dither(picture):
    rows, columns = picture.shape
    left = picture.copy()
    drawn = np.zeros((rows, columns), dtype=np.uint8)
    for i in range(rows):
        for j in range(columns):
            new = 1 if left[i, j] > 0.5 else 0
            drawn[i, j] = new
            error = left[i, j] - new
            if j + 1 < columns:
                left[i, j + 1] += error * 7 / 16
            if i + 1 < rows:
                if j > 0:
                    left[i + 1, j - 1] += error * 3 / 16
                left[i + 1, j] += error * 5 / 16
                if j + 1 < columns:
                    left[i + 1, j + 1] += error * 1 / 16
    return drawn


def ball(rows, columns):
    """A ball in the light of a lamp from above."""
    i, j = np.mgrid[:rows, :columns]
    x, y = (j - 0.5 * columns) / (0.4 * rows), (i - 0.5 * rows) / (0.4 * rows)
    z = np.sqrt(np.maximum(1.0 - x**2 - y**2, 0.0))
    shine = np.clip(0.55 * z - 0.55 * y - 0.4 * x, 0.0, 1.0)
    return np.where(x**2 + y**2 < 1.0, shine, 0.25 + 0.5 * i / rows)


def compute():
    picture = ball(240, 320)
    drawn = dither(picture)
    print(f"mean grey {picture.mean():.4f}, drawn {drawn.mean():.4f}")
    return drawn


def draw(figure, drawn):
    image(figure, drawn, cmap="gray")


if __name__ == "__main__":
    run(compute, draw)
