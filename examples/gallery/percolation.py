"""Percolation.

Clusters of open cells in a random grid, by union-find with halved paths: a helper with a `while` loop that writes
into an array, called from two loops.
"""

from __future__ import annotations

import numpy as np
from picture import image, run

from anabranch import jit


def root_of(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@jit
def clusters(is_open):
    """The number of each cell's cluster, -1 where it is closed, and whether one reaches from top to bottom."""
    rows, columns = is_open.shape
    parent = np.arange(rows * columns)
    for i in range(rows):
        for j in range(columns):
            if not is_open[i, j]:
                continue
            if i > 0 and is_open[i - 1, j]:
                parent[root_of(parent, i * columns + j)] = root_of(parent, (i - 1) * columns + j)
            if j > 0 and is_open[i, j - 1]:
                parent[root_of(parent, i * columns + j)] = root_of(parent, i * columns + j - 1)
    numbers = np.full((rows, columns), -1)
    for i in range(rows):
        for j in range(columns):
            if is_open[i, j]:
                numbers[i, j] = root_of(parent, i * columns + j)
    through = False
    for j in range(columns):
        for k in range(columns):
            if is_open[0, j] and numbers[0, j] == numbers[rows - 1, k]:
                through = True
    return numbers, through


def compute():
    is_open = np.random.default_rng(18).random((90, 120)) < 0.6
    numbers, through = clusters(is_open)
    sizes = np.unique(numbers[numbers >= 0], return_counts=True)[1]
    print(f"{len(sizes)} clusters, the largest of {sizes.max()} cells, from top to bottom: {through}")
    return numbers


def draw(figure, numbers):
    kinds, place, sizes = np.unique(numbers, return_inverse=True, return_counts=True)
    size = np.where(kinds < 0, 0, sizes)[place.reshape(numbers.shape)]
    image(figure, np.log(size + 1.0), cmap="inferno")


if __name__ == "__main__":
    run(compute, draw)
