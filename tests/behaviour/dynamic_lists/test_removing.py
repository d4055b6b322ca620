"""Lists and deques of run-time length, used up: stacks, queues, heaps, insertions and deletions."""

from __future__ import annotations

import collections
import heapq

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, configure, jit
from tests.equivalence import check_calls
from tests.program_table import Program, Table

case = Table()
SIGNED = np.array([1.5, -2.0, 3.0, -4.0, 0.0, 6.0])
NONE = np.array([-1.0, -2.0])


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


def _loses_an_item(a):
    waiting = collections.deque(a.tolist())
    for x in waiting:
        if x == 4:
            waiting.popleft()
    return waiting


def _gets_an_item_and_is_left(a):
    waiting = collections.deque()
    for x in a.tolist():
        if x > 1:
            waiting.append(x)
    for x in waiting:
        if x == 3:
            waiting.append(9)
            break
    for x in waiting:
        waiting[0] = x
    return waiting


def _is_cleared_in_a_try(a):
    waiting = collections.deque()
    for x in a.tolist():
        if x > 1:
            waiting.append(x)
    try:
        for x in waiting:
            if x == 4:
                waiting.clear()
    except RuntimeError as error:
        return str(error)
    return "whole"


@pytest.mark.parametrize("function", [_loses_an_item, _gets_an_item_and_is_left, _is_cleared_in_a_try])
@pytest.mark.parametrize("native", [True, False])
def test_a_deque_that_a_loop_over_it_changes(function, native):
    with configure(native_loops=native):
        check_calls(function, (np.array([3, 1, 4]),), (np.array([3, 1, 5]),))


def test_a_deque_that_gets_and_loses_items_in_a_loop_over_it_is_refused():
    def f(a):
        waiting = collections.deque(a.tolist())
        for x in waiting:
            if x > 3:
                waiting.append(waiting.popleft())
        return waiting

    with pytest.raises(UnsupportedOperationError, match="a deque gets and loses items in a loop over it"):
        jit(f)(np.array([3, 1, 4]))


# ---- moved where they lie --------------------------------------------------------------------------------------------


def taken_and_put(places, n):
    """Take items out and put others in, of lists that are longer than what is moved at once, and shorter."""
    items, pairs = list(range(n)), [(i, 0.5 * i) for i in range(40)]
    out = []
    for i in range(len(places)):
        place = places[i]
        out.append(items.pop(place % len(items)))
        if place % 3:
            items.insert(place % (len(items) + 1), place)
        x, y = pairs.pop(place % len(pairs))
        pairs.insert((place + 7) % (len(pairs) + 1), (x + 1, -y))
    return out, items, pairs


@pytest.mark.parametrize("n", [2, 17, 700])
def test_items_are_moved_where_they_lie(n):
    places = np.random.default_rng(n).integers(0, 1000, 3 * min(n, 100))
    check_calls(taken_and_put, (places, n), (places[::-1].copy(), n), (places * 0, n), (places * 0 + n - 1, n))


def test_no_other_memory_for_a_move():
    def last(n, k):
        people, i = list(range(n)), 0
        while len(people) > 1:
            i = (i + k - 1) % len(people)
            people.pop(i)
        return people[0]

    program = jit(last).lower(500, 3).native_program()
    assert program is not None
    fast = program.llvm.partition("\nfast.")[2].partition("\nslow.")[0]
    assert fast.count("br label %each.") == 2  # one loop, into and around
    check_calls(last, (500, 3), (500, 7), (500, 1))
