"""Shortest path on a map.

Dijkstra's algorithm on a grid of costs, with a heap of tuples: `heapq`, a list that grows and shrinks, and
`continue`.
"""

from __future__ import annotations

import heapq
import math

import numpy as np
from picture import run

from anabranch import jit

STEPS = np.array([(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right])


# The heap gets longer than the 256 items that a list of unknown length has room for at first.
@jit(capacity=4096)
def cheapest(costs, start, goal):
    """The cost of reaching each cell, and for each cell the one before it; -1 where there is none."""
    rows, columns = costs.shape
    reached = np.full((rows, columns), np.inf)
    before = np.full((rows, columns), -1)
    reached[start] = 0.0
    waiting = [(0.0, start[0], start[1])]
    while waiting:
        cost, i, j = heapq.heappop(waiting)
        if (i, j) == goal:
            break
        if cost > reached[i, j]:
            continue
        for down, right in STEPS:
            k, m = i + down, j + right
            if 0 <= k < rows and 0 <= m < columns:
                new = cost + costs[k, m] * math.hypot(down, right)
                if new < reached[k, m]:
                    reached[k, m] = new
                    before[k, m] = i * columns + j
                    heapq.heappush(waiting, (new, k, m))
    return reached, before


def landscape(rows, columns, seed):
    """Hills that it costs more to cross."""
    rng = np.random.default_rng(seed)
    i, j = np.mgrid[:rows, :columns]
    heights = np.zeros((rows, columns))
    for _ in range(60):
        at, across, wide = rng.uniform(0, rows), rng.uniform(0, columns), rng.uniform(0.02, 0.08) * columns
        heights += np.exp(-((i - at) ** 2 + (j - across) ** 2) / (2.0 * wide**2))
    return 1.0 + 3.0 * heights


def steps_to(before, goal):
    at, columns = goal[0] * before.shape[1] + goal[1], before.shape[1]
    path = []
    while at >= 0:
        path.append((at // columns, at % columns))
        at = before[at // columns, at % columns]
    return path[::-1]


def compute():
    costs = landscape(90, 120, seed=13)
    goal = (84, 114)
    reached, before = cheapest(costs, (5, 5), goal)
    path = steps_to(before, goal)
    print(f"cost {reached[goal]:.1f} in {len(path)} steps")
    return costs, path


def draw(figure, result):
    costs, path = result
    axes = figure.add_subplot()
    axes.contourf(costs, levels=24, cmap="terrain")
    axes.plot([j for _, j in path], [i for i, _ in path], color="crimson", linewidth=2)
    axes.plot([path[0][1], path[-1][1]], [path[0][0], path[-1][0]], "o", color="black")
    axes.set_xticks([])
    axes.set_yticks([])


if __name__ == "__main__":
    run(compute, draw)
