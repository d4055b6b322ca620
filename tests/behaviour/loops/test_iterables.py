"""Iterables of `for`: ranges, arrays, Python sequences, `zip`, `enumerate`, `itertools`, iterators."""

from __future__ import annotations

import collections
import itertools

import numpy as np
import pytest

from anabranch import ConcretizationError, UnsupportedOperationError, jit
from anabranch.runtime.testing.stage_bisection import stages
from tests.program_table import Program, Table

case = Table()


@case((np.array([1.0, 2.0, 3.0]),))
def enumerate_with_start(a):
    s = 0.0
    for i, v in enumerate(a, 5):
        s = s * 10 + i * v
    return s


@case((np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0])))
def zip_stops_at_the_shorter(a, b):
    s = 0.0
    for u, v in zip(a, b):  # noqa: B905
        s = s + u * v
    return s


@case((np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0])))
def zip_strict_raises(a, b):
    s = 0.0
    for u, v in zip(a, b, strict=True):
        s = s + u * v
    return s


@case((5,), (0,))
def reversed_range(n):
    s = 0
    for i in reversed(range(n)):
        s = s * 3 + i
    return s


@case((np.array([3.0, 1.0, 2.0]),))
def reversed_array(a):
    s = 0.0
    for v in reversed(a):
        s = s * 10 + v
    return s


@case((5,), (0,))
def over_tuples_without_parentheses(n):
    s = 0
    for i in range(n):
        for a, b in (i, 1), (0, i), (n, -1):
            for c in a, *range(b):
                s += c * b
    return s


@case((2.0,))
def over_a_tuple_of_mixed_types(x):
    s = 0.0
    for v in (1, x, 2.5, True):
        s = s * 3 + v
    return s


@case((2.0, 3.0))
def over_a_dict(x, y):
    s = 0.0
    for k, v in {"a": x, "b": y}.items():
        if k == "b":
            v = v * 100
        s = s + v
    return s


@case((2.0,))
def over_a_string(x):
    for c in "abc":
        if c != "b":
            x = x * 2
    return x


@case((3.0,))
def over_functions(x):
    for f in (np.sin, np.cos, lambda v: v * 2):
        x = f(x)
    return x


@case((3,))
def list_of_ranges_is_static(n):
    s = 0
    for i in list(range(4)):
        s = s * n + i
    return s


@case((np.arange(4.0),))
def np_ndindex(a):
    b = a.reshape(2, 2)
    s = 0.0
    for i, j in np.ndindex(2, 2):
        s = s * 2 + b[j, i]
    return s


@case((np.arange(4.0),))
def np_ndenumerate(a):
    s = 0.0
    for (i, j), v in np.ndenumerate(a.reshape(2, 2)):
        s = s * 2 + v * (i + 2 * j)
    return s


@case((3,), (0,))
def np_ndindex_of_run_time_sizes(n):
    s = 0
    for i, j in np.ndindex(n, 2):
        s = s * 2 + i * j
    return s


@case((2, np.array([1.0, -2.0, 3.0])), (5, np.array([1.0, -2.0, 3.0])), (0, np.array([1.0])))
def enumerate_of_zip(n, a):
    s = 0.0
    for i, (u, v) in enumerate(zip(range(n), a), 2):  # noqa: B905
        s = s * 3 + i * u + v
    return s


@case((2, 2), (2, 3), (3, 2), (0, 0), (0, 1))
def zip_strict_of_run_time_lengths(n, k):
    s = 0
    for i, j in zip(range(n), range(k), strict=True):
        s = s * 3 + i - j
    return s


@case((2, 2, 2), (2, 3, 4), (3, 3, 2), (3, 2, 3), (1, 1, 2))
def zip_strict_of_three(n, k, m):
    s = 0
    for i, j, h in zip(range(n), range(k), range(m), strict=True):
        s = s * 3 + i - j + h
    return s


@case((2, 3, 1), (2, 3, 9))
def zip_strict_that_is_left_before_its_end(n, k, stop):
    s = 0
    for i, j in zip(range(n), range(k), strict=True):
        s += i + j + 1
        if i == stop:
            break
    return s


@case((np.arange(6.0).reshape(2, 3),))
def rows_of_slices_and_views(m):
    s = 0.0
    for r in m[1:]:
        s += r[0]
    for r in m.T:
        s = s * 2 + r[1]
    for r in m[::-1]:
        s = s * 3 + r[0]
    for r in m[:, ::2]:
        s = s * 3 + r[1]
    return s


@case((5,), (0,))
def map_and_filter(n):
    s = 0
    for i in map(lambda v: v * v if v > 2 else -v, range(n)):
        s += i
    for i in filter(lambda v: v % 2, range(n)):
        s = s * 3 + i
    for i in map(lambda u, v: u - v, range(n), range(2, 9)):
        s = s * 3 + i
    return s, sum(map(abs, range(-n, n)))


@case((np.array([1.0, -2.0, 0.0]),), (np.array([3.0]),))
def map_and_filter_of_arrays(a):
    s = 0.0
    for v in filter(None, a):
        s = s * 2 + v
    for u, v in zip(map(abs, a), a):  # noqa: B905
        s += u * v
    return s, max(map(lambda v: -v, a)), list(map(lambda v: v + 1, a))


@case((np.array([1.0, -2.0, 3.0]),), (np.array([1.0]),))
def itertools_over_arrays(a):
    s = 0.0
    for u, v in itertools.product(a, a):
        s = s * 0.5 + u * v
    for v in itertools.chain(a, [5.0], a):
        s = s * 0.5 + v
    for v in itertools.islice(a, 2):
        s += v
    for v in itertools.accumulate(a):
        s = s * 0.5 + v
    for u, v in itertools.pairwise(a):
        s = s * 0.5 + u - v
    for v, w in zip(a, itertools.count(1)):
        s = s * 0.5 + v * w
    for v, w in zip(a, itertools.cycle((1, 2))):
        s = s * 0.5 + v * w
    for v, w in zip(a, itertools.repeat(3)):
        s = s * 0.5 + v * w
    return s


@case((5,), (1,), (0,))
def itertools_over_run_time_ranges(n):
    s = 0
    for i in itertools.islice(range(n), 3):
        s = s * 2 + i
    for i in itertools.islice(range(9), 1, n, 2):
        s = s * 2 + i
    for i, j in itertools.pairwise(range(n)):
        s = s * 2 + i * j
    for i in itertools.chain(range(n), range(2)):
        s = s * 2 + i
    for i, j in itertools.product(range(n), range(3)):
        s = s * 2 + i * j
    for i in itertools.accumulate(range(n), lambda t, v: t * 2 + v, initial=1):
        s = s * 2 + i
    for i in itertools.accumulate(range(n)):
        s = s * 2 + i
    for i in itertools.takewhile(lambda v: v < 3, range(n)):
        s = s * 2 + i
    for i in itertools.repeat(5, n):
        s = s % 1009 + i
    for i in map(lambda u, v: u * v, range(n), range(n)):
        s += i
    return s


@case((5,), (0,), (-1,))
def islice_of_a_run_time_bound(n):
    s = 0
    for i in itertools.islice(range(3), n):
        s = s * 2 + i
    return s


@case((7,), (0,))
def count_and_cycle_with_a_break(n):
    s = 0
    for i in itertools.count(2):
        if i > n:
            break
        s += i
    for i in itertools.cycle((1, 2, 3)):
        s += i
        if s > n:
            break
    return s


@case((4, 2), (4, -1), (4, 9), (0, 0))
def range_by_index(n, k):
    return range(n)[k]


@case((np.array([1.0, 2.0]),))
def an_iterator_used_twice(a):
    z = enumerate(a)
    s = 0.0
    for i, v in z:
        s += i * v
    for i, v in z:
        s += i * v
    return s


@case((np.array([1.0, 2.0, 4.0]),))
def an_iterator_asked_first(a):
    z = enumerate(a)
    i, s = next(z)
    for i, v in z:
        s += i * v
    return s


@case((np.array([3, 1, 2]),), (np.array([0, 1, 2]),), (np.array([1, 1, 2]),))
def zip_of_a_range_and_a_list(b):
    n, total, items = int(b[0]), 0, [1, int(b[1]), 3]
    for i, v in zip(range(n), items):  # noqa: B905
        items[2] = 10 * i + n
        total += v
    return total, items


@case((np.array([3, 1, 2]),), (np.array([0, 1, 2]),))
def zip_of_a_range_and_arrays_in_a_list(b):
    rows = [np.zeros(2), np.ones(2)]
    for i, row in zip(range(int(b[0])), rows):  # noqa: B905
        row[0] += i + 5
    return rows


@case((np.array([3, 1, 2]),), (np.array([0, 1, 2]),), (np.array([1, 7, 2]),))
def enumerate_of_zip_of_a_range_and_the_values_of_a_dict(b):
    total = 0
    for i, (j, v) in enumerate(zip(range(int(b[0])), {"p": int(b[1]), "q": 2}.values())):  # noqa: B905
        if v == 7:
            break
        total += v * i + j
    return total


@case((np.array([3]),), (np.array([2]),), (np.array([4]),))
def zip_strict_of_a_tuple_and_a_range(b):
    total = 0
    for v, i in zip((1, 2, 3), range(int(b[0])), strict=True):
        total += v * i
    return total


GROWING = tuple((np.arange(5), items) for items in ([1, 2], [0], [0, 1, 2, 3], []))


@case(*GROWING)
def grows_until_a_break(a, items):
    s = 0
    for k in items:
        s = s * 10 + k
        if a[k] > 2:
            break
        items.append(3)
    return s, items


@case(*GROWING)
def grows_from_some_position_on(a, items):
    items = [1, 2, *items]
    out = []
    for k in items:
        out.append(k)
        if a[k] > 3:
            break
        if len(items) < 6:
            items.append(k)
    return out, items


@case((np.arange(5), [1, 2, 2]), (np.arange(5), [0]), (np.arange(5), [2, 1, 0]))
def shrinks_in_reverse(a, items):
    s = 0
    for k in reversed(items):
        s = s * 10 + k
        if k > 1:
            items.pop()
    return s, items


@case((np.array([2, 1, 7]), 1), (np.array([0, 0, 0]), 3))
def deque_bound_anew_in_a_loop_over_it(a, n):
    q = collections.deque(a.tolist())
    k = n
    for k in a.tolist():
        if k > 2:
            break
        for k in q:
            if len(q) > 9:
                break
            q = collections.deque([n])
    return q, q.count(k)


@case(*GROWING, refused=ConcretizationError)
def grows_while_it_is_gone_over_in_reverse(a, items):
    items = [1, 2, *items]
    s = 0
    for k in reversed(items):
        s += k
        if a[k] >= 1:
            items.append(1)
    return s, items


@case((collections.deque([1, 2, 3]), 2), refused=UnsupportedOperationError)
def rotated_deque(q, n):
    for _ in q:
        q.rotate(n)
    return q


@case((collections.deque([1]), 2), refused=UnsupportedOperationError)
def deque_that_gets_what_it_loses(q, n):
    for k in q:
        q.append(k)
        q.popleft()
    return q


@pytest.mark.parametrize("program", case.programs)
def test_loop(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_loop_with_static_arguments(program: Program) -> None:
    program.check_static()


def sum_of_zip(a, k):
    total = 0.0
    for i, v in zip(range(k % 4), a[::-1]):  # noqa: B905
        total += i * v
    return total


def test_zip_of_what_is_known_outside_of_a_trace() -> None:
    rewriting, run = stages(jit(sum_of_zip))[0]
    assert rewriting == "rewriting"
    assert run(np.arange(3.0), 7) == sum_of_zip(np.arange(3.0), 7)
