"""Linear algebra by hand: direct, iterative and multigrid solvers, eigenvalues."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tests.programs.science.table import program


def _spd(n=5, seed=0):
    a = np.random.default_rng(seed).normal(size=(n, n))
    return a @ a.T + n * np.eye(n), np.arange(1.0, n + 1)


@program(lambda: (*_spd(), 1e-10, 200))
def jacobi(a, b, tol, max_iter):
    x = np.zeros_like(b)
    d = np.diag(a)
    r = a - np.diagflat(d)
    for k in range(max_iter):
        new = (b - r @ x) / d
        if np.linalg.norm(new - x, ord=np.inf) < tol:
            return new, k
        x = new
    return x, max_iter


@program(lambda: (*_spd(), 1.2, 1e-10))
def sor(a, b, omega, tol):
    n = len(b)
    x = [0.0] * n
    sweeps = 0
    while True:
        change = 0.0
        for i in range(n):
            s = sum(a[i][j] * x[j] for j in range(n) if j != i)
            new = (1 - omega) * x[i] + omega * (b[i] - s) / a[i][i]
            change = max(change, abs(new - x[i]))
            x[i] = new
        sweeps += 1
        if change < tol or sweeps > 100:
            break
    return x, sweeps


@program(lambda: (*_spd(6, 1), 1e-10))
def conjugate_gradient(a, b, tol):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    for i in range(len(b)):
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if np.sqrt(new) < tol:
            break
        p = r + (new / rs) * p
        rs = new
    return np.round(x, 9), i


@program(lambda: (*_spd(5, 2), 5))
def gmres(a, b, m):
    n = len(b)
    q = np.zeros((n, m + 1))
    h = np.zeros((m + 1, m))
    beta = np.linalg.norm(b)
    q[:, 0] = b / beta
    for k in range(m):
        v = a @ q[:, k]
        for j in range(k + 1):
            h[j, k] = q[:, j] @ v
            v = v - h[j, k] * q[:, j]
        h[k + 1, k] = np.linalg.norm(v)
        if h[k + 1, k] < 1e-10:
            m = k + 1
            break
        q[:, k + 1] = v / h[k + 1, k]
    e = np.zeros(m + 1)
    e[0] = beta
    y, *_ = np.linalg.lstsq(h[: m + 1, :m], e, rcond=None)
    return np.round(q[:, :m] @ y, 8)


@program(lambda: (_spd(4, 3)[0], 1e-12, 500))
def power_iteration(a, tol, max_iter):
    v = np.ones(a.shape[0]) / np.sqrt(a.shape[0])
    old = 0.0
    for k in range(max_iter):
        w = a @ v
        value = v @ w
        v = w / np.linalg.norm(w)
        if abs(value - old) < tol * abs(value):
            break
        old = value
    return round(value, 8), k < max_iter - 1


@program(
    lambda: (np.array([[2.0, 1, 1], [4, 3, 3], [8, 7, 9]]), np.array([1.0, 2.0, 5.0])),
    lambda: (np.zeros((2, 2)), np.ones(2)),
)
def lu_with_pivoting(a, b):
    a = a.copy()
    n = len(a)
    perm = list(range(n))
    for k in range(n):
        p = k + int(np.argmax(np.abs(a[k:, k])))
        if a[p, k] == 0:
            raise np.linalg.LinAlgError("singular matrix")
        if p != k:
            a[[k, p]] = a[[p, k]]
            perm[k], perm[p] = perm[p], perm[k]
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    y = np.zeros(n)
    for i in range(n):
        y[i] = b[perm[i]] - a[i, :i] @ y[:i]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x, perm, a


@program(lambda: ([[2.0, 1.0, -1.0], [-3.0, -1.0, 2.0], [-2.0, 1.0, 2.0]], [8.0, -11.0, -3.0]))
def gauss_jordan_lists(a, b):
    n = len(b)
    m = [row[:] + [v] for row, v in zip(a, b)]
    for col in range(n):
        pivot = max(range(col, n), key=lambda r: abs(m[r][col]))
        m[col], m[pivot] = m[pivot], m[col]
        factor = m[col][col]
        m[col] = [v / factor for v in m[col]]
        for r in range(n):
            if r != col:
                f = m[r][col]
                m[r] = [x - f * y for x, y in zip(m[r], m[col])]
    return [row[-1] for row in m]


@program(lambda: (_spd(4, 4)[0][:, :3],))
def householder_qr(a):
    m, n = a.shape
    q, r = np.eye(m), a.copy()
    for k in range(min(m - 1, n)):
        x = r[k:, k]
        v = x.copy()
        v[0] += np.copysign(np.linalg.norm(x), x[0])
        v /= np.linalg.norm(v)
        r[k:] -= 2 * np.outer(v, v @ r[k:])
        q[:, k:] -= 2 * np.outer(q[:, k:] @ v, v)
    return np.round(q, 9), np.round(r, 9)


@program(lambda: (15, 3), lambda: (31, 2))
def multigrid_poisson(n, cycles):
    def smooth(u, f, h, sweeps):
        for _ in range(sweeps):
            u[1:-1] = u[1:-1] + 0.6667 * (0.5 * (u[:-2] + u[2:] + h * h * f[1:-1]) - u[1:-1])
        return u

    def v_cycle(u, f, h):
        if len(u) <= 3:
            u[1] = 0.5 * (u[0] + u[2] + h * h * f[1])
            return u
        u = smooth(u, f, h, 3)
        r = np.zeros_like(u)
        r[1:-1] = f[1:-1] - (2 * u[1:-1] - u[:-2] - u[2:]) / (h * h)
        coarse = np.zeros((len(u) + 1) // 2)
        coarse[1:-1] = 0.25 * (r[1:-3:2] + 2 * r[2:-2:2] + r[3:-1:2])
        e = v_cycle(np.zeros_like(coarse), coarse, 2 * h)
        u[::2] += e
        u[1::2] += 0.5 * (e[:-1] + e[1:])
        return smooth(u, f, h, 3)

    x = np.linspace(0, 1, n + 2)
    f = np.pi**2 * np.sin(np.pi * x)
    u = np.zeros_like(x)
    for _ in range(cycles):
        u = v_cycle(u, f, x[1] - x[0])
    return np.round(u, 9), np.abs(u - np.sin(np.pi * x)).max() < 1e-2


@program(lambda: (np.full(5, -1.0), np.full(6, 2.5), np.full(5, -1.0), np.arange(6.0)))
def thomas_tridiagonal(lower, diagonal, upper, rhs):
    n = len(diagonal)
    c, d = np.zeros(n - 1), np.zeros(n)
    c[0] = upper[0] / diagonal[0]
    d[0] = rhs[0] / diagonal[0]
    for i in range(1, n):
        denominator = diagonal[i] - lower[i - 1] * c[i - 1]
        if i < n - 1:
            c[i] = upper[i] / denominator
        d[i] = (rhs[i] - lower[i - 1] * d[i - 1]) / denominator
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


@program(lambda: (_spd(4, 5)[0],))
def cholesky_by_hand(a):
    n = len(a)
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = sum(low[i, k] * low[j, k] for k in range(j))
            if i == j:
                if a[i, i] - s <= 0:
                    raise ValueError("not positive definite")
                low[i, j] = (a[i, i] - s) ** 0.5
            else:
                low[i, j] = (a[i, j] - s) / low[j, j]
    return low


@program(lambda: (_spd(3, 6)[0], 1e-10))
def jacobi_eigenvalues(a, tol):
    n = len(a)
    v = np.eye(n)
    for rotation in range(100):
        off = np.abs(a - np.diag(np.diag(a)))
        p, q = divmod(int(off.argmax()), n)
        if off[p, q] < tol:
            break
        theta = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
        c, s = np.cos(theta), np.sin(theta)
        j = np.eye(n)
        j[p, p] = j[q, q] = c
        j[p, q], j[q, p] = s, -s
        a = j.T @ a @ j
        v = v @ j
    return np.round(np.sort(np.diag(a)), 8), rotation < 99


@program(lambda: ([[1, 2], [3, 5]], [7, 18]))
def exact_solution_in_fractions(a, b):
    n = len(b)
    rows = [[Fraction(v) for v in row] + [Fraction(c)] for row, c in zip(a, b)]
    for i in range(n):
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for j in range(n):
            if j != i:
                rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i])]
    return [(r[-1].numerator, r[-1].denominator) for r in rows]
