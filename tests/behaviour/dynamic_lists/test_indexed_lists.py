"""Lists of static length that run-time values index: programs, heaps, and no more equations for longer lists."""

from __future__ import annotations

import collections
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


@case((3,), (0,))
def an_item_of_another_kind(i):
    found = [0.0] * 12
    before = found[i]
    found[i] = [1.0, before]
    return found


@case((3,), (12,))
def a_set_among_numbers(i):
    found = [0.0] * 12
    before = found[i]
    found[i] = {1.0, before}
    return found


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


@case((PLACES % 3,), (PLACES % 3 - 3,), (PLACES % 4,))
def short_lists_that_are_written(places):
    counts, last, mixed, gap = [0] * 3, [-1, -1, -1], [0, 0.5, None], 0
    for i, place in enumerate(places):
        counts[place] += 1
        gap = max(gap, i - last[place])
        last[place] = i
        if counts[place] > 1:
            mixed[place] = i if place else 0.25 * i
        if counts[0] > 4:
            counts = [counts[2], counts[1], 0]
    last[1], last[2] = last[2], last[1]
    return counts, last, mixed, gap


@case((1,), (-2,), (2,))
def short_list_whose_other_items_are_known(place):
    sizes = [2, 3]
    sizes[place] = 4
    return sizes, np.zeros(sizes[1] if place >= 0 else 1)


@case(([], 2), ([1], 1))
def heap_that_is_empty(items, x):
    a = heapq.heappop(items)
    heapq.heapify(items)
    return a, heapq.heappop(items) + x


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


def _neighbours_of(n):
    def program(a, b):
        neighbours = [[] for _ in range(n)]
        for u, v in zip(a, b, strict=True):
            neighbours[u].append(v)
        total = 0
        for near in neighbours:
            near.sort()
            total = total * 3 % 1009 + sum(near)
        return total

    return program, (np.arange(20) % 7, np.arange(20) % 3)


@pytest.mark.parametrize("family", [_sieve_of, _union_of, _memo_of, _heap_of, _row_of, _neighbours_of])
def test_equations_do_not_grow_with_the_length(family) -> None:
    few, many = (_equations(program, *args) for program, args in (family(20), family(400)))
    assert many == few


@pytest.mark.parametrize("n", [2, 5])
def test_a_short_list_that_is_written_at_a_run_time_place_is_one_array(n) -> None:
    def counts(places):
        found = [0] * n
        for place in places:
            found[place] += 1
        return found

    assert _equations(counts, np.zeros(9, int)) <= _equations(_counts_of_many, np.zeros(9, int))


def _counts_of_many(places):
    found = [0] * 20
    for place in places:
        found[place] += 1
    return found


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
