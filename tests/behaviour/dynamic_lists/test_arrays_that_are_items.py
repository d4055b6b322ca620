"""Arrays that are items of lists, dicts and objects of run-time number, and change: they stay the same objects."""

from __future__ import annotations

import copy
import heapq
from collections import defaultdict, deque
from dataclasses import dataclass

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, configure, jit
from tests.program_table import Table

case = Table()
XS = np.array([2.0, 5.0, 7.0, -3.0, 8.0, 4.0])
FEW = np.array([1.0, 4.0, 2.0])


class Particle:
    def __init__(self, x):
        self.position = np.array([x, 0.0])
        self.velocity = np.ones(2)
        self.age = 0

    def step(self, dt):
        self.position += self.velocity * dt
        self.age += 1

    def is_far(self):
        return np.linalg.norm(self.position) > 7


class Walker:
    def __init__(self, place):
        self.place = place


@dataclass
class Pair:
    vector: np.ndarray
    weight: float = 0.0


def rows_of(xs):
    rows = []
    for x in xs:
        if x > 0:
            rows.append(np.full(3, x))
    for i in range(len(rows)):
        rows[i][i % 3] += i
    return rows


@case((FEW, 3), (FEW, 2))
def made_once(x, n):
    known = [None] * 3
    for k in range(n):
        if known[k % 3] is None:
            known[k % 3] = x * k
    return known


@case((XS,), (FEW,))
def items_change(xs):
    rows = rows_of(xs)
    for row in rows:
        row *= 2
        row[:2] = row[1:]
    rows[0] += rows[1]
    rows[-1][:] = 9
    np.add(rows[0], 1, out=rows[1])
    return rows


@case((XS,), (FEW,))
def names_of_items(xs):
    rows = rows_of(xs)
    first, again = rows[0], rows[0]
    first[1] = 99
    rows.append(first)
    again[0] = -1
    part = rows[-1][1:]
    part[1] = 77
    return rows, first is again, rows[0] is rows[-1], rows[0] is rows[1], np.shares_memory(rows[0], rows[-1])


@case((XS,), (FEW,))
def names_that_get_other_items(xs):
    rows = rows_of(xs)
    rows[0], rows[1] = rows[1], rows[0]
    rows[0][0] = -5
    rows[1] = rows[0]
    rows[1][2] = -6
    best, largest, none = np.zeros(3), rows[0], None
    for row in rows:
        if row[0] > best[0]:
            best = row
        if row.sum() > largest.sum():
            largest = row
        if none is None:
            none = row
    best[1], largest[2], none[0] = -3, -4, -7
    return rows, best, largest, none


@case((XS,), (FEW,))
def arrays_from_before(xs):
    rows, base = [], np.zeros(3)
    for x in xs:
        if x > 2:
            rows.append(base)
    base[0] = 4
    rows[-1][1] = 2
    rows[0] = rows[0] + 1
    rows[0][2] = 8
    return rows, base


@case((XS,), (FEW,))
def other_lists_of_items(xs):
    rows = rows_of(xs)
    large = [row for row in rows if row[0] > 3]
    for row in large:
        row[1] = 0
    tail, reverse, by_sum = rows[1:], list(reversed(rows)), sorted(rows, key=lambda row: -row.sum())
    tail[0][0], reverse[0][1], by_sum[0][2] = 10, 11, 12
    max(rows, key=lambda row: row[0])[0] = 13
    return rows, large, tail, reverse, by_sum


@case((XS,), (FEW,))
def items_come_and_go(xs):
    rows = rows_of(xs)
    rows.insert(0, np.zeros(3))
    rows[0][0] = 3
    last = rows.pop()
    last[0] = 4
    rows.extend([np.ones(3), last])
    rows[-1][1] = 5
    del rows[1]
    rows.reverse()
    return rows, last


@case((XS,), (FEW,))
def arrays_of_items(xs):
    rows = rows_of(xs)
    return np.array(rows), np.stack(rows), np.mean(rows, axis=0), sum(rows), np.concatenate(rows), rows[0] @ rows[1]


@case((XS,), (FEW,))
def copies(xs):
    rows = rows_of(xs)
    shallow, deep = copy.copy(rows), copy.deepcopy(rows)
    shallow[0][0], deep[1][1], rows[0].copy()[2] = 20, 21, 22
    return rows, shallow, deep


@case((XS,), (FEW,))
def deep_copies_of_objects_and_lists(xs):
    walkers, paths = [], []
    for i, x in enumerate(xs):
        if x > 0:
            walkers.append(Walker(x))
            paths.append([i])
        walkers[0].place += 1
        paths[0].append(x)
    others, more, one = copy.deepcopy(walkers), copy.deepcopy(paths), copy.deepcopy(paths[0])
    others[0].place = -1
    more[0].append(-2)
    one.append(-3)
    return [w.place for w in walkers], [w.place for w in others], paths, more, one


@case((XS,), (FEW,))
def objects_with_arrays(xs):
    particles = []
    for x in xs:
        if x > 0:
            particles.append(Particle(x))
        for particle in particles:
            particle.step(0.5)
        particles = [particle for particle in particles if not particle.is_far()]
    for i in range(len(particles)):
        for j in range(i + 1, len(particles)):
            force = particles[i].position - particles[j].position
            particles[i].velocity -= force
            particles[j].velocity += force
    return [(p.position, p.velocity, p.age) for p in particles]


@case((XS,), (FEW,))
def objects_that_share_an_array(xs):
    pairs = []
    for x in xs:
        if x > 0:
            pairs.append(Pair(np.full(2, x)))
    pairs[0].vector = pairs[1].vector
    pairs[1].vector[0] = 33
    held = pairs[0].vector
    held[1] = 34
    return pairs


@case((XS,), (FEW,))
def dicts_of_arrays(xs):
    sums, matrices, counts = {}, defaultdict(lambda: np.zeros((2, 2))), {}
    for i, x in enumerate(xs):
        key = int(x) % 3
        sums.setdefault(key, np.zeros(2))[i % 2] += x
        matrices[key][i % 2, 1] += x
        matrices[key][0] *= 2
        found = counts.get(key)
        if found is None:
            found = np.zeros(3, dtype=int)
            counts[key] = found
        found[i % 3] += 1
    return sums, dict(matrices), counts


@case((XS,), (FEW,))
def tuples_and_queues(xs):
    heap, queue = [], deque()
    for i, x in enumerate(xs):
        if x > 0:
            heapq.heappush(heap, (x, i, np.zeros(2)))
            queue.append(np.zeros(2))
    _, i, array = heapq.heappop(heap)
    array[0] = 9
    queue[0][0] = i
    return array, queue.popleft(), len(heap), [(x, array) for x, _, array in sorted(heap, key=lambda item: item[0])]


@case((XS,), (FEW,))
def failures_on_the_way(xs):
    rows = rows_of(xs)
    try:
        rows[1][0] = 5
        rows[int(xs[0])][int(xs[1])] = 1
    except IndexError:
        rows[0][0] = -1
    rows[9][0] = 1
    return rows


def filled(row, depth):
    row[depth % 3] += depth
    return row if depth == 0 else filled(row, depth - 1)


@case((XS, 3), (FEW, 2))
def functions_of_items(xs, depth):
    rows = rows_of(xs)
    other = filled(rows[0], depth)
    other[0] = 40
    return rows, other


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.programs[::3])
def test_loops_of_xla(program) -> None:
    with configure(native_loops=False):
        program.check_in_xla()


def views_of_items(xs):
    rows, parts = rows_of(xs), []
    for row in rows:
        parts.append(row[1:])
    rows[0][1] = 1
    return parts


def view_that_leaves_a_step(xs):
    part = np.zeros(2)
    for row in rows_of(xs):
        part = row[1:]
    part[0] = 1
    return part


@pytest.mark.parametrize("function", [views_of_items, view_that_leaves_a_step])
def test_views_that_leave_are_refused(function) -> None:
    with pytest.raises(UnsupportedOperationError, match="a view of an array that is an item"):
        jit(function)(XS)


def test_arrays_in_another_order_are_refused() -> None:
    def columns_first(xs):
        rows = []
        for x in xs:
            if x > 0:
                rows.append(np.asfortranarray(np.full((2, 3), x)))
        rows[0][0, 0] = 9
        return rows[0].reshape(-1)

    with pytest.raises(UnsupportedOperationError, match="not in C order"):
        jit(columns_first)(XS)


def one_object_twice(xs):
    rows = rows_of(xs)
    rows.append(rows[0])
    return copy.deepcopy(rows)


def test_deep_copies_of_what_may_be_one_are_refused() -> None:
    with pytest.raises(UnsupportedOperationError, match="whether two of them hold the same one"):
        jit(one_object_twice)(XS)
