"""Interpolation, splines, quadrature and differences."""

from __future__ import annotations

import bisect
import math

import numpy as np

from tests.programs.science.table import program


def _knots():
    x = np.array([0.0, 0.7, 1.5, 2.0, 3.1, 4.0])
    return x, np.sin(x), np.linspace(-0.2, 4.2, 15)


@program(_knots)
def natural_cubic_spline(x, y, xq):
    n = len(x) - 1
    h = np.diff(x)
    alpha = np.zeros(n + 1)
    for i in range(1, n):
        alpha[i] = 3 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    low, mu, z = np.ones(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    for i in range(1, n):
        low[i] = 2 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1]
        mu[i] = h[i] / low[i]
        z[i] = (alpha[i] - h[i - 1] * z[i - 1]) / low[i]
    b, c, d = np.zeros(n), np.zeros(n + 1), np.zeros(n)
    for j in range(n - 1, -1, -1):
        c[j] = z[j] - mu[j] * c[j + 1]
        b[j] = (y[j + 1] - y[j]) / h[j] - h[j] * (c[j + 1] + 2 * c[j]) / 3
        d[j] = (c[j + 1] - c[j]) / (3 * h[j])
    out = []
    for q in xq:
        j = min(max(np.searchsorted(x, q) - 1, 0), n - 1)
        t = q - x[j]
        out.append(y[j] + t * (b[j] + t * (c[j] + t * d[j])))
    return np.array(out)


@program(lambda: (*_knots()[:2], 1.2), lambda: (*_knots()[:2], 9.0))
def linear_interpolation(x, y, q):
    if not x[0] <= q <= x[-1]:
        raise ValueError("outside of the data")
    k = bisect.bisect_right(x, q)
    if k == len(x):
        return y[-1]
    w = (q - x[k - 1]) / (x[k] - x[k - 1])
    return (1 - w) * y[k - 1] + w * y[k]


@program(lambda: ([0.0, 1.0, 2.0, 4.0], [1.0, 3.0, 2.0, 5.0], 2.5))
def lagrange(xs, ys, x):
    total = 0.0
    for i, (xi, yi) in enumerate(zip(xs, ys)):
        term = yi
        for j, xj in enumerate(xs):
            if i != j:
                term *= (x - xj) / (xi - xj)
        total += term
    return total


@program(lambda: ([0.0, 1.0, 2.0, 4.0], [1.0, 3.0, 2.0, 5.0], np.linspace(0, 4, 7)))
def newton_divided_differences(xs, ys, query):
    coef = list(ys)
    n = len(xs)
    for level in range(1, n):
        for i in range(n - 1, level - 1, -1):
            coef[i] = (coef[i] - coef[i - 1]) / (xs[i] - xs[i - level])
    value = np.full_like(query, coef[-1])
    for k in range(n - 2, -1, -1):
        value = value * (query - xs[k]) + coef[k]
    return coef, value


@program(lambda: ([(0.0, 0.0), (1.0, 2.0), (3.0, 2.0), (4.0, 0.0)], 9))
def bezier_de_casteljau(control, n):
    curve = []
    for k in range(n):
        t = k / (n - 1)
        points = control
        while len(points) > 1:
            points = [((1 - t) * x0 + t * x1, (1 - t) * y0 + t * y1) for (x0, y0), (x1, y1) in zip(points, points[1:])]
        curve.append(points[0])
    length = sum(math.dist(a, b) for a, b in zip(curve, curve[1:]))
    return curve, length


@program(lambda: (np.array([0, 0, 0, 1, 2, 3, 3, 3.0]), 2, 11))
def b_spline_basis(knots, degree, points):
    def basis(i, k, x):
        if k == 0:
            return 1.0 if knots[i] <= x < knots[i + 1] else 0.0
        left = right = 0.0
        if knots[i + k] != knots[i]:
            left = (x - knots[i]) / (knots[i + k] - knots[i]) * basis(i, k - 1, x)
        if knots[i + k + 1] != knots[i + 1]:
            right = (knots[i + k + 1] - x) / (knots[i + k + 1] - knots[i + 1]) * basis(i + 1, k - 1, x)
        return left + right

    n = len(knots) - degree - 1
    grid = np.linspace(knots[0], knots[-1] - 1e-9, points)
    return np.array([[basis(i, degree, x) for i in range(n)] for x in grid])


@program(lambda: (0.0, 3.0, 1e-7), lambda: (1.0, 2.0, 1e-4))
def adaptive_simpson(a, b, tol):
    def f(x):
        return math.exp(-x * x) + math.sin(5 * x)

    def recurse(a, fa, b, fb, m, fm, whole, tol):
        lm, rm = (a + m) / 2, (m + b) / 2
        flm, frm = f(lm), f(rm)
        left = (m - a) / 6 * (fa + 4 * flm + fm)
        right = (b - m) / 6 * (fm + 4 * frm + fb)
        delta = left + right - whole
        if abs(delta) <= 15 * tol:
            return left + right + delta / 15
        return recurse(a, fa, m, fm, lm, flm, left, tol / 2) + recurse(m, fm, b, fb, rm, frm, right, tol / 2)

    m = (a + b) / 2
    fa, fm, fb = f(a), f(m), f(b)
    return recurse(a, fa, b, fb, m, fm, (b - a) / 6 * (fa + 4 * fm + fb), tol)


@program(lambda: (0.0, 1.0, 6))
def romberg(a, b, levels):
    def f(x):
        return 4 / (1 + x * x)

    table = [[(b - a) * (f(a) + f(b)) / 2]]
    for k in range(1, levels):
        h = (b - a) / 2**k
        extra = sum(f(a + (2 * i - 1) * h) for i in range(1, 2 ** (k - 1) + 1))
        row = [table[-1][0] / 2 + h * extra]
        for j in range(1, k + 1):
            row.append(row[j - 1] + (row[j - 1] - table[-1][j - 1]) / (4**j - 1))
        table.append(row)
        if abs(row[-1] - table[-2][-1]) < 1e-9:
            break
    return table[-1][-1], len(table)


@program(lambda: (5,), lambda: (8,))
def gauss_legendre_nodes(n):
    nodes, weights = [], []
    for i in range(1, n + 1):
        x = math.cos(math.pi * (i - 0.25) / (n + 0.5))
        while True:
            p0, p1 = 1.0, x
            for k in range(2, n + 1):
                p0, p1 = p1, ((2 * k - 1) * x * p1 - (k - 1) * p0) / k
            dp = n * (x * p1 - p0) / (x * x - 1)
            dx = p1 / dp
            x -= dx
            if abs(dx) < 1e-14:
                break
        nodes.append(x)
        weights.append(2 / ((1 - x * x) * dp * dp))
    return nodes, weights


@program(_knots)
def pchip_slopes(x, y, xq):
    h = np.diff(x)
    delta = np.diff(y) / h
    d = np.zeros_like(y)
    for k in range(1, len(x) - 1):
        if delta[k - 1] * delta[k] > 0:
            w1, w2 = 2 * h[k] + h[k - 1], h[k] + 2 * h[k - 1]
            d[k] = (w1 + w2) / (w1 / delta[k - 1] + w2 / delta[k])
    d[0], d[-1] = delta[0], delta[-1]
    idx = np.clip(np.searchsorted(x, xq, side="right") - 1, 0, len(h) - 1)
    t = (xq - x[idx]) / h[idx]
    h00, h10 = (1 + 2 * t) * (1 - t) ** 2, t * (1 - t) ** 2
    h01, h11 = t * t * (3 - 2 * t), t * t * (t - 1)
    return h00 * y[idx] + h10 * h[idx] * d[idx] + h01 * y[idx + 1] + h11 * h[idx] * d[idx + 1]


@program(lambda: (np.array([1.0, 2.0, np.nan, np.nan, 5.0, np.nan, 4.0, np.nan]),))
def fill_gaps(series):
    filled = series.copy()
    good = np.flatnonzero(~np.isnan(series))
    for i in range(len(series)):
        if np.isnan(series[i]):
            before = good[good < i]
            after = good[good > i]
            if len(before) and len(after):
                a, b = before[-1], after[0]
                filled[i] = series[a] + (series[b] - series[a]) * (i - a) / (b - a)
            elif len(before):
                filled[i] = series[before[-1]]
            else:
                filled[i] = series[after[0]]
    return filled


@program(lambda: (np.linspace(0, 2, 21), 3))
def savitzky_golay_by_hand(y, half):
    y = np.cos(y)
    offsets = np.arange(-half, half + 1)
    design = np.vander(offsets, 3, increasing=True)
    coefficients = np.linalg.pinv(design)
    smooth, slope = y.copy(), np.zeros_like(y)
    for i in range(half, len(y) - half):
        window = y[i - half : i + half + 1]
        smooth[i], slope[i] = coefficients[0] @ window, coefficients[1] @ window
    return smooth, slope
