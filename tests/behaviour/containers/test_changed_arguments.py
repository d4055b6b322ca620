"""Lists, dicts, deques and objects of the caller, changed in place: what Python leaves in them, compiled code does."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np
import pytest

from anabranch import AliasError, jit
from tests.program_table import Program, Table

case = Table()


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = 0.0

    def move(self, dx):
        self.x = self.x + dx
        return self


class Tally:
    made = 0

    def __init__(self, start):
        self.count = start
        self.log = []

    def add(self, k):
        if k > 0:
            self.count += k
        self.log.append(k)

    @property
    def last(self):
        return self.log[-1]

    @last.setter
    def last(self, value):
        self.log[-1] = value


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class Stack(list):
    def push(self, item):
        self.append(item)


class Node:
    def __init__(self, value, parent=None):
        self.value = value
        self.parent = parent
        self.children = []
        if parent is not None:
            parent.children.append(self)


def tree():
    root = Node(1.0)
    Node(2.0, root)
    Node(3.0, root)
    return root


@case(([3, 1, 2], 5), ([3, 1, 2], -5))
def items_set_in_branches(items, n):
    if n > 0:
        items[0] = n
        items[-1] += 1
    else:
        items[1] = -n


@case(([3, 1, 2], 5), ([3, 1, 2], 0))
def items_set_in_a_loop(items, n):
    for i in range(n):
        items[0] += i
        items[1], items[2] = items[2], items[1]
    return items


@case(([1.0, 2.0], 3.0))
def list_methods(items, x):
    items.append(x)
    items.insert(0, x * 2)
    items.extend([x, 5])
    items += (7, x)
    items.pop(1)
    del items[-1]
    items.reverse()


@case(([[1, 2, 3], [4, 5, 6], [7, 8, 9]],))
def rows_in_another_order(rows):
    rows.reverse()
    for i in range(len(rows)):
        for j in range(i):
            rows[i][j], rows[j][i] = rows[j][i], rows[i][j]
    return rows


@case(([[1, 2, 3], [4, 5, 6], [7, 8, 9]],))
def swapped_rows(rows):
    rows[0], rows[1] = rows[1], rows[0]
    for i in range(len(rows)):
        rows[i][0] = i
    return rows


@case(([1.0, 2.0], 3.0))
def cleared_and_filled_again(items, x):
    items.clear()
    items.append(x + 1)


@case(([1, 2, 3], 2.0))
def slices_assigned(items, x):
    items[:2] = [x, x, x]
    items[::2] = [0, x]


@case(([1.0, 2.0], 3.0), ([1.0, 2.0], -3.0))
def helper_appends(items, x):
    def push(value):
        items.append(value)

    push(x)
    if x > 0:
        items[0] = x
    return len(items)


@case(({"a": 1.0, "b": [1, 2]}, 3), ({"a": 1.0, "b": [1, 2]}, -3))
def dict_and_the_list_in_it(d, n):
    d["a"] *= n
    if n > 0:
        d["b"][1] = n
    d["new"] = {"k": n}
    d.setdefault("b", None)
    d.update(z=1)
    d |= {"y": n}
    return d["b"], d.pop("a")


@case(({"a": 1.0, "b": 2.0}, 3))
def keys_deleted_and_moved(d, n):
    a = d.pop("a")
    d["a"] = a + n
    del d["b"]


@case((Point(1.0), 2.0), (Point(1.0), -2.0))
def attributes_of_an_object(p, x):
    p.x += x
    if x > 0:
        p.y = x
    p.extra = (x, p.x)
    return p


@case((Point(1.0), 4), (Point(1.0), 0))
def methods_change_the_object(p, n):
    for i in range(n):
        p.move(i * 0.5)
    return p.move(1.0).x


@case((Tally(3), 2), (Tally(3), -2))
def tally(t, n):
    t.add(n)
    t.add(n + 1)
    t.last = 10
    return t.last, t.count


@case((Slotted(1), 2), (Slotted(1), -2))
def object_with_slots(s, n):
    s.a += n
    if n > 0:
        s.a = s.a * 2
    s.b = [n]


@case((collections.deque([1, 2], maxlen=3), 5))
def deque_with_a_limit(d, n):
    d.append(n)
    d.append(n + 1)
    d.rotate(1)
    d.appendleft(n * 2)
    return d[0]


@case((collections.defaultdict(list, a=[1]), 5))
def default_dict(d, n):
    d["a"].append(n)
    d["b"].append(n * 2)


@case((collections.Counter(a=1), 5))
def counter(c, n):
    c["a"] += n
    c["b"] += 1
    return c


@case((Stack([1, 2]), 3), (Stack([1, 2]), -3))
def subclass_of_list(s, n):
    s.push(n)
    if n > 0:
        s[0] = n
    return s


@case(([[1, 2], [3, 4]], 5), ([[1, 2], [3, 4]], -5))
def rows_of_lists(grid, n):
    grid[1][0] += n
    if n > 0:
        grid[0][1] = grid[1][0]
    grid[0].append(n)
    grid.append(grid[0])
    return grid[1]


@case(([1.0, 2.0], [3.0]))
def one_list_goes_into_another(items, other):
    items.append(other)
    other.append(items[0])
    return other


@case((np.zeros(3), [np.ones(2), 1.0], 5.0))
def arrays_in_a_list(a, items, x):
    a[0] = x
    items[0] += x
    items[1] = a
    items.append(a[1:])
    items.append(a * 2)
    return items[-1]


@case(([np.zeros(2), np.ones(2)], 1), ([np.zeros(2), np.ones(2)], 0))
def arrays_trade_places(items, n):
    if n:
        items[0], items[1] = items[1], items[0]
    items[0][0] = 7


@case((tree(), 5.0))
def objects_that_know_their_parents(root, x):
    for child in root.children:
        child.value += root.value * x
        child.parent.value += 1
    return root.children[0]


@case(([1, 2], 3))
def attribute_holds_a_new_list(items, n):
    p = Point(items)
    p.x.append(n)
    p.y = [n]
    items.append(p)
    return p


@case(([True, 2, 1.5, np.float32(2)], 1))
def untouched_parts_keep_their_types(items, n):
    items.append(n)


@case(([1.0], 0.0), ([1.0], 2.0))
def nothing_is_written_after_an_exception(items, x):
    items.append(x)
    if x == 0:
        raise ValueError("zero")
    items[0] = 1 / x


@case(((1.0, [2.0]), 3.0))
def list_inside_a_tuple(t, x):
    t[1].append(x)
    return t[0]


@pytest.mark.parametrize("program", [p for p in case.programs if p.id != "nothing_is_written_after_an_exception"])
def test_changed_argument(program: Program) -> None:
    program.check()


def test_nothing_is_written_after_an_exception() -> None:
    items = [1.0]
    with pytest.raises(ValueError, match="zero"):
        jit(nothing_is_written_after_an_exception)(items, 0.0)
    assert items == [1.0]


def test_the_same_executable_writes_to_other_lists() -> None:
    @jit
    def f(items, n):
        items[0] += n
        items.append([n])

    lists = [[1], [2], [3]]
    for items in lists:
        f(items, 10)
    assert lists == [[11, [10]], [12, [10]], [13, [10]]]
    assert lists[0][1] is not lists[1][1]
    assert len(f._executables) == 1


def test_one_list_passed_twice_is_one_list() -> None:
    @jit
    def f(a, b):
        a.append(b[0])
        b[0] = 5
        return a is b, len(b)

    items = [1, 2]
    assert f(items, items) == (True, 3)
    assert items == [5, 2, 1]
    assert f([1, 2], [3]) == (False, 1)


def test_one_array_twice_in_a_list_is_one_array() -> None:
    @jit
    def f(items):
        items[0][0] = 5
        return items[1].sum()

    a = np.zeros(3)
    assert f([a, a]) == 5.0


def test_keyword_arguments_are_written_back() -> None:
    @jit
    def f(*rest, z, a):
        z.append(rest[0])
        a["k"] = rest[-1]
        return a

    z, a = [1], {}
    assert f(1, 2.5, z=z, a=a) is a
    assert (z, a) == ([1, 1], {"k": 2.5})


def test_list_from_outside_that_is_an_argument_too_is_refused() -> None:
    seen = [1]

    @jit
    def f(items, n):
        seen.append(n)
        items.append(n)

    with pytest.raises(AliasError, match="from outside of the function is passed to it, too"):
        f(seen, 3)
    assert seen == [1]
    other = [5]
    f(other, 3)
    assert (seen, other) == ([1, 3], [5, 3])


def test_class_attributes_of_an_argument_are_current() -> None:
    class Scaled:
        scale = 2

        def __init__(self, value):
            self.value = value

        def bump(self):
            type(self).scale += 1

    @jit
    def f(s):
        return s.value * s.scale

    @jit
    def bump(s):
        s.bump()

    s = Scaled(3)
    assert f(s) == 6
    Scaled.scale = 5
    assert f(s) == 15
    bump(s)
    assert Scaled.scale == 6
    bump(s)
    assert Scaled.scale == 7


def test_objects_made_in_a_call_are_new_each_time() -> None:
    @jit
    def f(n):
        t = Tally(n)
        t.add(2)
        return t

    first, second = f(1), f(10)
    assert first is not second
    assert (first.count, second.count, first.log) == (3, 12, [2])
    assert f.trace(1).plan.slots == ()


def test_array_of_the_caller_is_put_into_the_callers_list() -> None:
    @jit
    def f(a, items):
        items.append(a)
        items.append(a[1:])

    a, items = np.zeros(3), []
    f(a, items)
    assert items[0] is a
    assert items[1].base is a


def test_unchanged_numbers_of_a_changed_list_need_no_output() -> None:
    program = jit(lambda items, n: items.append(n * 2)).trace([1, 2, 3, 4], 5.0).program
    assert len(program.outputs) == 1
