"""Median filter.

Specks leave an image when each pixel becomes the median of its surroundings. The window is sorted by insertion, which
for nine numbers is faster than a call of `np.median`, and is cut off at the border.
"""

from __future__ import annotations

import numpy as np
from picture import image, run

from anabranch import jit


@jit
def median_filter(picture, radius):
    rows, columns = picture.shape
    filtered = np.zeros((rows, columns))
    window = np.zeros((2 * radius + 1) ** 2)
    for i in range(rows):
        for j in range(columns):
            count = 0
            for k in range(max(i - radius, 0), min(i + radius + 1, rows)):
                for m in range(max(j - radius, 0), min(j + radius + 1, columns)):
                    at = count
                    while at > 0 and window[at - 1] > picture[k, m]:
                        window[at] = window[at - 1]
                        at -= 1
                    window[at] = picture[k, m]
                    count += 1
            filtered[i, j] = window[count // 2]
    return filtered


def speckled(rows, columns, seed):
    rng = np.random.default_rng(seed)
    i, j = np.mgrid[:rows, :columns]
    picture = 0.5 + 0.5 * np.sin(0.16 * np.hypot(i - rows / 2, j - columns / 2))
    specks = rng.random((rows, columns))
    picture[specks < 0.12] = 0.0
    picture[specks > 0.88] = 1.0
    return picture


def compute():
    picture = speckled(120, 160, seed=14)
    filtered = median_filter(picture, 2)
    print(f"mean step between neighbours: {_roughness(picture):.3f} before, {_roughness(filtered):.3f} after")
    return picture, filtered


def _roughness(picture):
    return np.abs(np.diff(picture, axis=1)).mean()


def draw(figure, result):
    picture, filtered = result
    half = picture.shape[1] // 2
    image(figure, np.where(np.arange(picture.shape[1]) < half, picture, filtered), cmap="gray")


if __name__ == "__main__":
    run(compute, draw)
