"""Points, polygons and boxes."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def suppression(boxes, scores, threshold):
    """The boxes that stay, best first; a row of `boxes` has left, top, right and bottom."""
    left, top, right, bottom = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
    areas = (right - left) * (bottom - top)
    order = np.argsort(-scores)
    keep = []
    while order.size > 0:
        best = order[0]
        rest = order[1:]
        keep.append(best)
        width = np.minimum(right[best], right[rest]) - np.maximum(left[best], left[rest])
        height = np.minimum(bottom[best], bottom[rest]) - np.maximum(top[best], top[rest])
        shared = np.maximum(width, 0.0) * np.maximum(height, 0.0)
        overlap = shared / (areas[best] + areas[rest] - shared)
        order = rest[overlap <= threshold]
    return np.array(keep)


def suppression_arguments(n):
    """Boxes of which about half overlap others, and their scores, no two alike."""
    rng = generator()
    corner, size = rng.random((n, 2)) * np.sqrt(n), rng.random((n, 2)) + 1.0
    return np.concatenate([corner, corner + size], axis=1), rng.permutation(n) / n, 0.2


def pairwise_distances(a, b):
    """The distances of all pairs of points."""
    return np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2))


def points_in_polygon(x, y, px, py):
    """The points that lie in a polygon, as a mask, by the edges that a ray crosses."""
    inside = np.zeros(x.shape[0], dtype=np.bool_)
    for i in range(x.shape[0]):
        crossed = False
        j = px.shape[0] - 1
        for k in range(px.shape[0]):
            if (py[k] > y[i]) != (py[j] > y[i]):
                if x[i] < (px[j] - px[k]) * (y[i] - py[k]) / (py[j] - py[k]) + px[k]:
                    crossed = not crossed
            j = k
        inside[i] = crossed
    return inside


def haversine(latitude, longitude):
    """The distances of points on the sphere from the one after them."""
    a, b = latitude[:-1], latitude[1:]
    h = np.sin(0.5 * (b - a)) ** 2 + np.cos(a) * np.cos(b) * np.sin(0.5 * (longitude[1:] - longitude[:-1])) ** 2
    return 12742.0 * np.arcsin(np.sqrt(h))


def rotated(q, points):
    """Points turned by quaternions, one each."""
    w, v = q[:, :1], q[:, 1:]
    t = 2.0 * np.cross(v, points)
    return points + w * t + np.cross(v, t)


def convex_hull(points):
    """The corners of the hull of sorted points, by Andrew's chain, in an array that serves as a stack."""
    n = points.shape[0]
    hull = np.zeros(2 * n, dtype=np.int64)
    size = 0
    least = 2
    for step in range(2 * n - 1):
        i = step if step < n else 2 * n - 2 - step
        while size >= least:
            a, b = hull[size - 2], hull[size - 1]
            turn = (points[b, 0] - points[a, 0]) * (points[i, 1] - points[a, 1])
            turn -= (points[b, 1] - points[a, 1]) * (points[i, 0] - points[a, 0])
            if turn > 0.0:
                break
            size -= 1
        hull[size] = i
        size += 1
        if step == n - 1:
            least = size + 1
    return hull, size


def closest_pair(points):
    """The two nearest points, by trying all."""
    best = np.inf
    first = 0
    second = 0
    for i in range(points.shape[0]):
        for j in range(i + 1, points.shape[0]):
            squared = (points[i, 0] - points[j, 0]) ** 2 + (points[i, 1] - points[j, 1]) ** 2
            if squared < best:
                best = squared
                first = i
                second = j
    return np.sqrt(best), first, second


def touching_boxes(boxes, margin):
    """How many pairs of boxes come closer than a margin: low and high ends of both axes, looked at one by one."""
    count = 0
    for i in range(boxes.shape[0]):
        for j in range(i + 1, boxes.shape[0]):
            if (
                boxes[i, 0] <= boxes[j, 1] + margin
                and boxes[j, 0] <= boxes[i, 1] + margin
                and boxes[i, 2] <= boxes[j, 3] + margin
                and boxes[j, 2] <= boxes[i, 3] + margin
            ):
                count += 1
    return count


def touching_boxes_arguments(n):
    """So many boxes, some of which touch."""
    corners = generator().random((n, 2))
    return np.repeat(corners, 2, axis=1) + np.array([0.0, 0.2, 0.0, 0.2]), 0.01


KERNELS = (
    Kernel(suppression, "slices", suppression_arguments, (7,), (60,), (800,)),
    Kernel(
        pairwise_distances, "arrays", lambda n: (*generator().random((2, n, 3)),), (4,), (30,), (600,), same_in_jax=True
    ),
    Kernel(
        points_in_polygon,
        "elements",
        lambda n, k: (*generator().random((2, n)), 0.5 + 0.4 * np.cos(np.arange(k)), 0.5 + 0.4 * np.sin(np.arange(k))),
        (5, 4),
        (20, 12),
        (3000, 24),
    ),
    Kernel(haversine, "arrays", lambda n: (*generator().random((2, n)),), (6,), (1000,), (300_000,), same_in_jax=True),
    Kernel(
        rotated,
        "arrays",
        lambda n: (generator().random((n, 4)), generator().random((n, 3))),
        (4,),
        (200,),
        (100_000,),
        same_in_jax=True,
    ),
    Kernel(
        convex_hull,
        "elements",
        lambda n: (np.sort(generator().random((n, 2)).view("f8,f8"), axis=0).view("f8").reshape(n, 2),),
        (6,),
        (40,),
        (10_000,),
    ),
    Kernel(closest_pair, "elements", lambda n: (generator().random((n, 2)),), (5,), (16,), (300,)),
    Kernel(touching_boxes, "elements", touching_boxes_arguments, (5,), (24,), (1000,)),
)
