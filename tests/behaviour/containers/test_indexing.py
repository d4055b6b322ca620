"""Lists, tuples, ranges and dicts indexed, compared, searched and sorted by values known only at run time."""

from __future__ import annotations

import collections
import copy
import dataclasses
import math
import operator
from typing import Any

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.program_table import Program, Table

case = Table()


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = 0.0


@case((0,), (-1,), (2,), (3,), (-4,))
def items_read_and_written(i):
    items = [1, 2, 3]
    items[i] = 10
    items[i] += 5
    return items, items[i - 1]


@case(([1.0, 2.0, 3.0], 4), ([1.0, 2.0, 3.0], 0))
def items_of_the_caller_in_a_loop(items, n):
    total = 0.0
    for i in range(n):
        items[i % 3] += i
        if items[i % 3] > 3:
            items[-1 - i % 2] *= 2
        total += items[(i + 1) % 3]
    return total


@case(([[1, 2], [3, 4]], 1, 0), ([[1, 2], [3, 4]], -1, 1), ([[1, 2], [3, 4]], 0, 2))
def items_of_rows(grid, i, j):
    grid[i][j] += 10
    row = grid[i]
    row[0] -= 1
    return row, grid[1][0]


@case((3,), (4,), (5,), (3.0,), (True,))
def items_of_a_dict(k):
    d = {3: 10, 4: 20, 1: 5, "name": 7}
    return d[k]


@case((3,), (4,))
def items_of_a_dict_written(k):
    d = {3: 10, 4: 20}
    d[k] += 1
    d[k] *= 2
    return d


@case((2,), (9,), (-1,))
def items_of_tuples_ranges_and_deques(i):
    t = (1.5, 2.5, 3.5)
    d = collections.deque([1, 2, 3])
    d[i % 3] = 50
    return t[i % 3], range(2, 50, 3)[i], d[i % 3], d


@case((np.zeros(2), np.ones(2), 0), (np.zeros(2), np.ones(2), 1))
def items_that_are_arrays(a, b, i):
    items = [a, b]
    items[i][0] = 5
    items[i] += 1
    items[1 - i] = a * 2
    return items, items[i].sum()


@case((0,), (1,), (2,))
def items_that_are_objects(i):
    points = [Point(1.0), Point(2.0), Point(3.0)]
    first = points[0]
    points[i].x += 10
    p = points[i]
    p.y = p.x
    return first, points, p is first


@case((1,), (0,))
def items_of_two_types(i):
    items = [(1, 2.0), (3, 4.0)]
    n, x = items[i]
    return n, x, items[i][0]


@case(([1, 2, 3, 4], 1), ([1, 2, 3, 4], -3), ([1, 2, 3, 4], 7))
def items_taken_out(items, i):
    v = items.pop(i)
    items.remove(v + 1)
    del items[i % 2]
    return items, v


@case((2.0, 3.0), (2.0, 2.0), (3.0, 2.0))
def containers_compared(x, y):
    a = [x, (y, 1)]
    if a == [y, (x, 1)]:
        return 1, (x, y) <= (y, x)
    if (x, [y]) > (y, [x]):
        return 2, {"a": x} == {"a": y}
    return 3, [x] != [x, y], (x, y) == [x, y], (x,) in [(y,), (2.0,)]


@case((3.0, 1.0, 2.0), (1.0, 1.0, 0.5), (-1.0, 2.0, -2.0))
def lists_sorted(x, y, z):
    items = [x, y, z]
    items.sort(key=abs)
    pairs = sorted([(x, 0), (y, 1), (z, 2)])
    return items, pairs, sorted([x, y, z], reverse=True), sorted(pairs, key=lambda p: -p[1])


@case((1, 2), (2, 1), (2, 2))
def equal_keys_keep_their_order(x, y):
    rows = [(x, "a"), (y, "b"), (2, "c")]
    ordered = sorted([(x, 1), (y, 2), (2, 3)], key=lambda r: r[0])
    return ordered, sorted([(x, 1), (y, 2), (2, 3)], key=lambda r: r[0], reverse=True), len(rows)


@case((2,), (3,), (9,))
def lists_searched(n):
    items = [1, 2, 3, 2]
    place = items.index(n)
    return place, items.count(n), (n, 3).count(3), items.index(n, 1), {2: 5, 3: 6}.get(n, 0), {2: 5}.get(n + 9)


@case((1.0, 2.0), (2.0, 1.0))
def extremes_of_tuples(x, y):
    return max((x, 1), (y, 2)), min([(x, y), (y, x)]), max([x, y], key=lambda v: -v)


@case((3, np.ones(2)), (0, np.ones(2)))
def deep_copies(n, a):
    p = Point([n, a], {"k": n})
    q = copy.deepcopy(p)
    r = copy.copy(p)
    p.x[0] = 50
    p.x[1][0] = 7
    p.y = None
    return q, r.x[0], r.y


@case((2,), (1,))
def helper_indexes(n):
    def pick(items, i):
        return items[i]

    return pick([1, 2, 3], n), pick((4.0, 5.0, 6.0), n - 3), [pick([7, 8], k) for k in (0, n - 1)]


@case((np.arange(3.0), [1, 2, 0], 3))
def arrays_stay_arrays(a, order, n):
    s = 0.0
    for i in range(n):
        a[order[i]] += i
        s += a[i] * order[-1 - i]
    return s


INDICES = (1, True, np.int8(1), np.uint64(1), np.bool_(True), 1.0, np.float64(1), 1j)


@case(*((k,) for k in INDICES))
def what_is_an_index(k):
    items = [1, 2, 3]
    found = []
    for take in (
        lambda: items[k], lambda: (1, 2, 3)[k], lambda: range(4)[k], lambda: collections.deque(items)[k],
        lambda: np.arange(3)[k:], lambda: list(range(k)), lambda: math.gcd(k, 4), lambda: operator.index(k),
    ):  # fmt: skip
        try:
            found.append(take())
        except TypeError as error:
            found.append(str(error))
    return found


@case((np.array(True),), (np.array([1]),), (np.array(1.0),))
def what_is_an_index_among_arrays(k):
    found = []
    for take in (lambda: [1, 2, 3][k], lambda: (1, 2, 3)[k], lambda: range(4)[k], lambda: list(range(k))):
        try:
            found.append(take())
        except TypeError as error:
            found.append(str(error))
    return found


@case(*((np.arange(3), k) for k in INDICES))
def what_is_an_index_of_a_list_that_grows(a, k):
    items = [1]
    for v in a:
        if v > 0:
            items.append(v)
    found = []
    for take in (lambda: items[k], lambda: items.pop(k), lambda: items.insert(k, 5), lambda: items[:k]):
        try:
            found.append(take())
        except TypeError as error:
            found.append(str(error))
    return found, len(items)


@case(*((k,) for k in (2, True, 0, -1, np.int8(2), np.uint8(0), np.int64(-1))))
def sequences_repeated(k):
    items, pair = [0.5, 1], (1,)
    twice = items * k, k * items, pair * k, k * pair, "ab" * k
    items *= k
    return twice, items


@case((3,), (1,), (np.int64(2),), (np.uint8(2),))
def lists_repeated_where_others_grow(k):
    found = []
    for i in range(3):
        found.append(i * 2.0)
    return found, [0] * k, k * [1, 2], np.multiply(k, [1, 2]), np.float64(0.5) - [1, 2]


@case((np.bool_(True),), (np.float32(2),), (np.float64(2),))
def sequences_repeated_by_no_integer(k):
    found = []
    for take in (lambda: [1, 2] * k, lambda: k * [1, 2], lambda: (1,) * k, lambda: "ab" * k):
        try:
            found.append(take())
        except TypeError as error:
            found.append(str(error))
    return found


@case((np.bool_(True),), (np.bool_(False),), (1.5,), (np.float64(1.0),))
def bound_that_is_no_index(b):
    return [10, 20, 30][b:]


@case((np.bool_(True),), (np.bool_(False),), (1.5,))
def bound_of_a_text_that_is_no_index(b):
    return "abc"[:b]


@case((np.bool_(True),), (1.5,))
def part_that_is_set_or_deleted_by_no_index(b):
    items = [1, 2, 3]
    items[:b] = [5]
    return items


@case((np.array([1, 2]),), (np.array([3, 2]),))
def compared_number_as_an_index(a):
    return [10, 20][a[0] > 1]


@case((np.array([1, 2]),), (np.array([3, 2]),))
def compared_number_made_a_bool_as_an_index(a):
    return [10, 20][bool(a[0] > 1)], (5, 6)[int(a[0]) > 2]


@case((np.bool_(True),), (True,), (False,), (np.int8(1),), (1.0,))
def item_taken_out_by_what_may_be_no_index(b):
    items = [1, 2, 3]
    return items.pop(b), items


@pytest.mark.parametrize("program", case.programs)
def test_indexing(program: Program) -> None:
    program.check()


def test_text_of_errors() -> None:
    def get(items, i):
        return items[i]

    def set_(items, i):
        items[i] = 0

    for items, text in (([1, 2], "list index out of range"), ((1, 2), "tuple index out of range")):
        with pytest.raises(IndexError, match=text):
            jit(get)(items, 2)
    with pytest.raises(IndexError, match="list assignment index out of range"):
        jit(set_)([1, 2], -3)
    with pytest.raises(KeyError) as caught:
        jit(get)({1: 2}, 7)
    assert caught.value.args == (7,)
    with pytest.raises(TypeError, match="list indices must be integers or slices, not float"):
        jit(get)([1, 2], 1.0)
    with pytest.raises(UnsupportedOperationError, match="the keys must be known while tracing"):
        jit(set_)({1: np.ones(2)}, 7)


def test_only_functions_that_need_it_have_staged_subscripts() -> None:
    def f(a, items, i):
        return a[i] + items[0]

    def g(a, items, i):
        return a[i] + items[i]

    a = np.arange(3.0)
    staged, plain = jit(g), jit(f)
    assert plain(a, [1.0, 2.0], 1) == 2.0
    assert staged(a, [1.0, 2.0], 1) == 3.0
    assert "ab.at" not in plain.source()
    assert "ab.at(items)[i]" in staged.source()


def test_nan_among_sorted_values_is_refused() -> None:
    with pytest.raises(UnsupportedOperationError, match="NaN"):
        jit(lambda x, y: sorted([x, y]))(float("nan"), 1.0)


def test_keys_that_a_condition_sets() -> None:
    def f(n):
        d = {}
        if n > 0:
            d["a"] = n
        for k in range(3):
            try:
                if k > n:
                    raise ValueError(k)
                d["b"] = d.get("b", 0) + k
            except ValueError:
                d["c"] = k
        return d

    compiled = jit(f, auto_static=False)
    for n in (1, -1, 5):
        assert list(compiled(n).items()) == list(f(n).items())


def test_keys_that_a_condition_sets_beside_values_of_several_kinds() -> None:
    def f(n):
        d = {"x": 2.5, "y": "text", "z": [1, "a"]}
        if n > 0:
            d["a"] = n
        return d

    compiled = jit(f, auto_static=False)
    for n in (1, -1):
        assert list(compiled(n).items()) == list(f(n).items())


class Model:
    def __init__(self):
        self.rows = np.arange(12.0).reshape(3, 4)

    def row(self, i):
        return self.rows[i]


MODEL = Model()
TABLES = {"a": np.arange(3.0)}


def by_method(i):
    return MODEL.row(i).sum() + MODEL.rows[i, 1]


def in_a_dict(i):
    s = 0.0
    for k in range(i):
        s += TABLES["a"][k]
    return s


@pytest.mark.parametrize("function", [by_method, in_a_dict])
def test_arrays_of_objects_from_outside(function):
    compiled = jit(function)
    assert [compiled(i) for i in (0, 2, 1)] == [function(i) for i in (0, 2, 1)]
    with pytest.raises(IndexError, match=r"index [37] is out of bounds for axis 0 with size 3"):
        compiled(7)
    MODEL.rows[1, 1] += 100.0
    TABLES["a"][0] += 100.0
    try:
        assert compiled(1) == function(1)
    finally:
        MODEL.rows[1, 1] -= 100.0
        TABLES["a"][0] -= 100.0


def test_writes_into_arrays_of_objects_from_outside_are_refused():
    def through_a_view(i):
        row = MODEL.rows[i]
        row += 1

    def in_place(i):
        MODEL.rows[i] = 0.0

    with pytest.raises(ValueError, match="read-only"):
        jit(through_a_view)(1)
    with pytest.raises(UnsupportedOperationError, match="that an object from outside of the function holds"):
        jit(in_place)(1)
    np.testing.assert_array_equal(MODEL.rows, Model().rows)
