"""Computational geometry."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from tests.programs.science.table import program


def _cloud(n=14, seed=0):
    return np.random.default_rng(seed).random((n, 2)).round(3)


def cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


@program(lambda: ([tuple(p) for p in _cloud().tolist()],))
def monotone_chain(points):
    points = sorted(set(points))
    if len(points) <= 1:
        return points
    lower = []
    for p in points:
        while len(lower) >= 2 and cross(lower[-2], lower[-1], p) <= 0:
            lower.pop()
        lower.append(p)
    upper = []
    for p in reversed(points):
        while len(upper) >= 2 and cross(upper[-2], upper[-1], p) <= 0:
            upper.pop()
        upper.append(p)
    return lower[:-1] + upper[:-1]


@program(lambda: (_cloud(12, 1),), lambda: (_cloud(12, 2),))
def gift_wrapping(points):
    n = len(points)
    start = int(np.lexsort((points[:, 1], points[:, 0]))[0])
    hull = []
    current = start
    while True:
        hull.append(current)
        candidate = (current + 1) % n
        for i in range(n):
            if cross(points[current], points[i], points[candidate]) > 0:
                candidate = i
        current = candidate
        if current == start:
            break
    return hull


@program(
    lambda: (np.array([[0, 0], [4, 0], [4, 3], [2, 1], [0, 3.0]]), 1.0, 1.0),
    lambda: (np.array([[0, 0], [4, 0], [4, 3], [2, 1], [0, 3.0]]), 2.0, 2.0),
)
def point_in_polygon(polygon, x, y):
    inside = False
    j = len(polygon) - 1
    for i in range(len(polygon)):
        xi, yi = polygon[i]
        xj, yj = polygon[j]
        if (yi > y) != (yj > y) and x < (xj - xi) * (y - yi) / (yj - yi) + xi:
            inside = not inside
        j = i
    return inside


@program(
    lambda: ((-1.0, 0.5), (3.0, 2.5), (0.0, 0.0, 2.0, 2.0)), lambda: ((3.0, 3.0), (5.0, 4.0), (0.0, 0.0, 2.0, 2.0))
)
def cohen_sutherland(p, q, window):
    left, bottom, right, top = window

    def code(x, y):
        c = 0
        if x < left:
            c |= 1
        elif x > right:
            c |= 2
        if y < bottom:
            c |= 4
        elif y > top:
            c |= 8
        return c

    (x0, y0), (x1, y1) = p, q
    c0, c1 = code(x0, y0), code(x1, y1)
    while True:
        if not c0 | c1:
            return (x0, y0), (x1, y1)
        if c0 & c1:
            return None
        out = c0 or c1
        if out & 8:
            x, y = x0 + (x1 - x0) * (top - y0) / (y1 - y0), top
        elif out & 4:
            x, y = x0 + (x1 - x0) * (bottom - y0) / (y1 - y0), bottom
        elif out & 2:
            x, y = right, y0 + (y1 - y0) * (right - x0) / (x1 - x0)
        else:
            x, y = left, y0 + (y1 - y0) * (left - x0) / (x1 - x0)
        if out == c0:
            x0, y0 = x, y
            c0 = code(x0, y0)
        else:
            x1, y1 = x, y
            c1 = code(x1, y1)


@program(
    lambda: (
        [(50.0, 150.0), (200.0, 50.0), (350.0, 150.0), (250.0, 300.0)],
        [(100, 100), (300, 100), (300, 250), (100, 250)],
    )
)
def sutherland_hodgman(subject, clip):
    def inside(p, a, b):
        return cross(a, b, p) >= 0

    def meet(p, q, a, b):
        d1, d2 = cross(a, b, p), cross(a, b, q)
        t = d1 / (d1 - d2)
        return (p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]))

    output = subject
    for a, b in zip(clip, clip[1:] + clip[:1]):
        points, output = output, []
        if not points:
            break
        s = points[-1]
        for e in points:
            if inside(e, a, b):
                if not inside(s, a, b):
                    output.append(meet(s, e, a, b))
                output.append(e)
            elif inside(s, a, b):
                output.append(meet(s, e, a, b))
            s = e
    return output


@program(lambda: (_cloud(16, 3).tolist(),))
def closest_pair_recursive(points):
    def solve(px):
        if len(px) <= 3:
            best = math.inf
            for i in range(len(px)):
                for j in range(i + 1, len(px)):
                    best = min(best, math.dist(px[i], px[j]))
            return best
        mid = len(px) // 2
        x = px[mid][0]
        d = min(solve(px[:mid]), solve(px[mid:]))
        strip = sorted((p for p in px if abs(p[0] - x) < d), key=lambda p: p[1])
        for i in range(len(strip)):
            for q in strip[i + 1 : i + 8]:
                if q[1] - strip[i][1] >= d:
                    break
                d = min(d, math.dist(strip[i], q))
        return d

    return solve(sorted(points))


@program(lambda: (_cloud(5, 4), 6))
def voronoi_grid(sites, n):
    owner = np.zeros((n, n), dtype=int)
    area = {}
    for i in range(n):
        for j in range(n):
            p = np.array([(i + 0.5) / n, (j + 0.5) / n])
            k = int(np.argmin(np.linalg.norm(sites - p, axis=1)))
            owner[i, j] = k
            area[k] = area.get(k, 0) + 1 / n**2
    return owner, area


@program(lambda: (_cloud(7, 5),))
def delaunay_brute_force(points):
    triangles = []
    n = len(points)
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                a, b, c = points[i], points[j], points[k]
                if cross(a, b, c) < 0:
                    b, c = c, b
                for m in range(n):
                    if m in (i, j, k):
                        continue
                    rows = [[*(v - points[m]), ((v - points[m]) ** 2).sum()] for v in (a, b, c)]
                    if np.linalg.det(np.array(rows)) > 0:
                        break
                else:
                    triangles.append((i, j, k))
    return triangles


class Segment(NamedTuple):
    x0: float
    y0: float
    x1: float
    y1: float

    def at(self, t):
        return self.x0 + t * (self.x1 - self.x0), self.y0 + t * (self.y1 - self.y0)


@program(
    lambda: (Segment(0.0, 0.0, 4.0, 4.0), Segment(0.0, 4.0, 4.0, 0.0)),
    lambda: (Segment(0.0, 0.0, 1.0, 1.0), Segment(2.0, 0.0, 3.0, 1.0)),
)
def segment_intersection(s, t):
    dx1, dy1 = s.x1 - s.x0, s.y1 - s.y0
    dx2, dy2 = t.x1 - t.x0, t.y1 - t.y0
    det = dx1 * dy2 - dy1 * dx2
    if det == 0:
        return None
    u = ((t.x0 - s.x0) * dy2 - (t.y0 - s.y0) * dx2) / det
    v = ((t.x0 - s.x0) * dy1 - (t.y0 - s.y0) * dx1) / det
    if 0 <= u <= 1 and 0 <= v <= 1:
        return s.at(u)
    return None


@program(lambda: (np.array([[0, 0], [1, 0.1], [2, -0.1], [3, 5], [4, 6], [5, 7], [6, 8.1], [7, 9.0]]), 0.5))
def douglas_peucker(points, eps):
    keep = np.zeros(len(points), dtype=bool)
    keep[0] = keep[-1] = True
    stack = [(0, len(points) - 1)]
    while stack:
        i, j = stack.pop()
        a, b = points[i], points[j]
        worst, where = 0.0, -1
        for k in range(i + 1, j):
            d = abs(cross(a, b, points[k])) / np.hypot(*(b - a))
            if d > worst:
                worst, where = d, k
        if worst > eps:
            keep[where] = True
            stack.append((i, where))
            stack.append((where, j))
    return points[keep], keep.sum()


@program(lambda: ([(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)],))
def polygon_moments(polygon):
    area = cx = cy = 0.0
    for (x0, y0), (x1, y1) in zip(polygon, polygon[1:] + polygon[:1]):
        c = x0 * y1 - x1 * y0
        area += c / 2
        cx += (x0 + x1) * c / 6
        cy += (y0 + y1) * c / 6
    perimeter = functools.reduce(lambda s, i: s + math.dist(polygon[i - 1], polygon[i]), range(len(polygon)), 0.0)
    return area, (cx / area, cy / area), perimeter


@program(lambda: (_cloud(9, 6), 2))
def smallest_circle(points, seed):
    rng = np.random.default_rng(seed)
    pts = points[rng.permutation(len(points))]

    def through(*p):
        if len(p) == 2:
            c = (p[0] + p[1]) / 2
        else:
            a = 2 * np.array([p[1] - p[0], p[2] - p[0]])
            b = np.array([p[1] @ p[1] - p[0] @ p[0], p[2] @ p[2] - p[0] @ p[0]])
            c = np.linalg.solve(a, b)
        return c, np.linalg.norm(c - p[0])

    centre, r = pts[0], 0.0
    for i in range(1, len(pts)):
        if np.linalg.norm(pts[i] - centre) <= r + 1e-12:
            continue
        centre, r = pts[i], 0.0
        for j in range(i):
            if np.linalg.norm(pts[j] - centre) <= r + 1e-12:
                continue
            centre, r = through(pts[i], pts[j])
            for k in range(j):
                if np.linalg.norm(pts[k] - centre) > r + 1e-12:
                    centre, r = through(pts[i], pts[j], pts[k])
    return centre, r
