"""Graphs."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def floyd_warshall(distance):
    """Turn edge lengths into shortest distances, in place."""
    n = distance.shape[0]
    for k in range(n):
        for i in range(n):
            distance[i, :] = np.minimum(distance[i, :], distance[i, k] + distance[k, :])
    return distance


def floyd_warshall_arguments(n):
    """Random edge lengths; most edges are missing (infinite)."""
    rng = generator()
    distance = np.where(rng.random((n, n)) < 0.2, rng.uniform(1.0, 10.0, (n, n)), np.inf)
    np.fill_diagonal(distance, 0.0)
    return (distance,)


def connected_components(indptr, indices):
    """The component of each node, numbered from 0 in the order of their first nodes."""
    n = indptr.shape[0] - 1
    labels = np.full(n, -1)
    components = 0
    for start in range(n):
        if labels[start] < 0:
            labels[start] = components
            stack = [start]
            while len(stack) > 0:
                node = stack.pop()
                for other in indices[indptr[node] : indptr[node + 1]]:
                    if labels[other] < 0:
                        labels[other] = components
                        stack.append(other)
            components += 1
    return labels


def connected_components_arguments(n):
    """A random graph of as many edges as nodes, in compressed rows: a large component, and many small ones."""
    first, second = generator().integers(0, n, (2, n - 1))
    ends = np.stack([np.concatenate([first, second]), np.concatenate([second, first])])
    counts = np.bincount(ends[0], minlength=n)
    return np.concatenate([[0], np.cumsum(counts)]), ends[1][np.argsort(ends[0], kind="stable")]


def page_rank(links, damping, steps):
    """The ranks of nodes by the links between them, a dense matrix."""
    n = links.shape[0]
    shares = links / np.maximum(links.sum(axis=0), 1.0)
    rank = np.full(n, 1.0 / n)
    for _ in range(steps):
        rank = damping * (shares @ rank) + (1.0 - damping) / n
    return rank


def breadth_first(indptr, indices, start):
    """The distance of each node from one, with an array for a queue."""
    n = indptr.shape[0] - 1
    distance = np.full(n, -1)
    queue = np.zeros(n, dtype=np.int64)
    queue[0] = start
    distance[start] = 0
    head = 0
    tail = 1
    while head < tail:
        node = queue[head]
        head += 1
        for k in range(indptr[node], indptr[node + 1]):
            other = indices[k]
            if distance[other] < 0:
                distance[other] = distance[node] + 1
                queue[tail] = other
                tail += 1
    return distance


def dijkstra(lengths, start):
    """Shortest distances from one node in a dense graph."""
    n = lengths.shape[0]
    distance = np.full(n, np.inf)
    done = np.zeros(n, dtype=np.bool_)
    distance[start] = 0.0
    for _ in range(n):
        node = -1
        for j in range(n):
            if not done[j] and (node < 0 or distance[j] < distance[node]):
                node = j
        done[node] = True
        for j in range(n):
            if distance[node] + lengths[node, j] < distance[j]:
                distance[j] = distance[node] + lengths[node, j]
    return distance


def union_find(n, first, second):
    """The number of components of a graph, by roots with path halving."""
    parent = np.arange(n)
    components = n
    for k in range(first.shape[0]):
        a = first[k]
        b = second[k]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[a] = b
            components -= 1
    return components, parent


def triangles(adjacency):
    """The number of triangles of an undirected graph."""
    return np.sum((adjacency @ adjacency) * adjacency) / 6.0


def breadth_first_arguments(n):
    """A random graph in compressed rows, and the node of the most neighbours."""
    indptr, indices = connected_components_arguments(n)
    return indptr, indices, int(np.argmax(np.diff(indptr)))


KERNELS = (
    Kernel(floyd_warshall, "arrays", floyd_warshall_arguments, (7,), (16,), (200,)),
    Kernel(connected_components, "slices", connected_components_arguments, (7,), (200,), (20_000,)),
    Kernel(
        page_rank,
        "arrays",
        lambda n, steps: ((generator().random((n, n)) < 0.3) * 1.0, 0.85, steps),
        (5, 3),
        (30, 20),
        (600, 50),
    ),
    Kernel(breadth_first, "elements", breadth_first_arguments, (7,), (60,), (30_000,)),
    Kernel(dijkstra, "elements", lambda n: (*floyd_warshall_arguments(n), 0), (6,), (16,), (300,)),
    Kernel(union_find, "elements", lambda n: (n, *generator().integers(0, n, (2, n))), (8,), (100,), (30_000,)),
    Kernel(
        triangles,
        "arrays",
        lambda n: (
            np.triu((generator().random((n, n)) < 0.2) * 1.0, 1)
            + np.triu((generator().random((n, n)) < 0.2) * 1.0, 1).T,
        ),
        (5,),
        (40,),
        (600,),
        same_in_jax=True,
    ),
)
