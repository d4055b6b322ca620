"""Lists and deques whose length is known only at run time: appended to in loops and branches, and used up."""

from __future__ import annotations

import collections
import copy
import dataclasses
import heapq

import numpy as np
import pytest

from anabranch import AliasError, UnsupportedOperationError, configure, jit
from tests.program_table import Program, Table

case = Table()

SIGNED = np.array([1.5, -2.0, 3.0, -4.0, 0.0, 6.0])
NONE = np.array([-1.0, -2.0])
EMPTY = np.zeros(0)


# ---- appending -------------------------------------------------------------------------------------------------------


@case((0.5, [1, 2]), (True, [1, 2]), (0.0, [3]))
def added_to_in_place_when_traced_again(x, queue):
    queue += [5]
    if x:
        queue.append(7)
    other = queue
    other += [k for k in range(3) if k != x]
    return len(queue)


@case((SIGNED,), (NONE,), (EMPTY,))
def lists_and_dicts(a):
    out, named = [], []
    for i, x in enumerate(a):
        if x > 0:
            out.append([x, i])
            named.append({"x": x, "at": [i, -i]})
    return out, named, len(out), [d["at"][1] for d in named]


@case((SIGNED,), (NONE,), (EMPTY,))
def keeps_positive(a):
    out = []
    for x in a:
        if x > 0:
            out.append(x)
    return out


@case((SIGNED,), (NONE,))
def keeps_places(a):
    out = []
    for i in range(len(a)):
        if a[i] > 0:
            out.append(i)
    return out, len(out)


@case((27,), (1,), (6,))
def collatz_path(n):
    path = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path.append(n)
    return path


@case((30,), (2,), (1,))
def sieve(n):
    composite = np.zeros(64, bool)
    primes = []
    for i in range(2, n):
        if composite[i]:
            continue
        primes.append(i)
        for j in range(i * i, n, i):
            composite[j] = True
    return primes


@case((5,), (1,), (0,))
def first_primes(n):
    primes = []
    k = 2
    while len(primes) < n:
        if all(k % p for p in primes):
            primes.append(k)
        k += 1
    return primes


@case((SIGNED, 3), (SIGNED, 0))
def unconditional_in_a_run_time_loop(a, n):
    out = []
    for i in range(n):
        out.append(a[i] * i)
    return out


@case((SIGNED,))
def unconditional_in_a_static_loop(a):
    out = []
    for i in range(4):
        out.append(a[i])
    return np.array(out), len(out)


@case((SIGNED,), (NONE,))
def nested_loops(a):
    out = []
    for i in range(len(a)):
        for j in range(i):
            if a[i] > a[j]:
                out.append((i, j))
    return out


@case((SIGNED,), (NONE,))
def two_lists(a):
    even, odd = [], []
    for i, x in enumerate(a):
        if x > 0:
            even.append(i)
        else:
            odd.append(x)
            odd.append(x * 2)
    return even, odd, len(even) - len(odd)


@case((SIGNED,), (NONE,))
def several_appends_in_a_step(a):
    out = [0.5]
    for x in a:
        if x > 0:
            out.append(x)
            if x > 2:
                out.append(-x)
    return out


@case((SIGNED, 2.0), (SIGNED, 9.0))
def with_break(a, limit):
    out = []
    for x in a:
        if x > limit:
            break
        out.append(x)
    return out


@case((SIGNED, 2.0), (SIGNED, 9.0))
def with_early_return(a, limit):
    out = []
    for x in a:
        if x > limit:
            return out, -1
        if x > 0:
            out.append(x)
    return out, len(out)


@case((SIGNED, 2.0), (SIGNED, 9.0))
def with_else_and_continue(a, limit):
    out = []
    for x in a:
        if x < 0:
            continue
        if x > limit:
            break
        out.append(x)
    else:
        out.append(-1.0)
    return out


@case((SIGNED,), (NONE,))
def in_a_helper(a):
    def keep(into, x):
        if x > 0:
            into.append(x)

    out = []
    for x in a:
        keep(out, x)
    return out


@case((SIGNED,), (NONE,))
def in_a_closure(a):
    out = []

    def keep(x):
        if x > 0:
            out.append(x)
        return len(out)

    n = 0
    for x in a:
        n += keep(x)
    return out, n


@case((SIGNED,), (NONE,))
def alias(a):
    out = []
    same = out
    for x in a:
        if x > 0:
            same.append(x)
    return len(out), out, same


class Bag:
    def __init__(self):
        self.items = []
        self.total = 0.0

    def add(self, x):
        self.items.append(x)
        self.total += x


@case((SIGNED,), (NONE,))
def in_an_object(a):
    bag = Bag()
    for x in a:
        if x > 0:
            bag.add(x)
    return bag.items, bag.total, len(bag.items)


class Rebinding(Bag):
    def add(self, x):
        self.items = self.items + [x]  # noqa: RUF005
        self.total += x


@case((SIGNED,), (np.tile(SIGNED, 3),))
def an_attribute_bound_anew(a):
    bag = Rebinding()
    for x in a:
        if x > 0:
            bag.add(x)
    return bag.items, len(bag.items)


@case((SIGNED,), (NONE,))
def in_a_dict(a):
    found = {"up": [], "down": []}
    for i, x in enumerate(a):
        found["up" if i % 2 else "down"].append(x) if i > 100 else None
        if x > 0:
            found["up"].append(i)
        else:
            found["down"].append(i)
    return found


@case((SIGNED,), (NONE,))
def in_a_tuple(a):
    pair = ([], [])
    for x in a:
        if x > 0:
            pair[0].append(x)
        else:
            pair[1].append(x)
    return pair


@case((True, 1.0), (False, 2.0))
def in_a_branch_alone(flag, x):
    out = [x]
    if flag:
        out.append(2 * x)
    return out, len(out), out[-1]


@case((3, 1.0), (0, 2.0), (-1, 1.0))
def in_nested_branches(k, x):
    out = []
    if k > 0:
        out.append(x)
        if k > 2:
            out.extend([x, x + 1])
    elif k == 0:
        out += [k, k]
    return out


@case(([1, 2], SIGNED), ([], NONE))
def argument_appended_to(items, a):
    for i in range(len(a)):
        if a[i] > 0:
            items.append(i)
    return len(items)


@case((SIGNED, 4), (SIGNED, 0))
def rebinding(a, n):
    out = []
    for i in range(n):
        out = out + [a[i]]  # noqa: RUF005
    return out


@case((SIGNED, 4), (NONE, 2))
def rebinding_under_a_condition(a, n):
    out = []
    for i in range(n):
        if a[i] > 0:
            out = [-1.0, *a] if n > 100 else out + [a[i]]  # noqa: RUF005
    return out


@case((SIGNED, 4), (SIGNED, 0))
def augmented(a, n):
    out = []
    for i in range(n):
        out += [a[i], i]
    return out


@case((SIGNED,), (NONE,))
def appended_after(a):
    out = []
    for x in a:
        if x > 0:
            out.append(x)
    out.append(7.0)
    out.extend([8.0, 9.0])
    for x in a:
        if x < 0:
            out.append(x)
    return out


# ---- taking away -----------------------------------------------------------------------------------------------------

GRAPH = np.random.default_rng(3).random((9, 9)) < 0.2
GRAPH |= GRAPH.T


@case((GRAPH, 0), (GRAPH, 5))
def depth_first(adjacent, start):
    n = adjacent.shape[0]
    seen = np.zeros(n, bool)
    stack, order = [start], []
    while stack:
        v = stack.pop()
        if seen[v]:
            continue
        seen[v] = True
        order.append(v)
        for w in range(n - 1, -1, -1):
            if adjacent[v, w] and not seen[w]:
                stack.append(w)
    return order


@case((GRAPH, 0), (GRAPH, 5))
def breadth_first(adjacent, start):
    n = adjacent.shape[0]
    distance = np.full(n, -1)
    distance[start] = 0
    queue = collections.deque([start])
    while queue:
        v = queue.popleft()
        for w in range(n):
            if adjacent[v, w] and distance[w] < 0:
                distance[w] = distance[v] + 1
                queue.append(w)
    return distance


@case((GRAPH, 0))
def breadth_first_by_going_over_a_list(adjacent, start):
    seen = np.zeros(adjacent.shape[0], bool)
    seen[start] = True
    queue = [start]
    for v in queue:
        for w in range(adjacent.shape[0]):
            if adjacent[v, w] and not seen[w]:
                seen[w] = True
                queue.append(w)
    return queue


@case((GRAPH,))
def components(adjacent):
    n = adjacent.shape[0]
    label = np.full(n, -1)
    sizes = []
    for s in range(n):
        if label[s] >= 0:
            continue
        stack = [s]
        label[s] = len(sizes)
        size = 0
        while len(stack) > 0:
            v = stack.pop()
            size += 1
            for w in range(n):
                if adjacent[v, w] and label[w] < 0:
                    label[w] = len(sizes)
                    stack.append(w)
        sizes.append(size)
    return label, sizes


@case((np.triu(GRAPH, 1),), (np.ones((3, 3), bool),))
def topological(before):
    n = before.shape[0]
    degree = before.sum(axis=0)
    ready = [i for i in range(n) if degree[i] == 0]
    order = []
    while ready:
        v = ready.pop()
        order.append(v)
        for w in range(n):
            if before[v, w]:
                degree[w] -= 1
                if degree[w] == 0:
                    ready.append(w)
    if len(order) < n:
        raise ValueError("there is a cycle")
    return order


@case((np.array([1, -1, 1, 1, -1, -1]),), (np.array([1, 1, -1]),), (np.array([-1, 1]),))
def parentheses(kinds):
    stack, pairs = [], []
    for i in range(len(kinds)):
        if kinds[i] > 0:
            stack.append(i)
        else:
            if not stack:
                return False, pairs
            pairs.append((stack.pop(), i))
    return not stack, pairs


@case((3, 1), (0, 1), (1, 2))
def pops_too_often(n, k):
    out = []
    for i in range(n):
        out.append(i)
    s = 0
    for _ in range(k):
        s += out.pop()
    return s, out


@case((SIGNED, 0), (SIGNED, 1), (SIGNED, -1), (SIGNED, 7), (NONE, 0))
def pops_by_index(a, i):
    out = []
    for x in a:
        if x > 0:
            out.append(x)
    got = out.pop(i)
    return got, out


@case((SIGNED, 0), (SIGNED, -3), (SIGNED, 3))
def deletes(a, i):
    out = [x for x in a if x > 0]
    del out[i]
    return out


@case((SIGNED, 1, 2), (SIGNED, 0, 9), (NONE, 0, 1))
def deletes_slices(a, i, j):
    out = [x for x in a if x > 0]
    del out[i:j]
    return out


@case((SIGNED, 0), (SIGNED, 2), (SIGNED, -1), (SIGNED, 99), (NONE, 0))
def inserts(a, i):
    out = [x for x in a if x > 0]
    out.insert(i, -0.5)
    out.insert(0, 0.25)
    return out


@case((SIGNED,), (NONE,))
def inserts_at_the_front_in_a_loop(a):
    out = []
    for x in a:
        if x > 0:
            out.insert(0, x)
    return out


@case((SIGNED, 4.0), (SIGNED, 1.5), (SIGNED, 3.0))
def removes(a, x):
    out = [v for v in a if v > 0]
    out.remove(x)
    return out


@case((SIGNED, True), (SIGNED, False))
def clears(a, flag):
    out = [v for v in a if v > 0]
    if flag:
        out.clear()
    out.append(1.0)
    return out


@case((np.array([3, 1, 4, 1, 5, 9, 2, 6]), 3))
def window_maxima(a, k):
    window = collections.deque()
    out = []
    for i in range(len(a)):
        while window and a[window[-1]] <= a[i]:
            window.pop()
        window.append(i)
        if window[0] <= i - k:
            window.popleft()
        if i >= k - 1:
            out.append(a[window[0]])
    return out


@case((SIGNED, 3), (SIGNED, 6))
def both_ends(a, n):
    q = collections.deque()
    for i in range(n):
        if a[i] > 0:
            q.appendleft(a[i])
        else:
            q.append(a[i])
    first = q[0]
    q.popleft()
    return first, q, len(q)


@case((0,), (2,))
def popleft_of_an_empty_one(n):
    q = collections.deque()
    for i in range(n):
        q.append(i)
    return q.popleft()


@case((np.array([3.0, -1.0, 2.0, 5.0, 1.0, 4.0, 2.0]),), (NONE,))
def heap_order(a):
    heap = []
    for x in a:
        if x > 0:
            heapq.heappush(heap, x)
    kept, out = list(heap), []
    while heap:
        out.append(heapq.heappop(heap))
    return kept, out


WEIGHTS = np.random.default_rng(0).random((7, 7)) * (np.random.default_rng(1).random((7, 7)) < 0.4)


@case((WEIGHTS, 0), (WEIGHTS, 3))
def shortest_ways(weights, start):
    n = weights.shape[0]
    distance = np.full(n, np.inf)
    distance[start] = 0.0
    heap = [(0.0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for v in range(n):
            if weights[u, v] > 0 and d + weights[u, v] < distance[v]:
                distance[v] = d + weights[u, v]
                heapq.heappush(heap, (distance[v], v))
    return distance


@case((SIGNED, 3), (SIGNED, 1))
def largest_few(a, k):
    heap = []
    for x in a:
        if len(heap) < k:
            heapq.heappush(heap, x)
        else:
            heapq.heappushpop(heap, x)
    return heap


@case((NONE,), (SIGNED,))
def heappop_of_an_empty_one(a):
    heap = [x for x in a if x > 0]
    first = heapq.heapreplace(heap, 2.0)
    return first, heapq.heappop(heap)


# ---- reading and writing ---------------------------------------------------------------------------------------------


@case((SIGNED, 0), (SIGNED, 2), (SIGNED, -1), (SIGNED, -3), (SIGNED, 3), (SIGNED, -4), (NONE, 0))
def indexes(a, i):
    out = []
    for x in a:
        if x > 0:
            out.append(x)
    return out[i]


@case((SIGNED,), (NONE,))
def indexes_by_literals(a):
    out = [x for x in a if x > 0]
    return out[0], out[-1], out[1]


@case((SIGNED, 1, 5.0), (SIGNED, -1, 2.0), (SIGNED, 8, 1.0))
def assigns(a, i, v):
    out = [x for x in a if x > 0]
    out[i] = v
    out[0] += 1
    return out


@case((np.array([1, 1, 2, 2, 2, 3]),), (np.array([4]),), (np.zeros(0, int),))
def run_lengths(a):
    runs = []
    for x in a:
        if runs and runs[-1][0] == x:
            runs[-1] = (x, runs[-1][1] + 1)
        else:
            runs.append((x, 1))
    return runs


@case((np.array([[1, 3], [2, 6], [8, 10], [9, 12]]),), (np.array([[1, 2]]),))
def union_of_intervals(spans):
    merged = []
    for lo, hi in spans:
        if merged and lo <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], hi))
        else:
            merged.append((lo, hi))
    return merged


@case((np.array([1, 3, 5]), np.array([2, 3, 8, 9])), (np.zeros(0, int), np.array([1])))
def merges_sorted(a, b):
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    while i < len(a):
        out.append(a[i])
        i += 1
    while j < len(b):
        out.append(b[j])
        j += 1
    return out


BOXES = np.random.default_rng(1).random((8, 2)) * 4


@case((BOXES, np.arange(8.0), 1.0), (BOXES, -np.arange(8.0), 0.1))
def suppression(places, scores, radius):
    order = np.argsort(-scores)
    keep = []
    for i in order:
        near = False
        for k in keep:
            if np.abs(places[i] - places[k]).max() < radius:
                near = True
                break
        if not near:
            keep.append(i)
    return keep


@case((SIGNED,), (NONE,))
def goes_over(a):
    out = [x for x in a if x > 0]
    s = 0.0
    for x in out:
        s += x
    for i, x in enumerate(out):
        s += i * x
    for x, y in zip(out, a, strict=False):
        s += x * y
    for x in reversed(out):
        s = s / 2 + x
    return s


@case((SIGNED,), (NONE,))
def reduces(a):
    out = [x for x in a if x > 0]
    return sum(out), any(x > 2 for x in out), all(out), len(out), sum(x * 2 for x in out if x < 3)


@case((SIGNED,), (NONE,))
def extremes(a):
    out = [x for x in a if x > 0]
    return min(out), max(out)


@case((SIGNED, 3.0), (SIGNED, 4.0), (NONE, 1.0))
def contains(a, x):
    out = [v for v in a if v > 0]
    return x in out, x not in out, out.count(x)


@case((SIGNED, 3.0), (SIGNED, 4.0))
def finds(a, x):
    out = [v for v in a if v > 0]
    return out.index(x)


@case((SIGNED,), (NONE,))
def compares(a):
    up = [x for x in a if x > 0]
    same = [x for x in a if x > 0]
    down = [x for x in a if x <= 0]
    return up == same, up == down, up != down, up == [], up == [1.5, 3.0, 6.0]


@case((SIGNED, 1, 2), (SIGNED, -2, 9), (NONE, 0, 1))
def slices(a, i, j):
    out = [x for x in a if x > 0]
    return out[i:j], out[:i], out[j:], out[:], out[::-1], out[1:]


@case((SIGNED,), (NONE,))
def adds(a):
    up = [x for x in a if x > 0]
    down = [x for x in a if x < 0]
    more = [0.0]
    return up + down, more + up, up + more, list(up), up.copy()


@case((SIGNED,), (NONE,))
def truth(a):
    out = [x for x in a if x > 0]
    if not out:
        return "none"
    return "some" if len(out) > 1 else "one"


@case((SIGNED,), (NONE,))
def reverses(a):
    out = [x for x in a if x > 0]
    out.reverse()
    return out


@case((SIGNED,), (NONE,))
def sorts(a):
    out = [x for x in a if x > 0]
    pairs = [(i % 2, -x, i) for i, x in enumerate(a) if x != 0]
    out.sort(key=lambda x: -x)
    return out, sorted(out), sorted(out, reverse=True), sorted(pairs), sorted(pairs, key=lambda p: p[0], reverse=True)


@case((SIGNED,), (NONE,))
def copies(a):
    out = [x for x in a if x > 0]
    second, third, fourth = out[:], copy.copy(out), copy.deepcopy(out)
    second.append(5.0)
    third.append(1.0)
    return out, second, third, fourth


@case((SIGNED,), (NONE,))
def types(a):
    out = [x for x in a if x > 0]
    return isinstance(out, list), type(out) is list, type(out).__name__


@case((SIGNED,), (NONE,))
def extends(a):
    out = []
    out.extend(2 * x for x in a if x > 0)
    out.extend(a)
    out += [x for x in a if x < 0]
    out.extend(range(len(out)))
    return out


@case((SIGNED, True), (SIGNED, False))
def one_or_the_other(a, flag):
    up, down = [x for x in a if x > 0], [x for x in a if x < 0]
    chosen = up if flag else down
    chosen.append(9.0)
    maybe = None
    if flag:
        maybe = down
    return chosen, up, down, -1 if maybe is None else len(maybe)


@dataclasses.dataclass
class Record:
    items: list = dataclasses.field(default_factory=list)


@case((SIGNED,), (NONE,))
def lists_that_libraries_make(a):
    record, groups = Record(), collections.defaultdict(list)
    words, ranks = "a b".split(), sorted([3, 1])
    groups["all"].append(0)
    for i, x in enumerate(a):
        if x > 0:
            record.items.append(i)
            groups["all"].append(i)
            words.append("c")
            ranks.append(i)
    return record.items, groups, words, ranks


@case((SIGNED,), (NONE,))
def sorts_mixed_numbers(a):
    out = []
    for i, x in enumerate(a):
        if x > 0:
            out.append(i)
        else:
            out.append(x)
            out.append(-i)
    return sorted(out), sorted(out, reverse=True)


@case((SIGNED,), (NONE,))
def one_of_two_lists(a):
    up, down = [x for x in a if x > 0], [x for x in a if x < 0]
    one = up if a[0] > 0 else down
    both = [0.0]
    both.extend(one)
    return sum(one), max(one, default=0.0), [x * 2 for x in one], both, list(one)


@case((SIGNED,), (NONE,))
def lists_in_a_list(a):
    rows = [[] for _ in range(3)]
    for i in range(len(a)):
        if a[i] > 0:
            rows[i % 3].append(i)
    return rows, len(rows[0])


@case((SIGNED,), (NONE,))
def prints(a):
    out = []
    for i, x in enumerate(a):
        if x > 0:
            out.append(i)
    print(out, len(out))
    print(f"found {out}")


# ---- elements --------------------------------------------------------------------------------------------------------


@case((SIGNED,), (NONE,))
def mixed_numbers(a):
    out = []
    for i, x in enumerate(a):
        if x > 0:
            out.append(i)
        else:
            out.append(0.5)
            out.append(x)
            out.append(x < -3)
    return out


@case((SIGNED,), (NONE,))
def text_and_none(a):
    out = []
    for x in a:
        if x > 2:
            out.append("big")
        elif x > 0:
            out.append(None)
        else:
            out.append("small")
    return out


@case(
    (np.arange(12.0).reshape(4, 3) - 4,),
)
def rows(a):
    out = []
    for i in range(len(a)):
        if a[i].sum() > 0:
            out.append(a[i] * 2)
    return out


@case(
    (np.arange(12.0).reshape(4, 3) - 4,),
)
def records(a):
    out = []
    for i, row in enumerate(a):
        if row[0] > 0:
            out.append((i, "row", (row.sum(), row + 1)))
    return out


@case((SIGNED.astype(np.float32), 2), (SIGNED.astype(np.int16), 1))
def small_dtypes(a, k):
    out = []
    for x in a:
        if x > k:
            out.append(x)
    return out


@case((np.arange(12.0).reshape(4, 3) - 4,), (np.ones((2, 3)),))
def states(a):
    x = np.zeros(3)
    path = []
    for row in a:
        x = x + row
        if x.sum() > 0:
            path.append(x)
    return path, x


@case((np.arange(12.0).reshape(4, 3) - 4,))
def copies_of_what_changes(a):
    x = np.zeros(3)
    path = []
    for row in a:
        x += row
        if x[0] > -5:
            path.append(x.copy())
    x[0] = 100.0
    return path


@case((np.arange(12.0).reshape(4, 3) - 4,))
def written_before(a):
    out = []
    for row in a:
        new = np.zeros(3)
        new[1] = row.sum()
        if new[1] > 0:
            out.append(new)
    return out


# ---- comprehensions and filter ---------------------------------------------------------------------------------------


@case((SIGNED, 2.0), (NONE, 1.0))
def comprehension(a, k):
    return [x * k for x in a if x > 0]


@case((SIGNED,), (NONE,))
def nested_comprehension(a):
    return [(i, j) for i in range(3) for j in range(i) if a[i % 2] * j >= 0 if i != 1]


@case((4,), (0,))
def comprehension_over_a_run_time_range(n):
    return [i * i for i in range(n)]


@case((SIGNED, 4), (NONE, 0))
def over_a_list_of_static_length(a, k):
    return [x for x in [1, 2, 3, 4, 5] if x > k], [x for x in [1.5, a] if k > 0] and k


@case((SIGNED,), (NONE,))
def filters(a):
    return list(filter(lambda x: x > 0, a)), len(list(filter(None, a)))


@case((SIGNED,), (NONE,))
def of_generators(a):
    def positive(v):
        for x in v:
            if x > 0:
                yield x

    return list(positive(a)), sum(positive(a))


@case((3,), (0,))
def lists_of_ranges(n):
    out = list(range(n))
    out.append(-1)
    return out, list(map(lambda i: i + 1, range(n)))


@case((SIGNED,), (NONE,))
def comprehension_of_a_grown_list(a):
    up = [x for x in a if x > 0]
    return [2 * x for x in up], [i for i, x in enumerate(up) if x < 5]


@case((SIGNED, 2), (SIGNED, 0))
def static_comprehensions_stay(a, k):
    out = []
    for x in a:
        if x > k:
            out.append(x)
    squares = [i * i for i in range(3)]
    return np.zeros(len(squares)), squares, out


# ---- NumPy -----------------------------------------------------------------------------------------------------------

MATRIX = np.arange(12.0).reshape(4, 3) - 4


@case((SIGNED,))
def arrays_of_lists(a):
    out = [x for x in a if x > 0]
    v = np.array(out)
    return v, v * 2, v.sum(), np.asarray(out).size, np.array(out) + out


@case((SIGNED,))
def functions_of_lists(a):
    out = [x for x in a if x > 0]
    twice = [2 * x for x in out]
    return np.sum(out), np.mean(out), np.max(out), np.add(out, 1.0), np.sqrt(out), np.cumsum(out), np.dot(out, twice)


@case((SIGNED,))
def lists_of_places(a):
    places = [i for i in range(len(a)) if a[i] > 0]
    return a[np.array(places)], a[places]


@case((MATRIX,))
def lists_of_rows(a):
    out = []
    for row in a:
        if row.sum() > 0:
            out.append(row * 2)
    return np.array(out), np.stack(out), np.vstack(out), np.concatenate(out), np.hstack(out)


@case((SIGNED,))
def lists_of_tuples(a):
    out = []
    for i in range(len(a)):
        if a[i] > 0:
            out.append((i, 2 * i))
    return np.array(out)


@case((SIGNED,))
def arrays_of_mixed_numbers(a):
    out = []
    for x in a:
        if x > 0:
            out.append(x)
        else:
            out.append(1)
            out.append(2)
    return np.array(out, dtype=float), np.array(out, float)


@case((SIGNED,))
def lists_of_known_length_beside(a):
    out = []
    for x in a:
        if x > 0:
            out.append(x)
    known = [a[0], 2.0]
    known.append(3.0)
    return np.array(known), np.array([[1, 2], [3, a[1]]]), np.mean(known), a[[0, 1]], np.zeros(len(known)), out


@case((np.zeros((0, 3)),), (MATRIX - 100,))
def nothing_to_stack(a):
    out = [row for row in a if row.sum() > 0]
    return np.stack(out)


# ---- try, hostile ----------------------------------------------------------------------------------------------------


@case((SIGNED, 0), (SIGNED, 9), (NONE, 0))
def caught(a, i):
    out = [x for x in a if x > 0]
    try:
        got = out[i]
        out.append(got)
    except IndexError:
        got = -1.0
    return got, out


@case((SIGNED,), (NONE,))
def pops_until_it_fails(a):
    out = [x for x in a if x > 0]
    s = 0.0
    try:
        while True:
            s += out.pop()
    except IndexError:
        return s, out


@case((4, 3), (0, 2))
def list_of_each_step(n, m):
    total = 0
    for i in range(n):
        row = []
        for j in range(m):
            if (i + j) % 2:
                row.append(i * j)
        total += len(row) + sum(row)
    return total


@case((7,), (0,))
def swapped(n):
    now, then = [1], []
    for i in range(n):
        then.append(i)
        if i % 3 == 0:
            now, then = then, now
    return now, then


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python_with_all_numbers_at_run_time(program: Program) -> None:
    with configure(auto_static=False):
        program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_as_in_eager_python_with_static_arguments(program: Program) -> None:
    program.check_static()


# ---- refused ---------------------------------------------------------------------------------------------------------


def _changes_after_it_was_appended(a):
    out, x = [], np.zeros(3)
    for row in a:
        if row[0] > 0:
            out.append(x)
    x[0] = 1.0
    return out


def _changes_in_the_next_step(a):
    out, x = [], np.zeros(3)
    for row in a:
        x += row
        if row[0] > 0:
            out.append(x)
    return out


def _changes_in_the_next_step_under_another_name(a):
    out, x = [], np.zeros(3)
    for row in a:
        x[0] += 1
        x = x.copy()
        if row[0] > 0:
            out.append(x)
    return out


def _changes_what_it_reads(a):
    out = [row for row in a if row[0] > 0]
    first = out[0]
    first[0] = 3.0
    return out


def _changes_what_it_reads_in_a_loop(a):
    out = [row for row in a if row[0] > 0]
    for row in out:
        row += 1
    return out


def _changes_what_a_branch_read(a):
    out = [row for row in a if row[0] > 0]
    x = out[0] if a[0, 0] > 5 else np.zeros(3)
    x[0] = 3.0
    return out


@pytest.mark.parametrize(
    "function",
    [
        _changes_after_it_was_appended,
        _changes_in_the_next_step,
        _changes_in_the_next_step_under_another_name,
        _changes_what_it_reads,
        _changes_what_it_reads_in_a_loop,
        _changes_what_a_branch_read,
    ],
)
def test_writes_into_items_are_refused(function):
    with pytest.raises(AliasError, match="an item of a list whose length is known only at run time"):
        jit(function)(np.arange(12.0).reshape(4, 3) - 4)


def test_a_deque_as_an_item_is_refused():
    def f(a):
        out = []
        for x in a:
            if x > 0:
                out.append(collections.deque([x, x]))
        return out

    with pytest.raises(UnsupportedOperationError, match=r"a deque is an item of a list .* append a tuple"):
        jit(f)(SIGNED)


def test_a_list_that_is_an_item_may_not_be_changed():
    def f(a):
        out = []
        for x in a:
            if x > 0:
                out.append([x, x])
        out[0][1] = 3.0
        return out

    with pytest.raises(AliasError, match=r"a list or dict that is an item of a list"):
        jit(f)(SIGNED)
