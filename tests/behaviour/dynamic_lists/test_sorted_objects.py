"""Lists of run-time length in the order of their objects' own `<`, and deques that are turned."""

from __future__ import annotations

import functools
import heapq
from collections import deque
from dataclasses import dataclass, field

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()
VALUES = [(np.array([5, 3, 8, 3, 9, 1, 5, 5, 2, 7]),), (np.array([1, 1, 2, 1, 9, 9, 3, 0, 0, 4]),)]


class Task:
    def __init__(self, priority, number):
        self.priority, self.number = priority, number

    def __lt__(self, other):
        return self.priority < other.priority


@dataclass(order=True)
class Item:
    priority: float
    number: int = field(compare=False)


@dataclass(frozen=True, order=True)
class Card:
    rank: int
    suit: str


@functools.total_ordering
class Version:
    __slots__ = ("major", "minor")

    def __init__(self, major, minor):
        self.major, self.minor = major, minor

    def __eq__(self, other):
        return (self.major, self.minor) == (other.major, other.minor)

    def __lt__(self, other):
        return (self.major, self.minor) < (other.major, other.minor)


@dataclass
class Unordered:
    x: int


@case(*VALUES)
def tasks(a):
    found = []
    for i, x in enumerate(a):
        if x > 2:
            found.append(Task(int(x), i))
    found.sort()
    return [t.number for t in found], [t.number for t in sorted(found, reverse=True)], min(found).number


@case(*VALUES)
def items_and_cards(a):
    found, cards = [], []
    for i, x in enumerate(a):
        if x > 2:
            found.append(Item(float(x), i))
            cards.append((int(x) % 2, Card(int(x) % 3, "S")))
    cards.sort()
    return [t.number for t in sorted(found)], [(x, c.rank) for x, c in cards]


@case(*VALUES)
def versions(a):
    found = []
    for i in range(len(a) - 1):
        if a[i] != 1:
            found.append(Version(int(a[i]), int(a[i + 1])))
    ordered = sorted(found)
    return [(v.major, v.minor) for v in ordered], max(found).major, found.index(ordered[0]), ordered[0] <= ordered[1]


@case(*VALUES)
def by_a_comparison(a):
    def compare(x, y):
        return (x % 3 > y % 3) - (x % 3 < y % 3) or y - x

    return sorted([int(x) for x in a if x > 2], key=functools.cmp_to_key(compare))


@case(*VALUES)
def without_an_order(a):
    found = []
    for x in a:
        if x > 2:
            found.append(Unordered(int(x)))
    return sorted(found)


@case(([3.0, 1.0, 2.0], [10, 20, 30]), ([5.0, 4.0, 9.0, 9.0], [1, 2, 3, 4]))
def a_heap_of_items(priorities, numbers):
    heap, found = [], []
    for priority, number in zip(priorities, numbers, strict=True):
        heapq.heappush(heap, Item(priority, number))
    while heap:
        item = heapq.heappop(heap)
        found.append(item.number)
        if item.priority > 4 and item.number < 100:
            heapq.heappush(heap, Item(item.priority / 2, item.number + 100))
    return found


@case((np.array([20, 3]),), (np.array([30, 4]),), (np.array([1, 4]),))
def last_in_the_circle(a):
    circle, found = deque(range(int(a[0]))), []
    while circle:
        circle.rotate(1 - int(a[1]))
        found.append(circle.popleft())
    return found


@case(*VALUES)
def turned(a):
    short, full, empty = deque([1, 2, 3, 4]), deque([1, 2, 3], maxlen=3), deque()
    for each in (short, full, empty):
        each.rotate(int(a[0]))
    full.append(4)
    some = deque(x for x in a if x > 2)
    some.rotate()
    some.rotate(0)
    some.rotate(-3)
    return short, full, empty, some


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()


def test_nan_has_no_place() -> None:
    @jit
    def f(a):
        found = []
        for x in a:
            if x != 7:
                found.append(Task(float(x), 0))
        found.sort()
        return [t.priority for t in found]

    assert f(np.array([3.0, 1.0, 7.0, 2.0])) == [1.0, 2.0, 3.0]
    with pytest.raises(UnsupportedOperationError, match="NaN"):
        f(np.array([3.0, np.nan, 7.0, 2.0]))
