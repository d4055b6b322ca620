"""Masks in branches, loops and helpers, and kernels made of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.dynamic_shapes.argument_sets import NOTHING, Hoped, N, S, V, W, Worded, each
from tests.program_table import Program, Table

case = Table(Worded)
# Those that may be refused.
hoped = Table(Hoped)
LIMITS = ((2.0,), (-100.0,), (100.0,), (9.0,))


# ---- in control flow -------------------------------------------------------------------------------------------------


@case(*each(V, last=LIMITS))
def masks_in_a_branch(a, x):
    if a[0] > x:
        b = a[a > x]
    else:
        b = a[:3]
    return b, b.sum()


@case((V,), (-V,), (NOTHING,))
def masks_in_a_loop(a):
    total = np.zeros(4)
    for i in range(4):
        chosen = a[a > i]
        total[i] = chosen.sum() / max(chosen.size, 1)
    return total


@case((V,), (-V,), (W,))
def outliers_removed_in_a_loop(a):
    for _ in range(3):
        a = a[np.abs(a - a.mean()) <= 1.25 * a.std()]
    return a, a.size


@case((V,), (-V,), (W,))
def outliers_removed_until_none_is_left(a):
    n = -1
    while len(a) != n:
        n = len(a)
        a = a[np.abs(a - np.median(a)) < 5]
    return a, n


@case(*each(V, last=((2.0,), (100.0,))))
def an_early_return_of_the_selected(a, x):
    b = a[a > x]
    if b.size == 0:
        return b
    b = b / b.max()
    return b[b < 0.75]


def positive(v):
    return v[v > 0]


@case((V,), (-V,), (NOTHING,))
def masks_in_helpers(a):
    return positive(a), positive(positive(a) - 2), positive(-a).sum()


@case((V, W, 3.0), (V, W, 100.0), (W, V, 0.0))
def kept_greedily(boxes, scores, gap):
    order = np.argsort(-scores, kind="stable")
    keep = np.zeros(8, dtype=bool)
    while order.size > 0:
        best = order[0]
        keep[best] = True
        rest = order[1:]
        order = rest[np.abs(boxes[rest] - boxes[best]) > gap]
    return keep, np.flatnonzero(keep)


@case((np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 9.0], [10.0, 9.0]]), np.array([[0.0, 1.0], [8.0, 8.0]])))
def clusters_by_masks(points, centres):
    for _ in range(3):
        d = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = d.argmin(axis=1)
        for c in range(2):
            if (nearest == c).any():
                centres[c] = points[nearest == c].mean(axis=0)
    return centres, nearest


@case((np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]), 0), (np.ones((4, 4), dtype=int), 2))
def breadth_first_by_masks(graph, start):
    n = len(graph)
    distance = np.full(n, -1)
    distance[start] = 0
    for step in range(n):
        frontier = np.flatnonzero(distance == step)
        if frontier.size == 0:
            break
        reached = graph[frontier].any(axis=0) & (distance < 0)
        distance[reached] = step + 1
    return distance


@case((S, 3), (-S, 3), (S * 0, 2))
def azimuthal_means(image, bins):
    y, x = np.indices(image.shape)
    r = np.sqrt((x - 1.5) ** 2 + (y - 1.5) ** 2).astype(int)
    out = np.zeros(3)
    for k in range(bins):
        ring = image[r == k]
        out[k] = ring.mean() if ring.size else -1.0
    return out


@case((V,), (W,), (NOTHING,))
def quicksort_partition(a):
    p = a[0]
    return np.concatenate([a[a < p], a[a == p], a[a > p]])


@case((N,), (N * 0,))
def moved_zeros(a):
    n = np.count_nonzero(a)
    a[:n] = a[a != 0]
    a[n:] = 0
    return a


@case((30,), (2,), (40,))
def primes_by_nonzero(n):
    sieve = np.ones(41, dtype=bool)
    sieve[:2] = False
    for i in range(2, 7):
        if sieve[i]:
            sieve[i * i :: i] = False
    p = np.flatnonzero(sieve)
    return p[p <= n], p[p <= n].sum()


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_masks(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs + hoped.programs)
def test_masks_with_no_argument_static(program: Worded) -> None:
    program.check_run_time()
