"""Functions that are saved, exported and kept on disk."""

from __future__ import annotations


def halved(x, y):
    while x > y:
        x = x / 2
    return x


def written(x):
    for i in range(len(x)):
        if x[i] > 1:
            x[i] = -x[i]
    return x


def doubled(x):
    return x * 2 if x[0] < 1 else x


def squared(x):
    return x * x if x[0] < 1 else x


def pair(x, n):
    if n > 1:
        return {"x": x, "n": n}
    return {"x": x + 1, "n": -n}
