"""Edit distance of two texts.

The table of Levenshtein's distance, and the way back through it. The loops read the characters of the texts.
"""

from __future__ import annotations

import numpy as np
from picture import run

from anabranch import jit

FIRST = "the quick brown fox jumps over the lazy dog"
SECOND = "a quack brought five boxes over to the hazy bog"


@jit
def distances(first, second):
    table = np.zeros((len(first) + 1, len(second) + 1), dtype=np.int64)
    table[:, 0] = np.arange(len(first) + 1)
    table[0, :] = np.arange(len(second) + 1)
    for i in range(1, len(first) + 1):
        for j in range(1, len(second) + 1):
            change = 0 if first[i - 1] == second[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + change)
    return table


@jit
def way_back(table):
    """The cells from the end to the beginning by which the distance came about."""
    i, j = table.shape[0] - 1, table.shape[1] - 1
    cells = [(i, j)]
    while i > 0 or j > 0:
        if i > 0 and j > 0 and table[i - 1, j - 1] <= min(table[i - 1, j], table[i, j - 1]):
            i -= 1
            j -= 1
        elif i > 0 and (j == 0 or table[i - 1, j] <= table[i, j - 1]):
            i -= 1
        else:
            j -= 1
        cells.append((i, j))
    return cells


def compute():
    table = distances(FIRST, SECOND)
    cells = way_back(table)
    print(f"{table[-1, -1]} edits, along {len(cells)} cells")
    return table, cells


def draw(figure, result):
    table, cells = result
    axes = figure.add_subplot()
    axes.imshow(table, cmap="YlGn_r", aspect="auto", interpolation="nearest")
    axes.plot([j for _, j in cells], [i for i, _ in cells], color="C3", linewidth=1.5)
    axes.set_xticks(range(1, len(SECOND) + 1), SECOND, fontsize=6)
    axes.set_yticks(range(1, len(FIRST) + 1), FIRST, fontsize=6)
    axes.tick_params(length=0)


if __name__ == "__main__":
    run(compute, draw)
