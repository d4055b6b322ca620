"""Edges in an image.

Sobel's filter with thinned edges: the strength of each pixel is compared with its neighbours across the edge, a
direction that each pixel decides by an `if` of its own.
"""

from __future__ import annotations

import math

import numpy as np
from picture import image, run

from anabranch import jit

WEIGHTS = np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])


@jit
def edges(picture, least):
    rows, columns = picture.shape
    across = np.zeros((rows, columns))
    down = np.zeros((rows, columns))
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            window = picture[i - 1 : i + 2, j - 1 : j + 2]
            across[i, j] = np.sum(WEIGHTS * window)
            down[i, j] = np.sum(WEIGHTS.T * window)
    strength = np.hypot(across, down)
    thin = np.zeros((rows, columns))
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            angle = math.atan2(down[i, j], across[i, j]) % math.pi
            if angle < math.pi / 8 or angle >= 7 * math.pi / 8:
                one, other = strength[i, j - 1], strength[i, j + 1]
            elif angle < 3 * math.pi / 8:
                one, other = strength[i - 1, j - 1], strength[i + 1, j + 1]
            elif angle < 5 * math.pi / 8:
                one, other = strength[i - 1, j], strength[i + 1, j]
            else:
                one, other = strength[i - 1, j + 1], strength[i + 1, j - 1]
            if strength[i, j] >= max(one, other, least):
                thin[i, j] = strength[i, j]
    return thin


def scene(rows, columns):
    """A disc, a square and stripes, on a slope of grey."""
    i, j = np.mgrid[:rows, :columns]
    picture = 0.3 * j / columns
    picture[(i - 0.35 * rows) ** 2 + (j - 0.3 * columns) ** 2 < (0.22 * rows) ** 2] += 0.6
    picture[(abs(i - 0.65 * rows) < 0.2 * rows) & (abs(j - 0.62 * columns) < 0.15 * columns)] += 0.4
    picture += 0.25 * ((i + j) % 60 < 8)
    # A soft lens: the mean of each pixel's surroundings.
    for _ in range(2):
        padded = np.pad(picture, 1, mode="edge")
        picture = sum(padded[a : a + rows, b : b + columns] for a in range(3) for b in range(3)) / 9.0
    return picture


def compute():
    picture = scene(180, 240)
    found = edges(picture, 0.25)
    print(f"{(found > 0).mean():.1%} of the pixels are on an edge")
    return picture, found


def draw(figure, result):
    picture, found = result
    half = picture.shape[1] // 2
    shown = np.where(np.arange(picture.shape[1]) < half, picture / picture.max(), found / found.max())
    image(figure, shown, cmap="gray")


if __name__ == "__main__":
    run(compute, draw)
