"""Maze.

A walk that turns at random and goes back where it is stuck digs the maze; a second one, breadth first, finds how far
each cell is from the entrance. A stack, a queue (`collections.deque`), and random choices.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from picture import image, run

from anabranch import jit


@jit
def dig(rng, rows, columns):
    """A maze whose cells stand at odd indices; True is open."""
    is_open = np.zeros((2 * rows + 1, 2 * columns + 1), dtype=bool)
    is_open[1, 1] = True
    stack = [(1, 1)]
    while stack:
        i, j = stack[-1]
        found = 0
        next_i, next_j = i, j
        for down, right in ((-2, 0), (2, 0), (0, -2), (0, 2)):
            k, m = i + down, j + right
            if 0 < k < 2 * rows and 0 < m < 2 * columns and not is_open[k, m]:
                found += 1
                # The one that is kept of those that were found so far, each equally probable.
                if rng.random() * found < 1.0:
                    next_i, next_j = k, m
        if found == 0:
            stack.pop()
        else:
            is_open[(i + next_i) // 2, (j + next_j) // 2] = True
            is_open[next_i, next_j] = True
            stack.append((next_i, next_j))
    return is_open


@jit
def distances(is_open, start):
    far = np.full(is_open.shape, -1)
    far[start] = 0
    queue = deque([start])
    while queue:
        i, j = queue.popleft()
        for k, m in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if is_open[k, m] and far[k, m] < 0:
                far[k, m] = far[i, j] + 1
                queue.append((k, m))
    return far


def compute():
    is_open = dig(np.random.default_rng(26), 30, 40)
    far = distances(is_open, (1, 1))
    print(f"the farthest cell is {far.max()} steps away")
    return far


def draw(figure, far):
    axes = image(figure, np.where(far < 0, np.nan, far), cmap="plasma")
    axes.figure.set_facecolor("black")


if __name__ == "__main__":
    run(compute, draw)
