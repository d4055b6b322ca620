"""Objects of the user's classes as keys of dicts, members of sets and arguments of cached functions."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict, deque
from dataclasses import dataclass

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
VALUES = [(np.array([5, 3, 8, 3, 9, 1, 5, 5, 2, 7]),), (np.array([1, 1, 2, 1, 9, 9, 3, 0, 0, 4]),)]


@dataclass(frozen=True)
class Place:
    x: int
    y: int

    def __add__(self, other):
        return Place(self.x + other.x, self.y + other.y)


@dataclass
class Unhashable:
    x: int


class Cell:
    def __init__(self, row, column):
        self.row, self.column = row, column

    def __eq__(self, other):
        return isinstance(other, Cell) and self.row == other.row and self.column == other.column

    def __hash__(self):
        return hash((self.row, self.column))


class Vertex:
    """Equal to others nearby, as long as they have one hash."""

    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        if not isinstance(other, Vertex):
            return NotImplemented
        return abs(self.x - other.x) < 1e-3 and abs(self.y - other.y) < 1e-3

    def __hash__(self):
        return hash((round(self.x, 6), round(self.y, 6)))


class Name:
    def __init__(self, text, number):
        self.text, self.number = text, number

    def __eq__(self, other):
        return (self.text, self.number) == (other.text, other.number)

    def __hash__(self):
        return hash(self.text) * 31 + hash(self.number)


class Node:
    def __init__(self, value):
        self.value, self.following = value, []


@case(*VALUES)
def counted_places(a):
    count = {}
    for i in range(len(a) - 1):
        p = Place(int(a[i]), int(a[i + 1]) % 3)
        count[p] = count.get(p, 0) + 1
    best = max(count, key=count.get)
    return best, count[best], len(count), count


@case((np.array([10, 3]),), (np.array([20, 5]),))
def distances(a):
    n, most = int(a[0]), int(a[1])
    distance = {Place(0, 0): 0}
    queue = deque([Place(0, 0)])
    while queue:
        p = queue.popleft()
        if distance[p] >= most:
            continue
        for step in (Place(1, 0), Place(0, 1), Place(-1, 0), Place(0, -1)):
            following = p + step
            if 0 <= following.x < n and 0 <= following.y < n and following not in distance:
                distance[following] = distance[p] + 1
                queue.append(following)
    return distance


@case(*VALUES)
def members_in_order(a):
    live = {Place(int(x) % 5, int(x) % 3) for x in a}
    return [p.x for p in live], live


@case(*VALUES)
def pairs_of_places(a):
    edges = set()
    for i in range(len(a) - 1):
        edges.add((Place(int(a[i]), 0), Place(int(a[i + 1]), 1)))
    return len(edges), (Place(5, 0), Place(3, 1)) in edges


@case(*VALUES)
def removed(a):
    d = {}
    for i in range(len(a)):
        d[Place(1, int(a[i]))] = i
    d.pop(Place(1, int(a[0])))
    return d[Place(1, int(a[0]))]


@case(*VALUES)
def cells(a):
    seen, twice = set(), 0
    for i in range(len(a) - 1):
        c = Cell(int(a[i]), int(a[i + 1]) % 2)
        if c in seen:
            twice += 1
        seen.add(c)
    return twice, len(seen)


@case((np.array([0.1, 0.2, 0.1, 0.3, 0.3001]),), (np.array([1.0, 2.0, 1.0, 2.0, 3.0]),))
def numbers_of_vertices(a):
    numbers, found = {}, []
    for i in range(len(a)):
        v = Vertex(float(a[i]), float(a[i]) / 3)
        if v not in numbers:
            numbers[v] = len(numbers)
        found.append(numbers[v])
    return found


@case(*VALUES)
def counted_names(a):
    counts = Counter()
    first = Name("a", 1)
    counts[first] += 10
    for i in range(len(a)):
        counts[Name("a" if a[i] > 4 else "b", int(a[i]) % 3)] += 1
    return counts[first], [(k.text, k.number, v) for k, v in counts.items()]


@case(*VALUES)
def grouped_names(a):
    groups = defaultdict(list)
    for i in range(len(a)):
        groups[Name("a", int(a[i]))].append(i)
    try:
        return groups.pop(Name("a", 100))
    except KeyError as error:
        return error.args[0].number, len(groups)


@case(*VALUES)
def unhashable(a):
    members = set()
    for i in range(len(a)):
        members.add(Unhashable(int(a[i])))
    return len(members)


@case(*VALUES)
def nodes_that_are_reached(a):
    nodes = []
    for i in range(len(a)):
        nodes.append(Node(int(a[i])))
    for i in range(len(a)):
        nodes[i].following.append(nodes[int(a[i]) % len(a)])
    distance, queue = {nodes[0]: 0}, [nodes[0]]
    while queue:
        node = queue.pop(0)
        for other in node.following:
            if other not in distance:
                distance[other] = distance[node] + 1
                queue.append(other)
    return len(distance), max(distance.values())


@case(*VALUES)
def costs_of_chosen_nodes(a):
    nodes = [Node(int(v)) for v in a]
    cost = {}
    for i in range(len(a)):
        node = nodes[int(a[i])]
        cost[node] = cost.get(node, 0) + i
    return [cost.get(node, -1) for node in nodes]


@case(*[([Node(i) for i in range(5)], *values) for values in VALUES])
def sums_at_the_callers_nodes(nodes, a):
    sums = dict.fromkeys(nodes, 0)
    for x in a:
        sums[nodes[int(x) % 5]] += int(x)
    return [sums[node] for node in nodes]


@case(*VALUES)
def cached_by_tuples(a):
    @functools.cache
    def paths(place):
        x, y = place
        return 1 if x <= 0 or y <= 0 else paths((x - 1, y)) + paths((x, y - 1))

    return paths((int(a[0]), int(a[1])))


@case(*VALUES)
def cached_by_places(a):
    @functools.cache
    def paths(place):
        return 1 if place.x <= 0 else paths(Place(place.x - 1, place.y)) + place.y

    return paths(Place(int(a[0]), int(a[1])))


@case(*VALUES)
def cached_by_lists(a):
    @functools.cache
    def total(values):
        return sum(values)

    return total([int(a[0]), int(a[1])])


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()
