"""Graphs: searches, shortest paths, trees, flows, ranks."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque

import numpy as np

from tests.programs.science.table import program


def _cities():
    return {
        "A": {"B": 7, "C": 9, "F": 14},
        "B": {"A": 7, "C": 10, "D": 15},
        "C": {"A": 9, "B": 10, "D": 11, "F": 2},
        "D": {"B": 15, "C": 11, "E": 6},
        "E": {"D": 6, "F": 9},
        "F": {"A": 14, "C": 2, "E": 9},
    }


def _edges():
    return [
        (0, 1, 4),
        (0, 7, 8),
        (1, 2, 8),
        (1, 7, 11),
        (2, 3, 7),
        (2, 8, 2),
        (3, 4, 9),
        (5, 6, 2),
        (6, 7, 1),
        (7, 8, 7),
    ]


@program(lambda: (_cities(), "A", "E"), lambda: (_cities(), "B", "B"))
def dijkstra_names(graph, start, goal):
    queue = [(0, start, [start])]
    done = set()
    while queue:
        cost, node, path = heapq.heappop(queue)
        if node == goal:
            return cost, path
        if node in done:
            continue
        done.add(node)
        for neighbour, weight in graph[node].items():
            if neighbour not in done:
                heapq.heappush(queue, (cost + weight, neighbour, path + [neighbour]))
    return float("inf"), []


@program(lambda: (9, _edges(), 0), lambda: (9, _edges(), 4))
def dijkstra_arrays(n, edges, source):
    adjacency = [[] for _ in range(n)]
    for u, v, w in edges:
        adjacency[u].append((v, w))
        adjacency[v].append((u, w))
    dist = [float("inf")] * n
    dist[source] = 0
    heap = [(0, source)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v, w in adjacency[u]:
            if d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return dist


@program(lambda: (np.array([[1, 2], [0, 3], [0, 3], [1, 2], [5, 5], [4, 4]]), 0))
def bfs_levels(neighbours, start):
    level = {start: 0}
    queue = deque([start])
    order = []
    while queue:
        node = queue.popleft()
        order.append(node)
        for nxt in neighbours[node]:
            nxt = int(nxt)
            if nxt not in level:
                level[nxt] = level[node] + 1
                queue.append(nxt)
    return order, level


@program(lambda: (_cities(), "A"))
def dfs_preorder(graph, start):
    seen, order = set(), []

    def visit(node):
        seen.add(node)
        order.append(node)
        for other in sorted(graph[node]):
            if other not in seen:
                visit(other)

    visit(start)
    return order


@program(lambda: (9, _edges()))
def kruskal(n, edges):
    parent = list(range(n))

    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    total, chosen = 0, []
    for u, v, w in sorted(edges, key=lambda e: e[2]):
        ru, rv = find(u), find(v)
        if ru != rv:
            parent[ru] = rv
            total += w
            chosen.append((u, v))
    return total, chosen


@program(lambda: (np.array([[0, 1], [2, 3], [1, 3], [4, 5], [6, 4]]), 8))
def union_find_components(pairs, n):
    parent = np.arange(n)
    size = np.ones(n, dtype=int)

    def find(i):
        root = i
        while parent[root] != root:
            root = parent[root]
        while parent[i] != root:
            parent[i], i = root, parent[i]
        return root

    for a, b in pairs:
        ra, rb = find(a), find(b)
        if ra == rb:
            continue
        if size[ra] < size[rb]:
            ra, rb = rb, ra
        parent[rb] = ra
        size[ra] += size[rb]
    roots = {int(find(i)) for i in range(n)}
    return len(roots), sorted(int(size[r]) for r in roots)


@program(lambda: ([(5, 2), (5, 0), (4, 0), (4, 1), (2, 3), (3, 1)], 6), lambda: ([(0, 1), (1, 2), (2, 0)], 3))
def topological_sort(edges, n):
    graph = defaultdict(list)
    indegree = [0] * n
    for u, v in edges:
        graph[u].append(v)
        indegree[v] += 1
    ready = deque(i for i in range(n) if indegree[i] == 0)
    order = []
    while ready:
        u = ready.popleft()
        order.append(u)
        for v in graph[u]:
            indegree[v] -= 1
            if indegree[v] == 0:
                ready.append(v)
    if len(order) < n:
        raise ValueError("the graph has a cycle")
    return order


@program(lambda: (np.array([[0, 1, 1, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]]), 0.85, 1e-10))
def pagerank(adjacency, damping, tol):
    n = len(adjacency)
    rank = np.full(n, 1 / n)
    out = adjacency.sum(axis=1)
    for iteration in range(200):
        new = np.full(n, (1 - damping) / n)
        for i in range(n):
            if out[i] == 0:
                new += damping * rank[i] / n
            else:
                new[adjacency[i] > 0] += damping * rank[i] / out[i]
        if np.abs(new - rank).sum() < tol:
            return new, iteration
        rank = new
    return rank, -1


@program(lambda: (9, _edges()))
def prim(n, edges):
    weight = np.full((n, n), np.inf)
    for u, v, w in edges:
        weight[u, v] = weight[v, u] = w
    inside = np.zeros(n, dtype=bool)
    best = np.full(n, np.inf)
    best[0] = 0.0
    total = 0.0
    for _ in range(n):
        u = int(np.argmin(np.where(inside, np.inf, best)))
        if np.isinf(best[u]):
            break
        inside[u] = True
        total += best[u]
        best = np.where(inside, best, np.minimum(best, weight[u]))
    return total, inside.sum()


@program(lambda: (np.array([[0, 16, 13, 0], [0, 0, 10, 12], [0, 4, 0, 14], [0, 0, 0, 0]]), 0, 3))
def max_flow(capacity, source, sink):
    n = len(capacity)
    residual = capacity.copy()
    flow = 0
    while True:
        parent = [-1] * n
        parent[source] = source
        queue = deque([source])
        while queue and parent[sink] == -1:
            u = queue.popleft()
            for v in range(n):
                if parent[v] == -1 and residual[u, v] > 0:
                    parent[v] = u
                    queue.append(v)
        if parent[sink] == -1:
            return flow, residual
        bottleneck, v = float("inf"), sink
        while v != source:
            bottleneck = min(bottleneck, residual[parent[v], v])
            v = parent[v]
        v = sink
        while v != source:
            residual[parent[v], v] -= bottleneck
            residual[v, parent[v]] += bottleneck
            v = parent[v]
        flow += bottleneck


@program(lambda: (5, [(0, 1, -1), (0, 2, 4), (1, 2, 3), (1, 3, 2), (1, 4, 2), (3, 2, 5), (3, 1, 1), (4, 3, -3)]))
def bellman_ford(n, edges):
    dist = [float("inf")] * n
    prev = [None] * n
    dist[0] = 0
    for _ in range(n - 1):
        changed = False
        for u, v, w in edges:
            if dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
                prev[v] = u
                changed = True
        if not changed:
            break
    for u, v, w in edges:
        if dist[u] + w < dist[v]:
            raise ValueError("negative cycle")
    return dist, prev


@program(lambda: (["S.#....", "..#.##.", "#...#..", "..#...E"],))
def maze_shortest_path(maze):
    h, w = len(maze), len(maze[0])
    start = next((i, j) for i in range(h) for j in range(w) if maze[i][j] == "S")
    queue = deque([(start, 0)])
    seen = {start}
    while queue:
        (i, j), d = queue.popleft()
        if maze[i][j] == "E":
            return d
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            p = (i + di, j + dj)
            if 0 <= p[0] < h and 0 <= p[1] < w and maze[p[0]][p[1]] != "#" and p not in seen:
                seen.add(p)
                queue.append((p, d + 1))
    return -1


@program(lambda: (np.array([[0, 3, np.inf, 7], [8, 0, 2, np.inf], [5, np.inf, 0, 1], [2, np.inf, np.inf, 0]]),))
def floyd_warshall(w):
    n = len(w)
    dist = w.copy()
    nxt = np.where(np.isfinite(w), np.arange(n), -1)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if dist[i, k] + dist[k, j] < dist[i, j]:
                    dist[i, j] = dist[i, k] + dist[k, j]
                    nxt[i, j] = nxt[i, k]
    path, u = [1], 1
    while u != 0:
        u = nxt[u, 0]
        path.append(int(u))
    return dist, path


@program(lambda: ({0: [1, 3], 1: [0, 2], 2: [1, 3], 3: [0, 2]},), lambda: ({0: [1, 2], 1: [0, 2], 2: [0, 1]},))
def two_colouring(graph):
    colour = {}
    for start in graph:
        if start in colour:
            continue
        colour[start] = 0
        stack = [start]
        while stack:
            u = stack.pop()
            for v in graph[u]:
                if v not in colour:
                    colour[v] = 1 - colour[u]
                    stack.append(v)
                elif colour[v] == colour[u]:
                    return None
    return colour


@program(lambda: (np.array([0, 1, 2, 3, 3, 4, 1]), np.array([1, 2, 0, 1, 4, 5, 5]), 6))
def strongly_connected(src, dst, n):
    forward = {i: [] for i in range(n)}
    backward = {i: [] for i in range(n)}
    for a, b in zip(src.tolist(), dst.tolist()):
        forward[a].append(b)
        backward[b].append(a)

    def reach(start, graph):
        seen, stack = {start}, [start]
        while stack:
            for v in graph[stack.pop()]:
                if v not in seen:
                    seen.add(v)
                    stack.append(v)
        return seen

    component = [None] * n
    for i in range(n):
        if component[i] is None:
            for j in reach(i, forward) & reach(i, backward):
                component[j] = i
    return component
