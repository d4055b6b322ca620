"""Clusters by k-means.

Points go to their nearest centre and centres to the mean of their points, until no point changes sides: a `while`
loop over arrays that are written in place.
"""

from __future__ import annotations

import numpy as np
from picture import run

from anabranch import jit


@jit
def cluster(points, centres, most):
    """Change `centres`; returns each point's centre, and the number of rounds."""
    chosen = np.full(len(points), -1)
    rounds = 0
    changed = True
    while changed and rounds < most:
        changed = False
        sums = np.zeros(centres.shape)
        counts = np.zeros(len(centres))
        for i in range(len(points)):
            best, nearest = 0, np.inf
            for k in range(len(centres)):
                distance = np.sum((points[i] - centres[k]) ** 2)
                if distance < nearest:
                    best, nearest = k, distance
            if best != chosen[i]:
                chosen[i] = best
                changed = True
            sums[best] += points[i]
            counts[best] += 1
        for k in range(len(centres)):
            if counts[k] > 0:
                centres[k] = sums[k] / counts[k]
        rounds += 1
    return chosen, rounds


def start(count, seed):
    rng = np.random.default_rng(seed)
    middles = np.array([[0.0, 0.0], [3.0, 0.6], [1.2, 2.8], [4.0, 3.4]])
    points = (middles[:, None] + rng.normal(0.0, 0.6, (4, count // 4, 2))).reshape(-1, 2)
    return points, points[rng.choice(len(points), 4, replace=False)].copy()


def compute():
    points, centres = start(1200, seed=10)
    chosen, rounds = cluster(points, centres, 100)
    print(f"{rounds} rounds, clusters of {np.bincount(chosen).tolist()} points")
    return points, centres, chosen


def draw(figure, result):
    points, centres, chosen = result
    axes = figure.add_subplot()
    axes.scatter(*points.T, c=chosen, s=6, cmap="Set2", linewidths=0)
    axes.scatter(*centres.T, marker="X", s=110, color="black", edgecolor="white")
    axes.set_xticks([])
    axes.set_yticks([])


if __name__ == "__main__":
    run(compute, draw)
