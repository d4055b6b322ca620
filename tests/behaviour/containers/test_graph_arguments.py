"""Graphs that are arguments, as dicts and lists of each node's neighbours: a key known only at run time chooses one."""

from __future__ import annotations

import heapq
import random
from collections import deque

import pytest

from tests.program_table import Table

case = Table()
_numbers = random.Random(1)
NEIGHBOURS = {u: sorted(_numbers.sample(range(20), _numbers.randint(0, 4))) for u in range(20)}
WEIGHTED = {u: [(v, _numbers.randint(1, 9)) for v in vs] for u, vs in NEIGHBOURS.items()}
IN_LISTS = {u: [list(edge) for edge in edges] for u, edges in WEIGHTED.items()}
SETS = {u: set(vs) for u, vs in NEIGHBOURS.items()}
FEW = {1: [[3, 2], [8, 3]], 2: [[3, 1], [5, 4]], 3: [[8, 1], [2, 4], [4, 5]], 4: [[5, 2]], 5: [[4, 3], [6, 4]]}
TUPLES = {u: [tuple(edge) for edge in edges] for u, edges in FEW.items()}


@case((NEIGHBOURS, 3), (NEIGHBOURS, 7))
def breadth_first(graph, start):
    distances, queue = {start: 0}, deque([start])
    while queue:
        u = queue.popleft()
        for v in graph[u]:
            if v not in distances:
                distances[v] = distances[u] + 1
                queue.append(v)
    return distances


case((list(NEIGHBOURS.values()), 3), (SETS, 3), slow=True)(breadth_first)


@case((list(NEIGHBOURS.values()), 5))
def depth_first(graph, start):
    seen, stack, order = set(), [start], []
    while stack:
        u = stack.pop()
        if u in seen:
            continue
        seen.add(u)
        order.append(u)
        for v in reversed(graph[u]):
            if v not in seen:
                stack.append(v)
    return order


@case((WEIGHTED, 3), (list(WEIGHTED.values()), 3), (IN_LISTS, 3), (FEW, 1), (TUPLES, 3), slow=True)
def shortest_paths(graph, start):
    distances, heap = {start: 0}, [(0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distances[u]:
            continue
        for v, w in graph[u]:
            if v in (0, 7) or v >= len(graph):
                continue
            if d + w < distances.get(v, 1000):
                distances[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return distances


@case((FEW,), (TUPLES,), slow=True)
def spanning_tree(graph):
    seen, heap, cost = [], [[0, 1]], 0
    while len(heap) > 0:
        weight, node = heapq.heappop(heap)
        if node in seen:
            continue
        cost += weight
        seen.append(node)
        for w, neighbour in graph[node]:
            if neighbour not in seen:
                heapq.heappush(heap, [w, neighbour])
    return cost, seen


@case((FEW, 3))
def least_edge(graph, u):
    best = [9, 9]
    for edge in graph[u]:
        if edge < best:
            best = edge
    return best


@case((WEIGHTED, 5), (WEIGHTED, 7), (FEW, 3), (FEW, 4))
def edges_of_one(graph, u):
    return (
        len(graph[u]),
        [a for a, _ in graph[u]],
        sum(b for _, b in graph[u]),
        min((b for _, b in graph[u]), default=0),
    )


@case((NEIGHBOURS, 5), (NEIGHBOURS, 7))
def neighbours_of_one(graph, u):
    near = graph[u]
    second = [w for v in near for w in graph[v]]
    return len(near), sum(near), max(near, default=-1), sorted(near), u in near, second, near[-1] if near else None


@case((FEW, 3), (FEW, 4))
def edges_with_too_many_parts(graph, u):
    total = 0
    for a, b, c in graph[u]:
        total += a + b + c
    return total


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program) -> None:
    program.check()
