"""Statistics."""

from __future__ import annotations

import itertools
import math

import numpy as np

from tests.programs.science.table import program


def _sample(n=30, seed=0):
    return np.random.default_rng(seed).normal(5.0, 2.0, n)


@program(lambda: (_sample(), 60, 1))
def bootstrap_interval(data, rounds, seed):
    rng = np.random.default_rng(seed)
    means = np.empty(rounds)
    for b in range(rounds):
        means[b] = rng.choice(data, size=len(data), replace=True).mean()
    means.sort()
    return means[int(0.025 * rounds)], means[int(0.975 * rounds)], means.std(ddof=1)


@program(lambda: (_sample(12), _sample(10, 1) + 1, 60, 2))
def permutation_test(a, b, rounds, seed):
    rng = np.random.RandomState(seed)
    observed = abs(a.mean() - b.mean())
    pooled = np.concatenate([a, b])
    extreme = 0
    for _ in range(rounds):
        rng.shuffle(pooled)
        if abs(pooled[: len(a)].mean() - pooled[len(a) :].mean()) >= observed:
            extreme += 1
    return (extreme + 1) / (rounds + 1), observed


@program(lambda: (_sample(20, 3), np.linspace(0, 10, 11)), lambda: (_sample(20, 4), np.linspace(0, 10, 11)))
def kernel_density(data, grid):
    q75, q25 = np.percentile(data, [75, 25])
    h = 0.9 * min(data.std(ddof=1), (q75 - q25) / 1.34) * len(data) ** -0.2
    density = np.zeros_like(grid)
    for x in data:
        density += np.exp(-0.5 * ((grid - x) / h) ** 2)
    return density / (len(data) * h * np.sqrt(2 * np.pi)), h


@program(lambda: (np.column_stack([_sample(25, 5), _sample(25, 6)]), _sample(25, 7)))
def ordinary_least_squares(x, y):
    design = np.column_stack([np.ones(len(x)), x])
    beta, residual_ss, rank, _ = np.linalg.lstsq(design, y, rcond=None)
    residuals = y - design @ beta
    dof = len(y) - design.shape[1]
    sigma2 = residuals @ residuals / dof
    se = np.sqrt(np.diag(sigma2 * np.linalg.inv(design.T @ design)))
    r2 = 1 - residuals @ residuals / ((y - y.mean()) ** 2).sum()
    return beta, se, beta / se, r2, rank


@program(lambda: (np.column_stack([np.ones(20), _sample(20, 8) - 5]), (_sample(20, 9) > 5).astype(float), 1e-8))
def logistic_regression_irls(x, y, tol):
    beta = np.zeros(x.shape[1])
    for iteration in range(25):
        p = 1 / (1 + np.exp(-x @ beta))
        w = p * (1 - p)
        hessian = x.T @ (w[:, None] * x)
        step = np.linalg.solve(hessian, x.T @ (y - p))
        beta = beta + step
        if np.max(np.abs(step)) < tol:
            break
    log_likelihood = np.sum(y * np.log(p) + (1 - y) * np.log1p(-p))
    return beta, log_likelihood, iteration


@program(lambda: (_sample(40, 10).reshape(10, 4), 0.9))
def pca(data, keep):
    centred = data - data.mean(axis=0)
    u, s, vt = np.linalg.svd(centred, full_matrices=False)
    explained = s**2 / (s**2).sum()
    total, k = 0.0, 0
    while total < keep:
        total += explained[k]
        k += 1
    for i in range(len(vt)):
        if vt[i, np.argmax(np.abs(vt[i]))] < 0:
            vt[i] *= -1
    return explained, k, np.round(vt, 9)


@program(lambda: (np.concatenate([_sample(15, 11), _sample(15, 12) + 9]), 2, 1e-6))
def em_gaussian_mixture(x, k, tol):
    mu = np.array([x.min(), x.max()])
    sigma = np.full(k, x.std())
    weight = np.full(k, 1 / k)
    old = -np.inf
    for iteration in range(60):
        dens = np.empty((len(x), k))
        for j in range(k):
            dens[:, j] = weight[j] * np.exp(-0.5 * ((x - mu[j]) / sigma[j]) ** 2) / (sigma[j] * np.sqrt(2 * np.pi))
        total = dens.sum(axis=1)
        r = dens / total[:, None]
        n = r.sum(axis=0)
        weight = n / len(x)
        mu = (r * x[:, None]).sum(axis=0) / n
        sigma = np.sqrt((r * (x[:, None] - mu) ** 2).sum(axis=0) / n)
        ll = np.log(total).sum()
        if ll - old < tol:
            break
        old = ll
    return mu, sigma, weight, iteration


@program(lambda: (_sample(12, 13), _sample(12, 14)))
def spearman(a, b):
    def rank(v):
        order = v.argsort()
        r = np.empty(len(v))
        r[order] = np.arange(1, len(v) + 1)
        return r

    ra, rb = rank(a), rank(b)
    rho = 1 - 6 * ((ra - rb) ** 2).sum() / (len(a) * (len(a) ** 2 - 1))
    concordant = discordant = 0
    for i, j in itertools.combinations(range(len(a)), 2):
        s = (a[i] - a[j]) * (b[i] - b[j])
        if s > 0:
            concordant += 1
        elif s < 0:
            discordant += 1
    return rho, (concordant - discordant) / (concordant + discordant)


@program(lambda: (_sample(30, 15), 6))
def histogram_by_hand(data, bins):
    lo, hi = min(data), max(data)
    width = (hi - lo) / bins
    counts = [0] * bins
    for v in data:
        k = min(int((v - lo) / width), bins - 1)
        counts[k] += 1
    bars = ["*" * c for c in counts]
    return counts, [lo + i * width for i in range(bins + 1)], bars


@program(lambda: (_sample(20, 16).tolist(),), lambda: ([],))
def welford(values):
    n, mean, m2 = 0, 0.0, 0.0
    for v in values:
        n += 1
        delta = v - mean
        mean += delta / n
        m2 += delta * (v - mean)
    if n < 2:
        return None
    return n, mean, math.sqrt(m2 / (n - 1))


@program(lambda: (_sample(10, 17), _sample(10, 18), _sample(10, 19) + 2))
def one_way_anova(*groups):
    everything = np.concatenate(groups)
    grand = everything.mean()
    between = sum(len(g) * (g.mean() - grand) ** 2 for g in groups)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups)
    df1, df2 = len(groups) - 1, len(everything) - len(groups)
    return (between / df1) / (within / df2), df1, df2


@program(lambda: (np.array([[20, 15], [10, 30]]),), lambda: (np.array([[1, 2, 3], [3, 2, 1]]),))
def chi_square(table):
    rows, columns, total = table.sum(axis=1), table.sum(axis=0), table.sum()
    statistic = 0.0
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            expected = rows[i] * columns[j] / total
            if expected < 5:
                continue
            statistic += (table[i, j] - expected) ** 2 / expected
    return statistic, (table.shape[0] - 1) * (table.shape[1] - 1)


@program(lambda: (_sample(15, 20), 3.0))
def iterative_outlier_removal(data, cutoff):
    removed = []
    while len(data) > 3:
        z = np.abs(data - np.median(data)) / (1.4826 * np.median(np.abs(data - np.median(data))))
        worst = z.argmax()
        if z[worst] < cutoff - 1:
            break
        removed.append(data[worst])
        data = np.delete(data, worst)
    return len(data), removed


@program(lambda: (np.array([6.0, 5.0, 8.0, 9.0]), np.array([1, 0, 1, 1]), [2.0, 5.5, 8.5]))
def kaplan_meier(times, observed, query):
    order = np.argsort(times)
    survival, curve = 1.0, []
    at_risk = len(times)
    for i in order:
        if observed[i]:
            survival *= 1 - 1 / at_risk
            curve.append((times[i], survival))
        at_risk -= 1
    out = []
    for q in query:
        s = 1.0
        for t, v in curve:
            if t <= q:
                s = v
        out.append(s)
    return curve, out
