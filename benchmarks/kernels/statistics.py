"""Statistics."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def covariance(samples):
    """The covariances of the columns."""
    centred = samples - samples.mean(axis=0)
    return centred.T @ centred / (samples.shape[0] - 1)


def k_means(points, centres, steps):
    """Lloyd's algorithm; a centre without points stays where it is."""
    for _ in range(steps):
        squared = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = np.argmin(squared, axis=1)
        member = (nearest[:, None] == np.arange(centres.shape[0])[None, :]).astype(points.dtype)
        counts = member.sum(axis=0)
        means = (member.T @ points) / np.maximum(counts, 1.0)[:, None]
        centres = np.where(counts[:, None] > 0, means, centres)
    return centres, nearest


def kernel_density(samples, at, width):
    """A Gaussian estimate of a density."""
    z = (at[:, None] - samples[None, :]) / width
    return np.exp(-0.5 * z * z).sum(axis=1) / (samples.shape[0] * width * np.sqrt(2.0 * np.pi))


def histogram_loops(x, bins, low, high):
    """Counts of equal bins, value by value."""
    counts = np.zeros(bins, dtype=np.int64)
    for i in range(x.shape[0]):
        if low <= x[i] < high:
            counts[int((x[i] - low) / (high - low) * bins)] += 1
    return counts


def running_moments(x):
    """Welford's running mean and variance."""
    mean = 0.0
    squares = 0.0
    out = np.zeros((x.shape[0], 2))
    for i in range(x.shape[0]):
        difference = x[i] - mean
        mean += difference / (i + 1)
        squares += difference * (x[i] - mean)
        out[i, 0] = mean
        out[i, 1] = squares / (i + 1)
    return out


def logistic_regression(x, y, steps):
    """Newton's method for a logistic regression."""
    weights = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1.0 / (1.0 + np.exp(-(x @ weights)))
        hessian = (x.T * (p * (1.0 - p))) @ x + 1e-3 * np.eye(x.shape[1])
        weights = weights + np.linalg.solve(hessian, x.T @ (y - p) - 1e-3 * weights)
    return weights


def spearman(x, y):
    """The correlation of ranks."""
    a = np.argsort(np.argsort(x)).astype(np.float64)
    b = np.argsort(np.argsort(y)).astype(np.float64)
    a = a - a.mean()
    b = b - b.mean()
    return (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())


def resampled(x, points, heights, edges):
    """Heights between sample points at any places, and their means by bins."""
    y = np.interp(x, points, heights)
    places = np.digitize(x, edges)
    sums = np.bincount(places, y, minlength=len(edges) + 1)
    return y, sums / np.maximum(np.bincount(places, minlength=len(edges) + 1), 1)


def resampled_arguments(n):
    """So many places, a tenth of so many sample points, and bins of equal width."""
    rng = generator()
    points = np.sort(rng.random(max(n // 10, 2)))
    return rng.random(n), points, rng.random(len(points)), np.linspace(0.0, 1.0, max(n // 200, 4))


def top_scores(scores, k):
    """The places of the k greatest of each row, and these, the greatest first."""
    best = np.argpartition(-scores, k, axis=1)[:, :k]
    found = np.take_along_axis(scores, best, axis=1)
    order = np.argsort(-found, axis=1)
    return np.take_along_axis(best, order, axis=1), np.take_along_axis(found, order, axis=1)


KERNELS = (
    Kernel(
        covariance,
        "arrays",
        lambda n, k: (generator().random((n, k)),),
        (6, 3),
        (200, 20),
        (5000, 60),
        same_in_jax=True,
    ),
    Kernel(
        k_means,
        "arrays",
        lambda n, k, steps: (generator().random((n, 3)), generator().random((n, 3))[:k] + 0.01, steps),
        (8, 2, 2),
        (60, 4, 4),
        (10_000, 16, 8),
    ),
    Kernel(
        kernel_density,
        "arrays",
        lambda n, m: (generator().standard_normal(n), np.linspace(-3.0, 3.0, m), 0.3),
        (6, 3),
        (80, 40),
        (1500, 600),
        same_in_jax=True,
    ),
    Kernel(
        histogram_loops, "elements", lambda n: (generator().standard_normal(n), 32, -3.0, 3.0), (8,), (300,), (150_000,)
    ),
    Kernel(running_moments, "elements", lambda n: (generator().random(n),), (8,), (300,), (100_000,)),
    Kernel(
        logistic_regression,
        "arrays",
        lambda n, k, steps: (generator().standard_normal((n, k)), (generator().random(n) > 0.5) * 1.0, steps),
        (12, 2, 2),
        (100, 5, 4),
        (4000, 12, 5),
    ),
    Kernel(resampled, "arrays", resampled_arguments, (20,), (400,), (100_000,)),
    Kernel(
        top_scores, "arrays", lambda m, n, k: (generator().random((m, n)), k), (3, 8, 2), (4, 200, 5), (400, 1000, 10)
    ),
    Kernel(spearman, "arrays", lambda n: (*generator().random((2, n)),), (6,), (500,), (100_000,)),
)
