"""Comprehensions of run-time length, lists of run-time length in NumPy and in `try`."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import configure, jit
from tests.equivalence import check
from tests.program_table import Program, Table

case = Table()
SIGNED = np.array([1.5, -2.0, 3.0, -4.0, 0.0, 6.0])
NONE = np.array([-1.0, -2.0])


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


def test_a_list_of_many_items_is_traced_in_no_time():
    """Of many items it is not one value for each."""

    def lists(x):
        return [float(v) for v in x], [(v * 2, i) for i, v in enumerate(x)], list(x), x.tolist()

    def uses(x):
        items = [float(v) * 2 for v in x]
        total = 0.0
        for k, v in enumerate(items):
            total += v * k
        items[3] = 1.0
        items.append(7.0)
        first, _, *rest = items
        made = np.array(items[:-1]).reshape(2, -1) + np.zeros(len(items) // 2)
        return total, first, len(rest), max(items), sorted(items)[:3], made, items[5:9] * 2, (items * 2)[-1]

    def known(x):
        sizes = [2 * k for k in range(6001)]
        return np.zeros(sizes[3]) + x[sizes[1]], [None for _ in x][7], np.fromiter([v for v in x], float, len(x))

    line = np.arange(6000.0) / 7
    assert len(jit(lists).trace(line).program.equations) < 300
    for f in (lists, uses, known):
        check(f, line)
    check(lambda x: x.tolist(), line.reshape(-1, 3))
    few = line[:120].reshape(12, 10)  # each number would take several equations
    assert len(jit(lambda x: x.tolist()).trace(few).program.equations) < 50
    check(lambda x: (x.tolist(), sum(x[0].tolist()), max(x.reshape(-1).tolist())), few)


def _descent(k):
    found = []
    while k > 1:
        found.append(k)
        k = k // 2 if k % 2 == 0 else 3 * k + 1
    return sum(found)


def _pull(tree, points, at):
    def force(node):
        if node > 6:
            return 0
        if points[node, 0] > 0.8:
            return points[node] - at
        return force(2 * node + 1) + force(2 * node + 2) + points[node] * tree[node]

    return force(0)


def descents(starts):
    return [_descent(starts[i]) for i in range(12)]


def pulls(tree, points):
    return [_pull(tree, points, points[i]) for i in range(12)]


def test_items_for_which_lists_grow_are_made_by_one_loop():
    starts = np.arange(1, 13)
    check(descents, starts)
    assert "Unrolled" not in str(jit(descents).explain(starts))


def test_many_items_that_take_much_and_have_no_common_form_are_made_by_one_loop(rng):
    tree, points = rng.random(12), rng.random((12, 2))
    check(pulls, tree, points)
    assert "Unrolled" not in str(jit(pulls).explain(tree, points))
