"""Sandpile.

A heap in the middle topples until no cell has more than three grains. Unstable cells wait in a list that is used as a
stack.
"""

from __future__ import annotations

import numpy as np
from picture import run, whole

from anabranch import jit


@jit
def topple(grains):
    """Change `grains` until it is stable; returns how often a cell toppled. What falls over the border is lost."""
    rows, columns = grains.shape
    waiting = []
    for i in range(rows):
        for j in range(columns):
            if grains[i, j] > 3:
                waiting.append((i, j))
    toppled = 0
    while waiting:
        i, j = waiting.pop()
        if grains[i, j] < 4:
            continue
        share = grains[i, j] // 4
        grains[i, j] -= 4 * share
        toppled += share
        if grains[i, j] > 3:
            waiting.append((i, j))
        for k, m in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if 0 <= k < rows and 0 <= m < columns:
                grains[k, m] += share
                if grains[k, m] > 3:
                    waiting.append((k, m))
    return toppled


def compute():
    grains = np.zeros((121, 121), dtype=np.int64)
    grains[60, 60] = 20_000
    toppled = topple(grains)
    print(f"{toppled:,} topplings; {grains.sum():,} grains lie")
    return grains


def draw(figure, grains):
    from matplotlib.colors import ListedColormap  # noqa: PLC0415 - only pictures need it

    axes = whole(figure)
    colours = ListedColormap(["#10243f", "#2f7f8f", "#f2c14e", "#d1495b"])
    axes.imshow(grains, cmap=colours, interpolation="nearest")


if __name__ == "__main__":
    run(compute, draw)
