"""Programs that keep their data in dicts, as plain programmers write them."""

from __future__ import annotations

import heapq
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

from anabranch import configure, jit
from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()
EDGES = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [1, 3], [4, 5]])
MORE = np.concatenate([EDGES[:4], [[0, 3], [3, 1], [2, 3], [0, 2], [1, 0]]])
DAG = np.array([[5, 2], [5, 0], [4, 0], [4, 1], [2, 3], [3, 1]])
WEIGHTED = np.array([[0, 1, 4], [0, 2, 1], [2, 1, 2], [1, 3, 5], [2, 3, 8]])
WORDS = ["ant", "bee", "cow", "ape", "bat", "cat", "auk"]
NUMBERS = np.array([5, 6, 7, 6, 5, 77, 12])


class Graph:
    def __init__(self):
        self.graph = {}
        self.edges = 0

    def add_edge(self, u, v):
        if u in self.graph:
            self.graph[u].append(v)
        else:
            self.graph[u] = [v]
        if v not in self.graph:
            self.graph[v] = []
        self.edges += 1


def a_graph():
    g = Graph()
    for u, v in EDGES.tolist():
        g.add_edge(u, v)
    return g


# ---- arguments -----------------------------------------------------------------------------------------------------


@case((Graph(), 1, 2), (a_graph(), 1, 7), (a_graph(), 8, 9), (a_graph(), 3, 3))
def add_edge(g, u, v):
    g.add_edge(u, v)


@case((Graph(), EDGES), (a_graph(), EDGES + 3), slow=True)
def add_edges(g, es):
    for u, v in es.tolist():
        g.add_edge(u, v)
    return g.edges


@case(({1: [2], 2: []}, 3, 1), ({1: [2], 2: []}, 1, 5), ({}, 0, 0))
def add_to_a_dict(d, u, v):
    if u not in d:
        d[u] = []
    d[u].append(v)
    return d[u]


@case(({1: [2], 2: []}, 3, 1), ({1: [2], 2: []}, 1, 5))
def setdefault_append(d, u, v):
    d.setdefault(u, []).append(v)
    return len(d)


@case(({1: [2], 2: [7]}, 2), ({1: [2], 2: [7]}, 9))
def one_list_at_two_keys(d, k):
    d[k] = d[1]
    d[1].append(5)
    return d[k]


@case(({1: [2, 3], 2: [7]}, 1), ({1: [2, 3], 2: [7]}, 9))
def missing_key(d, k):
    d[k + 1] = [1]
    return d[k]


@case(([3, 4], {1: [2]}, 6))
def a_list_of_the_callers(items, d, k):
    d[k] = items
    items.append(9)


@case(({1: (1, 2)}, 5), ({}, 5))
def tuples(d, k):
    d[k] = (k, k + 1)
    return d[k][1]


@case(({1: {2: 5}, 2: {}}, 2, 1, 7), ({1: {2: 5}, 2: {}}, 3, 1, 7), ({}, 3, 1, 7))
def dicts_in_a_dict(g, u, v, w):
    if u not in g:
        g[u] = {}
    g[u][v] = w
    return g[u], len(g[u])


@case(({1: {2, 5}, 2: set()}, 2, 1), ({1: {2, 5}, 2: set()}, 1, 5), ({1: {2, 5}}, 3, 1))
def sets_in_a_dict(g, u, v):
    g.setdefault(u, set()).add(v)
    g[1].discard(2)
    return v in g[1], sorted(g[u])


@case((defaultdict(set), 2, 1), (defaultdict(set, {2: {1, 7}}), 2, 3), slow=True)
def a_defaultdict_of_sets(g, u, v):
    g[u].add(v)
    g[v].add(u)
    return len(g[u])


@case((defaultdict(dict), 2, 1), (defaultdict(dict, {2: {1: 7}}), 2, 3), slow=True)
def a_defaultdict_of_dicts(g, u, v):
    g[u][v] = 1
    g[v][u] = 2
    return g[u] is g[v], g[u]


# ---- lists, dicts and sets in dicts that are arguments ----


@case(
    ({1: {2: [3]}, 2: {}}, 2, 5),
)
def deep_arg(d, u, v):
    d[u + 7] = {}
    d[u + 7][v] = [v]
    d[1][2].append(v)
    return d[1][2]


@case(({"a": [1], "b": []}, "a", 3), ({"a": [1], "b": []}, "c", 3))
def text_keys(d, k, x):
    d.setdefault(k, []).append(x)
    return d


@case(
    ({1: ["x"]}, 2),
)
def lists_of_texts(d, k):
    d[k] = ["y"]
    d[1].append("z")
    return d


@case(
    ({1: [0.5, 2]}, 2),
)
def mixed(d, k):
    d[k] = [k, 1.5]
    d[1].append(True)
    return d


@case(
    ({1: [[1], [2]]}, 2),
)
def nested_lists(d, k):
    d[k] = [[k]]
    d[1][0].append(9)
    d[k].append([4])
    return d[1][1]


@case(
    ({1: [1]}, 2),
)
def keep_identity(d, k):
    x = d[1]
    d[k] = x
    d[k + 1] = [k]
    y = d[k + 1]
    y.append(5)
    return (x, y)


@case(
    ({1: [1]}, 2),
)
def drop(d, k):
    d[k] = [2]
    x = d.pop(1)
    x.append(4)
    del d[k]
    return x


@case(
    ({1: [1]}, 2),
)
def into_two(d, k):
    x = [k]
    d[k] = x
    d[k + 1] = x
    return x


@case(
    ([{1: [1]}, {2: [2]}], 2),
)
def two_dicts(ds, k):
    ds[0][k] = ds[1][2]
    ds[1][k + 1] = ds[0][1]
    ds[0][1].append(7)


class Memo:
    def __init__(self):
        self.known = {0: 0, 1: 1}
        self.hits = 0

    def fib(self, n):
        if n in self.known:
            self.hits += 1
            return self.known[n]
        a, b = 0, 1
        for _ in range(n - 1):
            a, b = b, a + b
        self.known[n] = b
        return b


@case((Memo(), 10), (Memo(), 1))
def memo_in_an_object(m, n):
    return m.fib(n) + m.fib(n)


class LRU:
    def __init__(self, capacity):
        self.capacity = capacity
        self.d = {}

    def get(self, k):
        if k not in self.d:
            return -1
        v = self.d.pop(k)
        self.d[k] = v
        return v

    def put(self, k, v):
        if k in self.d:
            self.d.pop(k)
        elif len(self.d) >= self.capacity:
            self.d.pop(next(iter(self.d)))
        self.d[k] = v


@case((LRU(2), NUMBERS % 4), slow=True)
def lru(cache, ks):
    found = []
    for k in ks.tolist():
        found.append(cache.get(k))
        cache.put(k, k * k)
    return found


class Ordered:
    def __init__(self, capacity):
        self.capacity = capacity
        self.d = OrderedDict()

    def use(self, k):
        if k in self.d:
            self.d.move_to_end(k)
            return self.d[k]
        self.d[k] = k * k
        if len(self.d) > self.capacity:
            self.d.popitem(last=False)
        return -1


@case((Ordered(2), NUMBERS % 4), slow=True)
def lru_ordered(cache, ks):
    return [cache.use(k) for k in ks.tolist()]


@case((Counter({1: 2}), 5), (OrderedDict({1: 2}), 5), (defaultdict(int, {1: 2}), 5))
def kinds_of_dicts(d, k):
    d[k] = 7
    d[k + 1] = d[1]


# ---- graphs -------------------------------------------------------------------------------------------------------


@case((EDGES, 0), slow=True)
def bfs(es, start):
    g = {}
    for u, v in es.tolist():
        if u not in g:
            g[u] = []
        if v not in g:
            g[v] = []
        g[u].append(v)
        g[v].append(u)
    seen = {start}
    order = []
    q = deque([start])
    while q:
        u = q.popleft()
        order.append(u)
        for v in g[u]:
            if v not in seen:
                seen.add(v)
                q.append(v)
    return order


@case(({0: [1, 2], 1: [3], 2: [3], 3: []}, 0), ({0: [1, 2], 1: [3], 2: [3], 3: []}, 2), slow=True)
def bfs_of_an_argument(g, start):
    dist = {start: 0}
    q = deque([start])
    while q:
        u = q.popleft()
        for v in g[u]:
            if v not in dist:
                dist[v] = dist[u] + 1
                q.append(v)
    return dist


@case((EDGES, 1), slow=True)
def dfs(es, start):
    g = defaultdict(list)
    for u, v in es.tolist():
        g[u].append(v)
        g[v].append(u)
    seen = set()
    stack = [start]
    order = []
    while stack:
        u = stack.pop()
        if u in seen:
            continue
        seen.add(u)
        order.append(u)
        for v in sorted(g[u]):
            stack.append(v)
    return order, len(g[start])


@case((WEIGHTED, 0), slow=True)
def dijkstra(es, s):
    g = {}
    for u, v, w in es.tolist():
        g.setdefault(u, {})[v] = w
        g.setdefault(v, {})[u] = w
    dist = {s: 0}
    heap = [(0, s)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v, w in g[u].items():
            if v not in dist or d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return dist


@case((NUMBERS, 3), (NUMBERS, 40))
def dicts_set_under_a_condition(xs, k):
    places, parity = {}, {}
    for i, x in enumerate(xs):
        if x > 5:
            places.setdefault(int(x) % k, {})[i] = int(x)
            parity.setdefault(int(x) % k, Counter()).update([i % 2])
    places[77 % k][99] = 1
    return places, parity


@case((EDGES, 6), slow=True)
def union_find(es, n):
    parent = {}
    for i in range(n):
        parent[i] = i

    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for u, v in es.tolist():
        a, b = find(u), find(v)
        if a != b:
            parent[a] = b
    return len({find(i) for i in range(n)}), parent


@case((DAG,), slow=True)
def kahn(es):
    g = defaultdict(list)
    degree = defaultdict(int)
    nodes = set()
    for u, v in es.tolist():
        g[u].append(v)
        degree[v] += 1
        nodes.add(u)
        nodes.add(v)
    ready = [u for u in sorted(nodes) if degree[u] == 0]
    order = []
    while ready:
        u = ready.pop()
        order.append(u)
        for v in g[u]:
            degree[v] -= 1
            if degree[v] == 0:
                ready.append(v)
    return order


@case((EDGES,), (np.array([[0, 1], [1, 2], [2, 0]]),), slow=True)
def bipartite(es):
    g = {}
    for u, v in es.tolist():
        g.setdefault(u, []).append(v)
        g.setdefault(v, []).append(u)
    colour = {}
    for s in g:
        if s in colour:
            continue
        colour[s] = 0
        stack = [s]
        while stack:
            u = stack.pop()
            for v in g[u]:
                if v not in colour:
                    colour[v] = 1 - colour[u]
                    stack.append(v)
                elif colour[v] == colour[u]:
                    return False
    return True


@case((EDGES, 1, 3), (EDGES, 0, 5), slow=True)
def adjacency_of_sets(es, a, b):
    g = {}
    for u, v in es.tolist():
        if u not in g:
            g[u] = set()
        if v not in g:
            g[v] = set()
        g[u].add(v)
        g[v].add(u)
    both = a in g[b]
    g[a].discard(b)
    return both, len(g[a]), sorted(g[b]), b in g[a]


@case((EDGES,), slow=True)
def default_sets(es):
    g = defaultdict(set)
    for u, v in es.tolist():
        g[u].add(v)
        g[v].add(u)
    return {u: len(g[u]) for u in sorted(g)}, sum(len(s) for s in g.values())


@case((WEIGHTED,), slow=True)
def default_dicts(es):
    g = defaultdict(dict)
    for u, v, w in es.tolist():
        g[u][v] = w
        g[v][u] = w
    return g, g[0][1], len(g[1]), 3 in g[0]


@case((WEIGHTED,), slow=True)
def nested_defaults(es):
    g = defaultdict(lambda: defaultdict(int))
    for u, v, w in es.tolist():
        g[u % 2][v % 2] += w
    return g[0][0], g[1][1], {k: sum(d.values()) for k, d in g.items()}


@case((EDGES, 1), (EDGES, 9), slow=True)
def remove_node(es, x):
    g = {}
    for u, v in es.tolist():
        g.setdefault(u, []).append(v)
        g.setdefault(v, []).append(u)
    for v in g[x]:
        g[v].remove(x)
    del g[x]
    return g


@case((EDGES,), slow=True)
def components(es):
    g = {}
    for u, v in es.tolist():
        g.setdefault(u, set()).add(v)
        g.setdefault(v, set()).add(u)
    seen = set()
    sizes = []
    for s in g:
        if s not in seen:
            stack, n = [s], 0
            seen.add(s)
            while stack:
                u = stack.pop()
                n += 1
                for v in sorted(g[u]):
                    if v not in seen:
                        seen.add(v)
                        stack.append(v)
            sizes.append(n)
    return sizes


# ---- tables -------------------------------------------------------------------------------------------------------


@case((NUMBERS,), slow=True)
def group_by(xs):
    groups = {}
    for x in xs.tolist():
        key = x % 3
        if key not in groups:
            groups[key] = []
        groups[key].append(x)
    return groups, {k: sum(v) / len(v) for k, v in groups.items()}


@case((NUMBERS,), slow=True)
def first_and_last(xs):
    places = {}
    for i, x in enumerate(xs.tolist()):
        if x in places:
            places[x][1] = i
        else:
            places[x] = [i, i]
    return max(b - a for a, b in places.values()), places


@case((NUMBERS,), slow=True)
def inverted_index(xs):
    index = {}
    for doc in range(len(xs)):
        for word in (xs[doc] % 4, xs[doc] % 5):
            if word not in index:
                index[word] = set()
            index[word].add(doc)
    return len(index), [len(index[w]) for w in sorted(index)]


@case((WORDS,))
def by_first_letter(words):
    found = {}
    for w in words:
        found.setdefault(w[0], []).append(w)
    return found, {k: len(v) for k, v in found.items()}


@case((WORDS,))
def counts_by_letter(words):
    counts = defaultdict(int)
    for w in words:
        for c in w:
            counts[c] += 1
    return sorted(counts.items())


@case((np.array([[1, 2, 3], [1, 2, 4], [1, 3, 3], [2, 2, 2]]),), slow=True)
def trie(rows):
    root = {}
    for row in rows.tolist():
        node = root
        for x in row:
            if x not in node:
                node[x] = {}
            node = node[x]
    n = 0
    for x in root:
        n += len(root[x])
    return n, 2 in root[1]


@case((NUMBERS, 12), (NUMBERS, 1000))
def two_sum(xs, target):
    seen = {}
    for i, x in enumerate(xs.tolist()):
        if target - x in seen:
            return seen[target - x], i
        seen[x] = i
    return None


@case((NUMBERS, True), (NUMBERS, False), slow=True)
def one_of_two_dicts(xs, c):
    even, odd = {}, {}
    for x in xs.tolist():
        d = even if x % 2 == 0 else odd
        d[x] = d.get(x, 0) + 1
    best = even if c else odd
    best[100] = 1
    return even, odd


@case((NUMBERS, 3), (NUMBERS, 5))
def a_dict_in_two_places(xs, k):
    d = {1: 1}
    e = {2: 2}
    if k > 4:
        e = d
    d[k] = 5
    e[k + 1] = 6
    return d, e


@case((np.array([[1, 7], [2, 5], [1, 3], [3, 3]]),))
def inventory(moves):
    stock = {}
    log = {}
    for item, n in moves.tolist():
        stock[item] = stock.get(item, 0) + n
        log[item] = (*log.get(item, (0, 0))[:1], n)
    return stock, log


@case((np.array([[1, 7], [2, 5], [1, 3], [3, 3]]),), slow=True)
def accounts(moves):
    books = {}
    for who, n in moves.tolist():
        if who not in books:
            books[who] = {"n": 0, "total": 0}
        books[who]["n"] += 1
        books[who]["total"] += n
    return books


@case((np.array([[0, 1, 2], [1, 1, 3], [0, 2, 5]]), 0, 1), (np.array([[0, 1, 2]]), 0, 7), slow=True)
def sparse_matrix(entries, i, j):
    rows = {}
    for r, c, v in entries.tolist():
        if r not in rows:
            rows[r] = {}
        rows[r][c] = rows[r].get(c, 0) + v
    return rows[i].get(j, 0), {r: sum(row.values()) for r, row in rows.items()}


@case((NUMBERS,), slow=True)
def keyed_counters(xs):
    c = defaultdict(Counter)
    for x in xs.tolist():
        c[x % 2][x] += 1
    return [c[0][6], c[1][5], c[1][1000]]


# ---- what is done to dicts and sets in dicts ----


@case((MORE,), slow=True)
def grows_in_loop(es):
    g = {}
    for u, v in es.tolist():
        g.setdefault(u, {})[v] = u
    for k in g[0]:
        g[0][k + 100] = 1
    return g


@case((MORE, 7), (MORE, 1))
def inner_key_error(es, k):
    g = {}
    for u, v in es.tolist():
        g.setdefault(u, {})[v] = u
    return g[1][k]


@case((MORE, 7), (MORE, 1), slow=True)
def outer_key_error(es, k):
    g = {}
    for u, v in es.tolist():
        g.setdefault(u, {})[v] = u
    del g[k][3]
    return g


@case((MORE,), slow=True)
def order_after_removal(es):
    g = {}
    for u, v in es.tolist():
        g.setdefault(u, {})[v] = u
    for u, v in es.tolist():
        w = g[u].pop(v)
        g[u][v] = w + 10
    g[1].pop(2)
    g[1][2] = 5
    k = g[0].popitem()
    return (g, k, [list(d) for d in g.values()], list(g[1].items()))


@case((MORE,))
def what_sets_have_in_common(es):
    g = {}
    for u, v in es.tolist():
        g.setdefault(u, set()).add(v * 7)
    return [(sum(s), len(s & g[0])) for s in g.values()]


@case((MORE,), slow=True)
def set_order(es):
    g = {}
    for u, v in es.tolist():
        g.setdefault(u, set()).add(v * 7)
    out = []
    for u in g:
        for x in g[u]:
            out.append(x)
    return out


@case((MORE,), slow=True)
def methods(es):
    g = defaultdict(dict)
    for u, v in es.tolist():
        g[u][v] = u + v
    h = dict(g[0])
    c = g[1].copy()
    c[50] = 1
    g[2].update(g[1])
    g[3].clear()
    g[3][9] = 9
    m = min(g[0], key=g[0].get)
    t = sum(g[1].values())
    s = sorted(g[2].items())
    return (h, c, g, m, t, s, g[0] == h, max(g[2].keys()), len(g[2]), list(g[1]))


@case((MORE,), slow=True)
def same_inner(es):
    g = {}
    first = {}
    for u, v in es.tolist():
        if u == 1:
            g[u] = first
        elif u not in g:
            g[u] = {}
        g[u][v] = 1
    return (g, first, g[1] is first)


@case((MORE,), slow=True)
def tuple_keys(es):
    g = {}
    for u, v in es.tolist():
        g.setdefault((u % 2, v % 2), {})[u, v] = u * 1.5
    return (g, (0, 1) in g[0, 1], len(g[1, 1]))


@case((MORE,), slow=True)
def deep(es):
    g = defaultdict(lambda: defaultdict(list))
    for u, v in es.tolist():
        g[u % 2][v % 2].append(u + v)
    return ({k: {j: len(x) for j, x in d.items()} for k, d in g.items()}, g[0][0])


@case((np.array([5, 4, 3, 2, 1]), {1: 1, 2: 2}, 5))
def keys_of_another_dict_into_one_of_no_kinds(ks, d, n):
    e = defaultdict(int)
    for _ in ks.tolist():
        e = e | d
    for k in ks.tolist():
        d[k + n] = 1
        n = e.pop(n, n)
    return e, d, n


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


IN_XLA = (add_to_a_dict, dicts_in_a_dict)


@case(([("x", 1), ("y", 2), ("x", 3)],), ([],))
def an_ordered_dict_of_a_sorted_list(pairs):
    groups = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return OrderedDict(sorted(groups.items(), key=lambda item: -sum(item[1])))


@case(([("x", 1)],))
def an_ordered_dict_of_triples(pairs):
    made = []
    for key, value in pairs:
        if value > 0:
            made.append((value, key, value))
    return OrderedDict(made)


@pytest.mark.parametrize("program", [p for p in case.programs if p.values[0].function in IN_XLA])
def test_as_in_eager_python_in_loops_of_xla(program: Program) -> None:
    with configure(native_loops=False):
        program.check()


def test_lists_of_the_caller_stay_the_same_objects() -> None:
    @jit
    def f(d, k):
        d[k] = [k]
        d[k].append(2)
        d[1].append(k)
        return d[1]

    for _ in range(3):
        old = [5]
        given = {1: old}
        assert f(given, 7) is old
        assert list(given) == [1, 7]
        assert given[1] is old
        assert given == {1: [5, 7], 7: [7, 2]}


def test_a_call_that_raises_leaves_the_dict_as_it_was() -> None:
    @jit
    def f(d, k):
        d[k] = [k]
        return d[k + 1]

    for _ in range(3):
        given = {1: [5]}
        with pytest.raises(KeyError, match="8"):
            f(given, 7)
        assert given == {1: [5]}


def test_a_deque_that_a_dict_of_the_callers_gets() -> None:
    def f(d, k):
        d[k] = deque([k])
        d[k].append(5)

    check(f, {}, 3)


def test_an_object_of_the_callers_in_a_list_that_a_dict_gets_is_the_very_one() -> None:
    @jit
    def f(d, k, x):
        d[k] = [x]

    one = Memo()
    for _ in range(3):
        given = {1: [5]}
        f(given, 2, one)
        assert given[2][0] is one
