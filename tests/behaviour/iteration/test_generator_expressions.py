"""Generator expressions: filtered, reduced, taken whole, asked for one by one."""

from __future__ import annotations

import contextlib
import heapq

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
A = np.array([1.0, -2.0, 3.0])
I4 = np.array([1, -2, 3, 0])


@case((A,), (I4,), (-np.abs(A),))
def filtered_sum(a):
    return sum(x for x in a if x > 0)


@case((A,), (I4,), (-A,))
def filtered_any_and_all(a):
    return any(x > 2 for x in a), all(x > 0 for x in a if x != 3), any(x == 0 for x in a)


@case((A,), (-A,), (I4,))
def extremes(a):
    return min(x * x for x in a), max((x for x in a if x > 1), default=-5), max((x for x in a), key=lambda v: -v)


@case((A,), (-np.abs(A),))
def extreme_of_none(a):
    return max(x for x in a if x > 1)


@case((np.array([2.0, np.nan, 1.0]),), (np.array([np.nan, 2.0]),))
def extremes_with_nan(a):
    return min(x for x in a), max(x for x in a)


@case((5,), (0,))
def two_loops(n):
    return sum(i * j for i in range(n) for j in range(i) if j % 2)


@case((A,), (I4,))
def lists_that_are_reduced(a):
    return sum([v for v in a if v > 0]), len([v for v in a if v < 0]), max([v for v in a if v < 100])


@case((np.array([1, 0, 2]),), (np.array([1, 2]),), (np.array([0, 2]),))
def any_of_a_list_computes_all(a):
    return any([6 // int(v) > 2 for v in a])


@case((np.array([1, 0, 2]),), (np.array([1, 2]),), (np.array([0, 2]),))
def any_of_a_generator_stops(a):
    return any(6 // int(v) > 2 for v in a)


@case((A,))
def targets_in_a_row(a):
    return sum(i * v for i, v in enumerate(a)), sum(u * v for u, v in zip(a, a[::-1]))  # noqa: B905


@case((4,), (2,), (1,), (0,))
def reductions_of_a_run_time_range(n):
    total = sum(range(n)) + sum(x * y for x, y in zip(range(n), range(n, 0, -1)))  # noqa: B905
    return total, min((i * i - 3 * i for i in range(n)), default=None), any(range(n)), all(range(n))


@case((A,))
def generators_taken_whole(a):
    pairs = dict((i, v) for i, v in enumerate(a))
    return [x for x in (y + 1 for y in a)], tuple(x for x in a), pairs, sorted(x for x in (3, 1)), list(v for v in "ab")


@case((np.arange(6.0).reshape(3, 2),))
def sums_of_rows(m):
    return sum(r for r in m), sum((r for r in m), np.ones(2))


@case((7,), (0,))
def in_a_loop(n):
    t = 0
    for i in range(n):
        t += sum(j for j in range(i) if j != 2)
        if any(j * j == i for j in range(i)):
            t += 100
    return t


@case((A,), (-A,))
def a_loop_over_an_expression(a):
    s = 0.0
    for v in (x * 2 for x in a if x > 0):
        if v > 5:
            break
        s += v
    return s


@case((np.array([1, -2, 3, 0]),))
def guarded_by_its_condition(a):
    return sum(int(x) // int(y) for x in a for y in a if y != 0)


@case((A,))
def a_list_filtered_at_run_time(a):
    return [v for v in a if v > 0]


@case((np.int64(4),), (np.int64(0),))
def elements_that_change_a_dict(n):
    d = {"sum": 0}

    def added(v):
        d["sum"] += v
        return d["sum"]

    return sum(added(v) for v in range(n)), d


@case((np.arange(5.0),), (np.zeros(3),))
def elements_that_change_a_list(a):
    kept, seen = [0.0] * 3, []

    def added(v):
        kept[0] = kept[0] + v
        seen.append(v)
        return kept[0]

    return any(added(v) > 1 for v in a), kept, seen


@case((np.random.default_rng(0).integers(0, 99, 30),))
def a_comprehension_that_empties_a_heap(a):
    heap = []
    for v in a:
        heapq.heappush(heap, int(v))
    return [heapq.heappop(heap) for _ in range(len(a))]


@case((A,))
def a_tuple_filtered_at_run_time(a):
    return tuple(v for v in a if v > 0)


@case((3,), (0,))
def names_of_now(n):
    k = 1
    g = (v * k for v in (1, 2, n))
    k = 10
    return sum(g), k


@case((np.array([3, -1, 2]),), (np.array([3, 1, 2]),))
def next_of_a_filtered_expression(a):
    total = 0
    for k in range(3):
        place = next((j for j in range(len(a)) if a[j] > k), None)
        if place is not None:
            total += place + k
    negative = next((i for i, v in enumerate(a) if v < 0), None)
    return total, negative, next(i for i in range(3) if i), next((x for x in []), "none")


@case((np.array([3.0, -1.0, 2.0]),), (np.array([3.0, 1.0, 2.0]),))
def next_that_finds_nothing(a):
    return next(v * 2 for v in a if v < 0)


@case((3,), (0,))
def next_of_an_endless_generator(n):
    def numbers():
        k = n
        while True:
            if k % 3 == 2:
                yield k
            k += 1

    some = (i for i in [1, 2, 3])
    return next(numbers()), next(some), next(some)


@case((np.array([3, 1, 2]),), (np.array([5]),))
def starred_names_of_rows(a):
    rows = []
    for v in a:
        if v > 1:
            rows.append((int(v), int(v) * 2, int(v) + 1))
    return sum(w for *_, w in rows), [(x, rest) for x, *rest in rows], [b for (a, *b), _ in [(r, 1) for r in rows]]


@case((3,))
def a_context_manager_made_inside(n):
    @contextlib.contextmanager
    def counted():
        yield n + 1

    with counted() as k:
        n = n + k
    return n


@pytest.mark.parametrize("program", case.programs)
def test_generators(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_generators_with_static_arguments(program: Program) -> None:
    program.check_static()
