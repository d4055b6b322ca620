"""Dynamic programming, with the way back to the solution."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache

import numpy as np

from tests.programs.science.table import program


@program(lambda: ("AGGTAB", "GXTXAYB"), lambda: ("abc", "xyz"))
def longest_common_subsequence(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    i, j, out = len(a), len(b), []
    while i and j:
        if a[i - 1] == b[j - 1]:
            out.append(a[i - 1])
            i, j = i - 1, j - 1
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return "".join(reversed(out))


@program(lambda: (np.array([1, 3, 4, 1, 2, 3]), np.array([3, 4, 1, 2, 1, 3])))
def lcs_of_arrays(a, b):
    m, n = len(a), len(b)
    table = np.zeros((m + 1, n + 1), dtype=int)
    for i in range(m):
        for j in range(n):
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    i, j, out = m, n, []
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            out.append(a[i - 1])
            i -= 1
            j -= 1
        elif table[i - 1, j] >= table[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return table[m, n], out[::-1]


@program(lambda: ("kitten", "sitting"), lambda: ("", "abc"))
def edit_distance(a, b):
    previous = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        current = [i]
        for j, cb in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (ca != cb)))
        previous = current
    return previous[-1]


@program(lambda: (np.array([0, 1, 2, 3, 0, 2]), np.array([0, 2, 2, 3, 1]), 1, -1, -2))
def needleman_wunsch(a, b, match, mismatch, gap):
    n, m = len(a), len(b)
    score = np.zeros((n + 1, m + 1), dtype=np.int64)
    score[:, 0] = gap * np.arange(n + 1)
    score[0, :] = gap * np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            diag = score[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch)
            score[i, j] = max(diag, score[i - 1, j] + gap, score[i, j - 1] + gap)
    top, bottom = [], []
    i, j = n, m
    while i > 0 or j > 0:
        if i > 0 and j > 0:
            s = match if a[i - 1] == b[j - 1] else mismatch
            if score[i, j] == score[i - 1, j - 1] + s:
                i, j = i - 1, j - 1
                top.append(int(a[i]))
                bottom.append(int(b[j]))
                continue
        if i > 0 and score[i, j] == score[i - 1, j] + gap:
            i -= 1
            top.append(int(a[i]))
            bottom.append(-1)
        else:
            j -= 1
            top.append(-1)
            bottom.append(int(b[j]))
    return score[n, m], top[::-1], bottom[::-1]


@program(lambda: ("GATTACA", "GCATGCU"))
def smith_waterman_text(a, b):
    best, where = 0, (0, 0)
    h = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            s = 3 if a[i - 1] == b[j - 1] else -3
            h[i][j] = max(0, h[i - 1][j - 1] + s, h[i - 1][j] - 2, h[i][j - 1] - 2)
            if h[i][j] > best:
                best, where = h[i][j], (i, j)
    i, j = where
    x, y = "", ""
    while h[i][j] > 0:
        s = 3 if a[i - 1] == b[j - 1] else -3
        if h[i][j] == h[i - 1][j - 1] + s:
            x, y = a[i - 1] + x, b[j - 1] + y
            i, j = i - 1, j - 1
        elif h[i][j] == h[i - 1][j] - 2:
            x, y = a[i - 1] + x, "-" + y
            i -= 1
        else:
            x, y = "-" + x, b[j - 1] + y
            j -= 1
    return best, x, y


@program(lambda: (np.array([2, 3, 4, 5]), np.array([3.0, 4.0, 5.0, 6.0]), 8), lambda: ([1, 2], [1.0, 9.0], 1))
def knapsack(weights, values, capacity):
    n = len(weights)
    best = np.zeros((n + 1, capacity + 1))
    for i in range(1, n + 1):
        for c in range(capacity + 1):
            best[i, c] = best[i - 1, c]
            if weights[i - 1] <= c:
                best[i, c] = max(best[i, c], best[i - 1, c - weights[i - 1]] + values[i - 1])
    chosen, c = [], capacity
    for i in range(n, 0, -1):
        if best[i, c] != best[i - 1, c]:
            chosen.append(i - 1)
            c -= weights[i - 1]
    return best[n, capacity], chosen


@program(lambda: ([30, 35, 15, 5, 10, 20, 25],))
def matrix_chain(dims):
    n = len(dims) - 1
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i][j] = float("inf")
            for k in range(i, j):
                q = cost[i][k] + cost[k + 1][j] + dims[i] * dims[k + 1] * dims[j + 1]
                if q < cost[i][j]:
                    cost[i][j] = q
                    split[i][j] = k

    def show(i, j):
        if i == j:
            return f"A{i}"
        k = split[i][j]
        return f"({show(i, k)}{show(k + 1, j)})"

    return cost[0][n - 1], show(0, n - 1)


@program(lambda: ([1, 5, 10, 25], 63), lambda: ([4, 6], 7))
def coin_change(coins, amount):
    best = [0] + [None] * amount
    last = [None] * (amount + 1)
    for a in range(1, amount + 1):
        for c in coins:
            if c <= a and best[a - c] is not None:
                if best[a] is None or best[a - c] + 1 < best[a]:
                    best[a] = best[a - c] + 1
                    last[a] = c
    if best[amount] is None:
        return None
    used = {}
    while amount:
        c = last[amount]
        used[c] = used.get(c, 0) + 1
        amount -= c
    return used


@program(lambda: (np.array([10, 9, 2, 5, 3, 7, 101, 18]),))
def longest_increasing_subsequence(values):
    tails = []
    for v in values:
        k = bisect_left(tails, v)
        if k == len(tails):
            tails.append(int(v))
        else:
            tails[k] = int(v)
    return len(tails), tails


@program(lambda: (30,), lambda: (12,))
def memoised_fibonacci(n):
    memo = {0: 0, 1: 1}

    def fib(k):
        if k not in memo:
            memo[k] = fib(k - 1) + fib(k - 2)
        return memo[k]

    return fib(n), len(memo)


@program(lambda: (4, 5))
def grid_paths_cached(rows, columns):
    @lru_cache(maxsize=None)
    def count(i, j):
        if i == 0 or j == 0:
            return 1
        return count(i - 1, j) + count(i, j - 1)

    return count(rows, columns)


@program(lambda: (np.array([-2, 1, -3, 4, -1, 2, 1, -5, 4]),))
def kadane(x):
    best = current = x[0]
    start = left = right = 0
    for i in range(1, len(x)):
        if current < 0:
            current, left = x[i], i
        else:
            current += x[i]
        if current > best:
            best, start, right = current, left, i
    return best, start, right


@program(lambda: ("applepenapple", {"apple", "pen"}), lambda: ("catsandog", {"cats", "dog", "sand", "and", "cat"}))
def word_break(text, words):
    n = len(text)
    reachable = [True] + [False] * n
    for i in range(1, n + 1):
        for w in words:
            if i >= len(w) and reachable[i - len(w)] and text[i - len(w) : i] == w:
                reachable[i] = True
                break
    return reachable[n]


@program(lambda: ([[131, 673, 234], [201, 96, 342], [630, 803, 746]],))
def cheapest_seam(costs):
    h, w = len(costs), len(costs[0])
    total = [row[:] for row in costs]
    for i in range(1, h):
        for j in range(w):
            total[i][j] += min(total[i - 1][max(0, j - 1) : j + 2])
    j = total[-1].index(min(total[-1]))
    seam = [j]
    for i in range(h - 2, -1, -1):
        j = min((k for k in (j - 1, j, j + 1) if 0 <= k < w), key=lambda k: total[i][k])
        seam.append(j)
    return seam[::-1], min(total[-1])
