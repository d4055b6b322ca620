"""Lists of static length that run-time values index: their elements are side by side in arrays."""

from __future__ import annotations

import collections
import dataclasses
import heapq
import math

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()

RNG = np.random.default_rng(7)
PLACES = RNG.integers(0, 20, 15)
FLOATS = RNG.standard_normal(20)
LONG = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4]


# ---- programs --------------------------------------------------------------------------------------------------------


@case((30,), (2,), (0,))
def sieve(k):
    is_prime = [True] * 31
    is_prime[0] = is_prime[1] = False
    i = 2
    while i * i <= k:
        if is_prime[i]:
            j = i * i
            while j <= k:
                is_prime[j] = False
                j += i
        i += 1
    return is_prime, sum(is_prime)


@case((PLACES, PLACES[::-1]))
def union_find(a, b):
    parent = list(range(20))
    size = [1] * 20

    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for u, v in zip(a, b, strict=True):
        x, y = find(u), find(v)
        if x != y:
            if size[x] < size[y]:
                x, y = y, x
            parent[y] = x
            size[x] += size[y]
    return parent, size, max(size)


@case((PLACES,))
def counting_sort(values):
    counts = [0] * 20
    for v in values:
        counts[v] += 1
    out = []
    for v, c in enumerate(counts):
        for _ in range(c):
            out.append(v)
    return out, counts


@case((np.array([1, 5, 7]), 19), (np.array([4, 9]), 11), (np.array([2]), 0))
def coin_change(coins, amount):
    best = [math.inf] * 20
    best[0] = 0
    for c in coins:
        for v in range(int(c), 20):
            if best[v - int(c)] + 1 < best[v]:
                best[v] = best[v - int(c)] + 1
    return best[amount]


@case((19,), (1,), (0,), (2,))
def memo_of_none(k):
    memo = [None] * 20
    memo[0] = 0
    memo[1] = 1
    i = 2
    while i <= k:
        memo[i] = memo[i - 1] + memo[i - 2]
        i += 1
    return memo[k], memo, memo[k] is None, [m is None for m in memo]


@case((np.array([2, 3, 4, 5]), np.array([3, 4, 5, 6]), 9))
def knapsack(weights, values, capacity):
    best = [0] * 12
    for w, v in zip(weights, values, strict=True):
        for c in range(capacity, w - 1, -1):
            best[c] = max(best[c], best[c - w] + v)
    return best


@case((FLOATS,))
def longest_increasing(a):
    n = len(a)
    length = [1] * n
    before = [-1] * n
    for i in range(n):
        for j in range(i):
            if a[j] < a[i] and length[j] + 1 > length[i]:
                length[i] = length[j] + 1
                before[i] = j
    best = max(length)
    k = length.index(best)
    path = []
    while k != -1:
        path.append(k)
        k = before[k]
    return best, path[::-1]


@case((PLACES, PLACES[::-1].copy(), 3))
def breadth_first(tails, heads, start):
    seen = [False] * 20
    distance = [-1] * 20
    queue = collections.deque([start])
    seen[start] = True
    distance[start] = 0
    while queue:
        u = queue.popleft()
        for k in range(len(tails)):
            if tails[k] == u and not seen[heads[k]]:
                seen[heads[k]] = True
                distance[heads[k]] = distance[u] + 1
                queue.append(heads[k])
    return seen, distance


@case((5,), (12,))
def josephus(k):
    people = list(range(12))
    i = 0
    order = []
    while len(people) > 0:
        i = (i + k) % len(people)
        order.append(people.pop(i))
    return order


# ---- heaps -----------------------------------------------------------------------------------------------------------


@case((FLOATS,))
def heap_of_many(values):
    heap = []
    for v in values:
        heapq.heappush(heap, v)
    before = list(heap)
    out = []
    while heap:
        out.append(heapq.heappop(heap))
    return before, out


@case((FLOATS, 3), (FLOATS[:2], 0), (FLOATS, 25))
def smallest(values, k):
    heap = list(values)
    heapq.heapify(heap)
    after = heap[:]
    return heapq.nsmallest(k, values), heapq.nlargest(k, list(values)), after, heapq.nlargest(2, values, key=abs)


@case((FLOATS,), (FLOATS[:1],))
def merged_two_by_two(values):
    heap = [float(v) for v in values]
    heapq.heapify(heap)
    cost = 0.0
    while len(heap) > 1:
        a = heapq.heappop(heap)
        b = heapq.heappop(heap)
        cost += a + b
        heapq.heappush(heap, a + b)
    return cost, heap


@case((FLOATS, 4), (FLOATS, 1))
def keeps_the_largest(values, k):
    heap = []
    for i, v in enumerate(values):
        if len(heap) < k:
            heapq.heappush(heap, (v, i))
        elif v > 0:
            heapq.heappushpop(heap, (v, i))
        else:
            heapq.heapreplace(heap, (v, -i))
    return heap


@case((np.linspace(0.1, 2.5, 25).reshape(5, 5) % 1.1, 3))
def distances_of_two_kinds_of_numbers(weights, source):
    n = len(weights)
    distance = [math.inf] * n
    distance[source] = 0.0
    heap = [(0.0, source)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for v in range(n):
            if d + weights[u, v] < distance[v]:
                distance[v] = d + weights[u, v]
                heapq.heappush(heap, (distance[v], v))
    return [float(d) for d in distance]


@case((np.abs(RNG.standard_normal((12, 12))),))
def dijkstra(weights):
    n = len(weights)
    distance = [math.inf] * n
    done = [False] * n
    distance[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if done[u]:
            continue
        done[u] = True
        for v in range(n):
            new = d + weights[u, v]
            if new < distance[v]:
                distance[v] = new
                heapq.heappush(heap, (new, v))
    return distance


@case((LONG, 2), (LONG[:3], 9))
def heap_argument(items, x):
    heapq.heapify(items)
    a = heapq.heappushpop(items, x)
    heapq.heappush(items, x + 1)
    b = heapq.heapreplace(items, a)
    return a, b, items


@case(([], 2), ([1], 1))
def heap_that_is_empty(items, x):
    a = heapq.heappop(items)
    heapq.heapify(items)
    return a, heapq.heappop(items) + x


# ---- lists of lists --------------------------------------------------------------------------------------------------


@case((np.array([1, 2, 3, 1, 2]), np.array([2, 2, 3, 1])), (np.array([1]), np.array([2])))
def edit_distance(a, b):
    m, n = len(a), len(b)
    table = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(m + 1):
        table[i][0] = i
    for j in range(n + 1):
        table[0][j] = j
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1]
            else:
                table[i][j] = 1 + min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
    return table[m][n], table


@case((np.abs(RNG.standard_normal((5, 5))),))
def floyd_warshall(weights):
    n = len(weights)
    d = [[float(weights[i, j]) for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return d


@case(([[0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]], 3))
def game_of_life(grid, steps):
    n = len(grid)
    for _ in range(steps):
        new = [[0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                around = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di or dj:
                            around += grid[(i + di) % n][(j + dj) % n]
                if around == 3 or (around == 2 and grid[i][j]):
                    new[i][j] = 1
        grid = new
    return grid


@case((1, 2, 7), (-1, -2, 0), (3, 0, 1), (0, 5, 1), (-5, 0, 1), (0, -6, 1))
def rows_are_lists(i, j, x):
    rows = [[0] * 5 for _ in range(4)]
    first = rows[0]
    row = rows[i]
    row[j] = x
    rows[i][j - 1] += 2
    return rows, row, first is rows[0], rows[i] is row, len(row), sum(row), row[1:3], max(rows[i]), row == rows[i]


@case((1, 2), (0, 4))
def one_row_many_times(i, j):
    rows = [[0] * 5] * 4
    rows[i][j] += 1
    rows[0][0] += 2
    return rows, rows[0] is rows[i]


@case(([[1, 2, 3, 4]] * 4, 1), ([[1, 2, 3, 4] for _ in range(4)], 2))
def argument_of_rows(rows, i):
    row = rows[i]
    row[0] += rows[i - 1][3]
    return row, rows, rows[0] is row


@case(([[1, 2, 3, 4] for _ in range(4)], 2))
def unchanged_argument_of_rows(rows, i):
    return rows[i][i] + rows[0][1], rows


@case((1, 2, True), (2, 2, False))
def rows_of_several_kinds(i, j, c):
    rows = [[None] * 5 for _ in range(4)]
    rows[i][j] = 1.5
    if c:
        rows[j][i] = 3
    rows[3][3] = True
    return rows, rows[i][j] is None, rows[1]


@case((1, 2), (2, 2))
def rows_swapped(i, j):
    rows = [[k, k + 1, k + 2] for k in range(4)]
    rows[i][0] = 9
    rows[i], rows[j] = rows[j], rows[i]
    rows[i][1] = 8
    rows[0], rows[1] = rows[1], rows[0]
    return rows


@case((1, 2), (2, 2))
def rows_permuted(i, j):
    rows = [[k, k + 1, k + 2, 0] for k in range(4)]
    first, alias, copied = rows[0], rows, rows[:]
    rows[i], rows[j] = rows[j], rows[i]
    rows[i][1] = 8
    rows[0] = rows[j]
    rows[0][2] = 7
    first[3] = 1
    copied[i][0] += 100
    return rows, alias is rows, copied, rows[0] is first, rows[0] is rows[j], [sum(r) for r in rows], len(rows)


@case(([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], 1, 2), ([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], 0, 0))
def argument_permuted(rows, i, j):
    first = rows[0]
    rows[i], rows[j] = rows[j], rows[i]
    rows[i][0] = -1
    first[1] = -2
    return rows[1], first


@case((RNG.standard_normal((7, 7)),))
def elimination_with_pivots(a):
    rows = [[float(v) for v in row] for row in a]
    n = len(rows)
    sign = 1.0
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(rows[i][k]) > abs(rows[p][k]):
                p = i
        if p != k:
            rows[k], rows[p] = rows[p], rows[k]
            sign = -sign
        for i in range(k + 1, n):
            f = rows[i][k] / rows[k][k]
            for j in range(k, n):
                rows[i][j] -= f * rows[k][j]
    for k in range(n):
        sign *= rows[k][k]
    return sign, rows


@case((3, 1), (0, 2))
def rows_permuted_in_a_loop(n, i):
    total = 0
    for k in range(n):
        rows = [[k + j, k * j, 1] for j in range(4)]
        rows[i], rows[(i + k) % 4] = rows[(i + k) % 4], rows[i]
        total = total * 3 + rows[(i + 1) % 4][0]
    return total


@case((1, 2), (3, 0))
def rows_kept_elsewhere(i, j):
    rows = [[k, k + 1, k + 2] for k in range(4)]
    found = []
    for k in range(i + 1):
        if k != j:
            found.append(rows[(k + j) % 4])
    found[0][1] = 60
    pair = (rows[i], j)
    pair[0][2] = 70
    held = {"row": rows[j]}
    held["row"][0] = 80
    return rows, found, pair, held


@case((1, 2), (2, 2))
def row_replaced(i, j):
    rows = [[k, k + 1, k + 2] for k in range(4)]
    rows[j][0] = 5
    rows[i] = [7, 7, 7]
    rows[j][2] = 6
    rows[0] = [j] * 3
    rows[j][1] = 4
    return rows


@case((1, 2), (2, 2))
def row_gets_longer(i, j):
    rows = [[k, k + 1, k + 2] for k in range(4)]
    rows[j][0] = 5
    rows[1].append(3)
    rows[i].append(4)
    return rows


@case((1, 2), (2, 2))
def row_operations(i, j):
    rows = [[k, 5 - k, k + 2] for k in range(4)]
    rows[j][0] = 5
    row = rows[i]
    row.reverse()
    rows[j].sort()
    rows[0][:] = [4, 5, 6]
    copied = [r[:] for r in rows]
    copied[i][1] = 100
    total = 0
    for r in rows:
        for v in r:
            total = total * 3 + v
    columns = [list(c) for c in zip(*rows, strict=True)]
    return rows, copied, total, columns, [sum(r) for r in rows], np.array(rows), [v for r in rows for v in r]


@case((1, 2), (3, 0))
def row_chosen(i, j):
    rows = [[k, k + 1, k + 2] for k in range(4)]
    row = rows[i] if i < j else rows[j]
    row[1] = 50
    best = rows[0]
    for k in range(4):
        if rows[k][1] > best[1]:
            best = rows[k]
    best[2] = 70
    return rows, row, best


@case((1, 2), (3, 0))
def rows_made_in_a_loop(i, j):
    total = 0
    last = None
    for k in range(i + 2):
        rows = [[k, k + 1, k + 2] for _ in range(4)]
        rows[(i + k) % 4][(j + k) % 3] += 10
        row = rows[(i + k) % 4]
        total += row[j % 3]
        last = row[0]
    return total, last


@case((1, 2), (3, 0), (3, 9))
def failure_in_a_table(i, j):
    rows = [[k, k + 1, k + 2] for k in range(4)]
    try:
        rows[i][0] = 5
        rows[i][j] = 6
    except IndexError as error:
        rows[0][0] = -1
        return str(error), rows
    return rows


@case((5,), (2,))
def rows_appended(n):
    rows = []
    for k in range(4):
        rows.append([0] * 6)
    for k in range(n):
        rows[k % 4][k] = k
        rows[(k + 1) % 4][0] += 1
    return rows


class Board:
    """Squares in rows."""

    def __init__(self, n):
        self.n = n
        self.squares = [[0] * n for _ in range(n)]

    def mark(self, i, j):
        self.squares[i % self.n][j % self.n] += 1


@case((np.array([1, 2, 3, 2, 5]),))
def board(places):
    b = Board(4)
    for p in places:
        b.mark(p, p + 1)
        b.mark(p, 0)
    return b.squares


# ---- Python's lists stay what they are -------------------------------------------------------------------------------


@case((3, LONG), (-4, LONG), (-20, LONG), (19, LONG), (20, LONG), (-21, LONG))
def reads_and_writes_an_argument(i, items):
    items[i] = items[i] + 1
    return items[i], len(items)


@case((3,), (20,), (-21,), (-20,))
def error_of_reading(i):
    items = [0.5] * 20
    return items[i]


@case((3,), (20,), (-21,), (-20,))
def error_of_writing(i):
    items = [0.5] * 20
    items[i] = 1.5
    return items


@case((3,), (25,))
def error_is_caught(i):
    items = list(range(20))
    try:
        items[i] = 100
        items[i + 1] = 101
    except IndexError as error:
        return str(error), items
    return items


@case((19,), (2,))
def writes_before_a_failure_are_seen(i):
    items = list(range(20))
    try:
        items[i] = 100
        items[i + 1] = 101
    except IndexError:
        items[0] = -1
    return items


@case((3, 2), (4, 4))
def aliases_see_writes(i, j):
    a = [0] * 20
    b = a
    c = [a, b]
    d = {"a": a}
    b[i] += 1
    c[0][j] += 2
    d["a"][i] += 4
    return a, b is a, c[1] is a, c, a == c[0]


@case((3,), (12,))
def copies_do_not(i):
    a = list(range(20))
    b, c, d, e = a[:], a.copy(), list(a), [*a]
    a[i] = -1
    b[i] += 1
    c[i] += 2
    d[i] += 3
    e[i] += 4
    return a, b, c, d, e


@case((3, True), (12, False))
def elements_keep_their_types(i, c):
    a = [False] * 20
    a[i] = 1
    if c:
        a[i + 1] = 2.5
    b = [0] * 20
    b[i] = np.float32(1.5)
    b[i + 1] = None
    return a, b, type(a[i]) is int, type(a[0]) is bool, a[i + 1] == 2.5


@case((3, 4.0), (12, -1.0))
def numpy_scalars(i, x):
    a = [np.float32(x)] * 20
    a[i] *= 2
    return a, a[i], a[-1 - i]


@case((3, 4.0), (12, -1.0))
def tuples(i, x):
    a = [(0.0, k) for k in range(20)]
    a[i] = (x, i)
    value, place = a[i + 1]
    return a, a[i], value + place, max(a), min(a)


@case((4,), (0,))
def complex_and_huge(i):
    a = [1j * k for k in range(20)]
    a[i] *= 2
    b = [2**70 + k for k in range(12)]
    c = [2**62 + k for k in range(12)]
    return a, c[i], b[3]


@case((4,), (11,))
def overflow_is_python_s(i):
    c = [2**62 + k for k in range(12)]
    c[i] = c[i] * 1
    return c[i] - 2**62


@case((7, LONG), (0, LONG))
def many_operations(i, items):
    a = list(items)
    a[i] = 50
    return (
        sum(a), min(a), max(a), len(a), 50 in a, 51 in a, a.index(50), a.count(9), sorted(a), a[::-1], a[2:5], a[-3:],
        a[::2], a[1:1], a + items, items + a, a * 2, list(reversed(a)), tuple(a), any(a), all(a), str(a[:3]),
        [x + 1 for x in a], list(enumerate(a))[3], list(zip(a, a[2:], strict=False))[2], a == items,
        a != a[:], a < items,
    )  # fmt: skip


@case((7, LONG), (0, LONG))
def methods(i, items):
    a = list(items)
    a[i] = 50
    a.append(i)
    last = a.pop()
    first = a.pop(0)
    a.insert(3, -5)
    a.extend([7, 8])
    a += [9]
    a.reverse()
    a.remove(8)
    del a[2]
    del a[1:3]
    a[4:6] = [100, 101, 102]
    b = a.copy()
    b.sort()
    c = a[:]
    c.sort(reverse=True)
    d = a[:]
    d.clear()
    d.append(1)
    return a, b, c, d, last, first


@case((7,), (0,))
def numpy_of_a_list(i):
    a = [0.5] * 20
    a[i] = 2.0
    b = [False] * 20
    b[i] = True
    return np.array(a), np.sum(a), np.array(b), np.mean(a) * np.array(a)[b], np.asarray(a, dtype=np.float32).dtype.name


@case((7,), (0,))
def unpacked(i):
    a = list(range(10))
    a[i] = -1
    first, *middle, last = a
    x, y, z, *_ = a

    def total(*values, start=0):
        return start + sum(values)

    return first, middle, last, x + y + z, total(*a), max(*a), f"{a[0]}", "-".join(str(v) for v in a)


@case((7,), (0,))
def printed(i):
    a = list(range(10))
    a[i] = -1
    print(a, a[i])
    print(f"{a}")
    return str(a), repr(a)


@case((LONG, 3), (LONG, 30))
def returned_as_it_came(items, i):
    seen = items
    if i < 20:
        seen[i] = 0
    return seen, items


@case((LONG, 3))
def unchanged_argument(items, i):
    return items[i], items, items is items


@case((np.array([1, 2, 3, 2, 1]),))
def changed_while_gone_over(steps):
    a = list(range(12))
    for s in steps:
        for i, v in enumerate(a):
            if v % 2:
                a[(i + s) % 12] = v + s
    return a


@case((np.array([1, 2, 3, 2, 1]),))
def gone_over_by_for(steps):
    a = list(range(12))
    out = 0
    for s in steps:
        a[s] += 5
        for v in a:
            if v == 9:
                continue
            out = out * 3 % 1001 + v
            if out == 5:
                break
    return a, out


@case((3, 4), (5, 5))
def branches_that_write(i, j):
    a = [0] * 12
    if i == j:
        a[i] = 1.5
    elif i < j:
        a[j] = 2
    else:
        a = a[:6]
    return a


@case((3, True), (5, False))
def another_list_in_a_branch(i, c):
    a = list(range(12))
    b = list(range(12, 24))
    d = a if c else b
    d[i] = -1
    return a, b, d is a, d[i + 1]


@case((4,), (0,))
def another_list_in_each_step(n):
    a = list(range(12))
    for k in range(n):
        a[k + 1] += a[k]
        b = [0] * 12
        for j in range(12):
            b[j] = a[(j + k) % 12]
        a = b
    return a


@case((4,), (0,))
def two_lists_take_turns(n):
    a = list(range(12))
    b = [0] * 12
    for k in range(n):
        for j in range(12):
            b[j] = a[(j + k) % 12] + 1
        a, b = b, a
    return a, b


@dataclasses.dataclass
class Counter:
    """Something with a list."""

    counts: list
    steps: int = 0

    def add(self, value):
        self.counts[value] += 1
        self.steps += 1
        return self


@case((PLACES,))
def attributes(values):
    counter = Counter([0] * 20)
    for v in values:
        counter.add(v)
    return counter.counts, counter.steps


TABLE = list(range(100, 120))
NAMES = {"primes": [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]}


@case((PLACES,))
def read_from_outside(values):
    total = 0
    for v in values:
        total += TABLE[v] + NAMES["primes"][v % 10] + (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)[v % 10]
    return total


def _add_at(items, place, value=1):
    items[place] += value
    return items


@case((PLACES,))
def written_by_a_helper(values):
    counts = [0] * 20
    for v in values:
        if v % 2:
            _add_at(counts, v)
        else:
            counts = _add_at(counts, v, 2)
    return counts


@case((PLACES,))
def written_by_a_closure(values):
    counts = [0] * 20
    seen = [None] * 20

    def visit(v):
        if seen[v] is None:
            seen[v] = len(counts)
        counts[v] += 1

    for v in values:
        visit(v)
    return counts, seen


@case((LONG, 5), (LONG, 9))
def bisected(items, x):
    ordered = sorted(items)
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@case((7,), (19,))
def grows_after_it_was_indexed(n):
    a = list(range(20))
    a[n] = -1
    i = 0
    while i < n:
        a.append(a[i])
        i += 1
    return a, len(a)


@case((7,), (19,))
def shrinks_after_it_was_indexed(n):
    a = list(range(20))
    a[n] = -1
    i = 0
    while i < n:
        a.pop()
        i += 1
    return a, len(a)


@case((7, 2), (3, 3))
def swapped(i, j):
    a = list(range(20))
    a[i], a[j] = a[j], a[i]
    a[i] += 1
    return a


@pytest.mark.parametrize("program", case.programs)
def test_programs(program: Program) -> None:
    program.check()


# ---- sizes do not multiply work --------------------------------------------------------------------------------------


def _equations(function, *args):
    pending, found = [jit(function).trace(*args).program], 0
    while pending:
        for equation in pending.pop().equations:
            found += 1
            for value in equation.params.values():
                parts = value if isinstance(value, (tuple, list)) else (value,)
                pending += [part for part in parts if hasattr(part, "equations")]
    return found


def _sieve_of(n):
    def program(k):
        seen = [True] * n
        i = 2
        while i < k:
            if seen[i]:
                j = i * i
                while j < k:
                    seen[j] = False
                    j += i
            i += 1
        return sum(seen)

    return program, (n,)


def _union_of(n):
    def program(a, b):
        parent = list(range(n))
        for u, v in zip(a, b, strict=True):
            while parent[u] != u:
                u = parent[u]
            while parent[v] != v:
                v = parent[v]
            parent[u] = v
        return parent

    return program, (np.arange(n // 2), np.arange(n // 2))


def _memo_of(n):
    def program(k):
        memo = [None] * n
        memo[0] = 1
        for i in range(1, k):
            memo[i] = memo[i - 1] + 1
        return memo[k - 1]

    return program, (n,)


def _heap_of(n):
    def program(values):
        heap = []
        for i in range(n):
            heapq.heappush(heap, values[i])
        total = 0.0
        for _ in range(n):
            total = total * 0.5 + heapq.heappop(heap)
        return total

    return program, (np.arange(float(n)),)


def _row_of(n):
    def program(a):
        table = [[0] * n for _ in range(n)]
        for i in range(1, n):
            for j in range(1, n):
                table[i][j] = min(table[i - 1][j], table[i][j - 1]) + a[i]
        return table[n - 1][n - 1]

    return program, (np.arange(n),)


@pytest.mark.parametrize("family", [_sieve_of, _union_of, _memo_of, _heap_of, _row_of])
def test_equations_do_not_grow_with_the_length(family) -> None:
    few, many = (_equations(program, *args) for program, args in (family(12), family(400)))
    assert many == few


def test_a_table_stays_one_where_arguments_must_be_known() -> None:
    def common(a, b):
        table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
        for i in range(len(a)):
            for j in range(len(b)):
                table[i + 1][j + 1] = table[i][j] + 1 if a[i] == b[j] else max(table[i][j + 1], table[i + 1][j])
        i, j, out = len(a), len(b), []
        while i > 0 and j > 0:
            if a[i - 1] == b[j - 1]:
                out.append(a[i - 1])
                i, j = i - 1, j - 1
            elif table[i - 1][j] >= table[i][j - 1]:
                i -= 1
            else:
                j -= 1
        return out[::-1]

    wrapped = jit(common)
    assert "by a run-time index" not in str(wrapped.explain([1, 3, 4, 1, 2], [3, 4, 1, 2, 1]))
    assert wrapped([1, 3, 4, 1, 2], [3, 4, 1, 2, 1]) == [3, 4, 1, 2]
    assert wrapped([1, 3, 4, 1, 2], [2, 2, 1, 3, 3]) == common([1, 3, 4, 1, 2], [2, 2, 1, 3, 3])
