"""Clustering."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tests.programs.science.table import program


def _points(seed=0, per=8):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(c, 0.4, (per, 2)) for c in ((0, 0), (4, 4), (0, 5))])


@program(lambda: (_points(), 3, 50, 1), lambda: (_points(1), 3, 50, 2))
def kmeans(points, k, max_iter, seed):
    rng = np.random.default_rng(seed)
    centres = points[rng.choice(len(points), k, replace=False)]
    for it in range(max_iter):
        distances = ((points[:, None] - centres[None]) ** 2).sum(axis=2)
        labels = distances.argmin(axis=1)
        new = np.array([points[labels == j].mean(axis=0) if np.any(labels == j) else centres[j] for j in range(k)])
        if np.allclose(new, centres):
            break
        centres = new
    inertia = distances.min(axis=1).sum()
    return labels, centres, inertia, it


@program(lambda: (_points().tolist(), [[0.0, 1.0], [3.0, 3.0]]))
def kmeans_lists(points, centres):
    assignment = None
    while True:
        new = []
        for p in points:
            best, best_d = None, float("inf")
            for j, c in enumerate(centres):
                d = sum((a - b) ** 2 for a, b in zip(p, c))
                if d < best_d:
                    best, best_d = j, d
            new.append(best)
        if new == assignment:
            break
        assignment = new
        for j in range(len(centres)):
            members = [p for p, a in zip(points, assignment) if a == j]
            if members:
                centres[j] = [sum(col) / len(members) for col in zip(*members)]
    return assignment, centres


@program(lambda: (_points(2), 0.7, 4))
def dbscan(points, eps, min_samples):
    n = len(points)
    labels = np.full(n, -1)
    visited = np.zeros(n, bool)
    cluster = 0
    for i in range(n):
        if visited[i]:
            continue
        visited[i] = True
        neighbours = np.flatnonzero(np.linalg.norm(points - points[i], axis=1) <= eps)
        if len(neighbours) < min_samples:
            continue
        labels[i] = cluster
        queue = list(neighbours)
        while queue:
            j = queue.pop()
            if not visited[j]:
                visited[j] = True
                more = np.flatnonzero(np.linalg.norm(points - points[j], axis=1) <= eps)
                if len(more) >= min_samples:
                    queue.extend(more)
            if labels[j] == -1:
                labels[j] = cluster
        cluster += 1
    return labels, cluster


@program(lambda: (_points(3, 4), 3))
def agglomerative_single_link(points, k):
    clusters = [[i] for i in range(len(points))]
    merges = []
    while len(clusters) > k:
        best = (float("inf"), -1, -1)
        for a in range(len(clusters)):
            for b in range(a + 1, len(clusters)):
                d = min(np.hypot(*(points[i] - points[j])) for i in clusters[a] for j in clusters[b])
                if d < best[0]:
                    best = (d, a, b)
        d, a, b = best
        clusters[a] = clusters[a] + clusters[b]
        del clusters[b]
        merges.append(float(d))
    return [sorted(c) for c in clusters], merges


@program(lambda: (_points(4, 6), [0, 7, 13], 10))
def k_medoids(points, medoids, rounds):
    distance = np.abs(points[:, None, :] - points[None, :, :]).sum(-1)
    for _ in range(rounds):
        labels = np.argmin(distance[:, medoids], axis=1)
        changed = False
        for j in range(len(medoids)):
            members = np.where(labels == j)[0]
            costs = distance[np.ix_(members, members)].sum(axis=1)
            candidate = members[costs.argmin()]
            if candidate != medoids[j]:
                medoids[j] = int(candidate)
                changed = True
        if not changed:
            break
    return medoids, labels


@program(lambda: (_points(5), 1.5, 1e-4))
def mean_shift(points, bandwidth, tol):
    modes = []
    for p in points:
        x = p.copy()
        for _ in range(100):
            w = np.exp(-((points - x) ** 2).sum(1) / (2 * bandwidth**2))
            new = (w[:, None] * points).sum(0) / w.sum()
            if np.linalg.norm(new - x) < tol:
                break
            x = new
        for m in modes:
            if np.linalg.norm(m - x) < 0.5:
                break
        else:
            modes.append(x)
    return len(modes), np.array(modes)


@program(lambda: (_points(6, 5), np.repeat([0, 1, 2], 5)))
def silhouette(points, labels):
    d = np.sqrt(((points[:, None] - points) ** 2).sum(-1))
    scores = np.zeros(len(points))
    for i in range(len(points)):
        same = labels == labels[i]
        a = d[i, same].sum() / (same.sum() - 1)
        b = min(d[i, labels == other].mean() for other in range(3) if other != labels[i])
        scores[i] = (b - a) / max(a, b)
    return scores.mean(), scores


@program(lambda: (_points(7), np.array([0.2, 0.1]), 5))
def knn_vote(points, query, k):
    names = ["red"] * 8 + ["green"] * 8 + ["blue"] * 8
    order = sorted(range(len(points)), key=lambda i: float(np.sum((points[i] - query) ** 2)))
    votes = Counter(names[i] for i in order[:k])
    return votes.most_common(1)[0], order[:k]


@program(lambda: (_points(8), 4, 0.5))
def online_kmeans(points, k, rate):
    centres = [points[i].copy() for i in range(k)]
    counts = [1] * k
    for p in points[k:]:
        j = min(range(k), key=lambda c: ((p - centres[c]) ** 2).sum())
        counts[j] += 1
        centres[j] += (p - centres[j]) * max(rate / counts[j], 0.05)
    return centres, counts


@program(lambda: (_points(9, 5), 3, 4))
def kmeans_plus_plus(points, k, seed):
    rng = np.random.default_rng(seed)
    centres = [points[rng.integers(len(points))]]
    while len(centres) < k:
        d2 = np.min([((points - c) ** 2).sum(axis=1) for c in centres], axis=0)
        cumulative = np.cumsum(d2 / d2.sum())
        r = rng.random()
        for j, p in enumerate(cumulative):
            if r < p:
                centres.append(points[j])
                break
    return np.stack(centres)


@program(lambda: (_points(10, 4), 4, 4, 0.3))
def self_organising_map(points, w, h, rate):
    rng = np.random.default_rng(0)
    weights = rng.random((w, h, 2))
    for step, p in enumerate(points):
        d = np.linalg.norm(weights - p, axis=2)
        bi, bj = np.unravel_index(np.argmin(d), d.shape)
        radius = 2.0 * np.exp(-step / 10)
        for i in range(w):
            for j in range(h):
                grid = (i - bi) ** 2 + (j - bj) ** 2
                if grid <= radius**2:
                    weights[i, j] += rate * np.exp(-grid / (2 * radius**2)) * (p - weights[i, j])
    return weights
