"""Game of Life.

Conway's rule on a torus, from five living cells. Arrays are shifted and compared as a whole, in a loop that ends when
nothing changes any more.
"""

from __future__ import annotations

import numpy as np
from picture import image, run

from anabranch import jit


@jit
def live(cells, most):
    """How long each cell has lived, and how many generations there were."""
    ages = np.zeros(cells.shape, dtype=np.int64)
    generation = 0
    while generation < most:
        neighbours = np.zeros(cells.shape, dtype=np.int64)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                if down != 0 or right != 0:
                    neighbours += np.roll(cells, (down, right), axis=(0, 1))
        after = (neighbours == 3) | (cells & (neighbours == 2))
        if np.all(after == cells):
            break
        cells = after
        ages[cells] += 1
        generation += 1
    return cells, ages, generation


def start(rows, columns):
    """The R-pentomino, five cells that are busy for more than a thousand generations."""
    cells = np.zeros((rows, columns), dtype=bool)
    for row, column in ((0, 1), (0, 2), (1, 0), (1, 1), (2, 1)):
        cells[rows // 2 + row, columns // 2 + column] = True
    return cells


def compute():
    cells, ages, generations = live(start(120, 160), 1103)
    print(f"{cells.sum()} cells live after {generations} generations")
    return cells, ages


def draw(figure, result):
    cells, ages = result
    axes = image(figure, np.log(ages + 1.0), cmap="bone")
    axes.imshow(np.where(cells, 1.0, np.nan), aspect="auto", interpolation="nearest", cmap="autumn", vmin=0.0, vmax=1.5)


if __name__ == "__main__":
    run(compute, draw)
