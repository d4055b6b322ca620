"""Dynamic programming."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def knapsack(weights, values, capacity):
    """The most valuable load, item by item and weight by weight."""
    best = np.zeros(capacity + 1)
    for i in range(weights.shape[0]):
        for w in range(capacity, weights[i] - 1, -1):
            best[w] = max(best[w], best[w - weights[i]] + values[i])
    return best[capacity]


def knapsack_rows(weights, values, capacity):
    """The most valuable load, a row of all weights for each item."""
    best = np.zeros(capacity + 1)
    for i in range(weights.shape[0]):
        w = weights[i]
        best[w:] = np.maximum(best[w:], best[: capacity + 1 - w] + values[i])
    return best


def coin_change(coins, amount):
    """In how many ways an amount is paid, modulo a large number."""
    ways = np.zeros(amount + 1, dtype=np.int64)
    ways[0] = 1
    for i in range(coins.shape[0]):
        for a in range(coins[i], amount + 1):
            ways[a] = (ways[a] + ways[a - coins[i]]) % 1_000_000_007
    return ways[amount]


def matrix_chain(sizes):
    """The fewest multiplications for a chain of matrix products."""
    n = sizes.shape[0] - 1
    cost = np.zeros((n, n), dtype=np.int64)
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            best = cost[i, i] + cost[i + 1, j] + sizes[i] * sizes[i + 1] * sizes[j + 1]
            for k in range(i + 1, j):
                best = min(best, cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1])
            cost[i, j] = best
    return cost[0, n - 1]


def increasing_subsequence(x):
    """The length of the longest increasing subsequence, by binary search."""
    tails = np.zeros(x.shape[0])
    size = 0
    for i in range(x.shape[0]):
        low = 0
        high = size
        while low < high:
            middle = (low + high) // 2
            if tails[middle] < x[i]:
                low = middle + 1
            else:
                high = middle
        tails[low] = x[i]
        if low == size:
            size += 1
    return size


def viterbi(start, transition, emission, observed):
    """The likeliest path of a hidden Markov model."""
    n = observed.shape[0]
    back = np.zeros((n, start.shape[0]), dtype=np.int64)
    score = start + emission[:, observed[0]]
    for t in range(1, n):
        candidates = score[:, None] + transition
        back[t] = np.argmax(candidates, axis=0)
        score = np.max(candidates, axis=0) + emission[:, observed[t]]
    path = np.zeros(n, dtype=np.int64)
    path[n - 1] = np.argmax(score)
    for t in range(n - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return path


def time_warping(a, b):
    """The cost of the best alignment of two series."""
    m, n = a.shape[0], b.shape[0]
    cost = np.full((m + 1, n + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(m):
        for j in range(n):
            step = min(cost[i, j], cost[i, j + 1], cost[i + 1, j])
            cost[i + 1, j + 1] = abs(a[i] - b[j]) + step
    return cost[m, n]


KERNELS = (
    Kernel(
        knapsack,
        "elements",
        lambda n, c: (generator().integers(1, 20, n), generator().random(n), c),
        (4, 25),
        (10, 60),
        (100, 1500),
    ),
    Kernel(
        knapsack_rows,
        "arrays",
        lambda n, c: (generator().integers(1, 20, n), generator().random(n), c),
        (4, 25),
        (20, 200),
        (300, 20_000),
    ),
    Kernel(
        coin_change,
        "elements",
        lambda amount: (np.array([1, 2, 5, 10, 20, 50, 100, 200]), amount),
        (30,),
        (100,),
        (20_000,),
    ),
    Kernel(matrix_chain, "elements", lambda n: (generator().integers(1, 50, n + 1),), (5,), (12,), (90,)),
    Kernel(increasing_subsequence, "elements", lambda n: (generator().random(n),), (8,), (100,), (30_000,)),
    Kernel(
        viterbi,
        "arrays",
        lambda k, n: (
            *np.log(generator().random((1, k))),
            *np.log(generator().random((2, k, k))),
            generator().integers(0, k, n),
        ),
        (3, 4),
        (6, 15),
        (24, 2000),
    ),
    Kernel(
        time_warping,
        "elements",
        lambda m, n: (generator().random(m), generator().standard_normal(n)),
        (5, 6),
        (16, 20),
        (300, 320),
    ),
)
