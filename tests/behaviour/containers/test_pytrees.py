"""Tuples, lists, dicts, named tuples, dataclasses and None: as arguments, as results, as state of branches, loops."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

from anabranch import UnsupportedValueError, jit
from tests.program_table import Program, Table

case = Table()
Pair = collections.namedtuple("Pair", ["x", "y"])


class Typed(NamedTuple):
    a: Any
    b: Any = 5


@dataclasses.dataclass
class Body:
    position: Any
    velocity: Any
    name: str = "body"

    def kick(self, by):
        self.velocity = self.velocity + by

    def drift(self, dt):
        if dt > 0:
            self.position += self.velocity * dt


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: Any
    y: Any


class Account:
    def __init__(self):
        self.total = 0
        self.history = [0, 0]

    def add(self, k):
        self.total = self.total + k
        self.history[k % 2 if isinstance(k, bool) else 0] = k

    @property
    def double(self):
        return self.total * 2


@case(((1.0, 2),), ((-1.0, 2),))
def tuple_argument(t):
    x, n = t
    if x > 0:
        return (n, x)
    return (n + 1, -x)


@case(([1.0, 2.0],), ([-1.0, 2.0],))
def list_argument_is_written(items):
    if items[0] > 0:
        items[1] = items[0] * 10
    return items


@case(([1.0, 2.0], 3))
def list_argument_grows(items, n):
    items.append(n)
    return len(items)


@case(({"w": np.ones(2), "b": 0.5}, 3), ({"w": np.ones(2), "b": -0.5}, 0))
def dict_of_parameters(p, n):
    for _ in range(n):
        p["w"] -= p["b"]
        p["b"] = p["b"] / 2
    if p["b"] > 0:
        p["w"][0] = 77
    return p["w"].sum()


@case(({"a": 1},), ({"a": -1},))
def dict_argument_gets_a_key(d):
    d["new"] = d["a"] * 2
    return d


@case(({"b": 1, "a": 2.0},))
def order_of_dict_keys(d):
    return {k: v * 2 for k, v in d.items()}


@case((Pair(1.0, 2),), (Pair(-1.0, 2),))
def namedtuple_argument(p):
    if p.x > 0:
        p = p._replace(y=p.y + 1)
    else:
        p = Pair(p.y * 1.0, 7)
    return p


@case((Typed(2.0),), (Typed(-2.0, 1),))
def typed_namedtuple(t):
    if t.a > 0:
        return Typed(t.a * 2, t.b)
    return Typed(t.a, t.b + 1)


@case((Body(1.0, 2.0), 3), (Body(1.0, 2.0), 0))
def dataclass_argument_is_changed(body, n):
    for _ in range(n):
        body.kick(-0.5)
        body.drift(0.1)
    return body


@case((Body(np.zeros(2), np.ones(2)), 3), (Body(np.zeros(2), np.ones(2)), 0))
def dataclass_of_arrays(body, n):
    for i in range(n):
        body.position += body.velocity
        body.velocity[0] = i
    return body.position[0]


@case((Frozen(1, 2.0), 3), (Frozen(1, 2.0), 0))
def frozen_dataclass(f, n):
    for _ in range(n):
        f = dataclasses.replace(f, x=f.x * 2, y=f.y / 2)
    return f


@case((4,), (0,))
def dict_state(n):
    d = {"a": 0, "b": 1}
    for _ in range(n):
        d["a"], d["b"] = d["b"], d["a"] + d["b"]
    return d


@case((4,), (0,))
def list_state(n):
    items = [0, 1, [2, 3.0]]
    for i in range(n):
        items[0] += items[1]
        items[2][1] = items[2][1] * 2
        items[-2] = i
    return items


@case((4,), (0,))
def list_is_replaced(n):
    items = [0, 1]
    for _ in range(n):
        items = [items[1], items[0] + items[1]]
    return items


@case((4,), (0,))
def aliased_list_in_a_loop(n):
    items = [0, 1]
    other = items
    for i in range(n):
        other[0] += i
        items[1] = other[0]
    return items, other


@case((4,), (-4,))
def aliased_dict_in_a_branch(n):
    d = {"k": 1}
    e = d
    if n > 0:
        e["k"] = n
    else:
        d["k"] = n * 2
    return d["k"], e["k"]


@case((4,), (0,))
def account(n):
    a = Account()
    for i in range(n):
        a.add(i)
    return a.total, a.double, a.history[0]


@case((2.0,), (-2.0,))
def attribute_set_in_one_branch(x):
    a = Account()
    if x > 0:
        a.total = 5
    return a.total


@case((3.0, 2), (3.0, 0))
def none_then_a_value(x, n):
    state = None
    for i in range(n):
        if state is None:
            state = x
        else:
            state = state * 2 + i
    return state


@case(((1.0, None, [2]),), ((-1.0, None, [2]),))
def none_inside(t):
    x, nothing, items = t
    if nothing is None and x > 0:
        return (nothing, items[0] + 1)
    return (nothing, items[0] - 1)


@case((((1, 2), [3, {"k": (4.0,)}]),))
def deep_structure(t):
    (a, b), (c, d) = t
    return {"sum": a + b + c, "d": d, "t": ((a,), [b], ())}


@case((2,), (-2,))
def empty_containers(n):
    if n > 0:
        n += 1
    return (), [], {}, n


@case((2.0, "mean"), (2.0, "sum"), static=("mode",))
def string_argument(x, mode):
    a = np.ones(3) * x
    if mode == "mean":
        return a.mean()
    return a.sum()


@case((2.0,))
def string_result(x):
    return "label", x


@case((np.ones(3),))
def same_array_in_two_results(a):
    b = a * 2
    return b, b, [b]


@case((4,), (0,))
def deque_state(n):
    d = collections.deque([0, 1])
    for i in range(n):
        d[0] = d[0] + i
    return d[0]


@case((4,), (0,))
def append_in_a_static_loop(n):
    items = []
    for k in (1, 2, 3):
        items.append(n * k)
    items.pop()
    items.insert(0, 100)
    items.extend([n, 5])
    return items


@case((4,), (-4,))
def append_in_both_branches(n):
    items = [1]
    if n > 0:
        items.append(n)
    else:
        items.append(-n * 10)
    return items


@case((4,), (-4,))
def list_length_depends_on_a_branch(n):
    items = [1]
    if n > 0:
        items.append(n)
    return len(items)


@case((4,), (-4,))
def dict_key_set_in_both_branches(n):
    d = {}
    if n > 0:
        d["r"] = n
    else:
        d["r"] = 0
    return d


@case((4,), (-4,))
def list_swapped_in_a_branch(n):
    p, q = [1], [2]
    if n > 0:
        p, q = q, p
    p[0] = 50
    return p, q


@case((4,), (1,))
def nested_lists_as_a_matrix(n):
    m = [[1, 2], [3, 4]]
    for _ in range(n):
        m = [[m[0][0] + m[1][0], m[0][1]], [m[1][0], m[1][1] * 2]]
    return m


@case((Body(1.0, 2.0), 3), (Body(1.0, 2.0), 1))
def methods_of_objects_made_on_the_way(body, n):
    for _ in range(n):
        body = dataclasses.replace(body, position=body.position + 1)
    other = dataclasses.replace(body, velocity=n)
    body.kick(n)
    other.kick(0.5)
    return body, other


@pytest.mark.parametrize("program", case.programs)
def test_pytree(program: Program) -> None:
    program.check()


@pytest.mark.parametrize("program", case.static_programs)
def test_pytree_with_static_arguments(program: Program) -> None:
    program.check_static()


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda n: (i * n for i in range(3)), "generator"),
        (lambda n: map(lambda i: i * n, [1, 2]), "generator"),
        (lambda n: enumerate([n]), "enumerate"),
        (lambda n: iter([n]), "list_iterator"),
        (lambda n: {1: n}.items(), "dict_items"),
        (lambda n: lambda: n, "function"),
    ],
)
def test_what_is_no_pytree_is_no_result(make, name):
    with pytest.raises(UnsupportedValueError, match=f"is an? {name}, which holds run-time values"):
        jit(make)(3)


def test_what_holds_no_run_time_values_is_a_result():
    assert jit(lambda n: (range(3), slice(1, 2), n))(3) == (range(3), slice(1, 2), 3)


def test_ranges_and_slices_are_results():
    f = jit(lambda n: (range(n), [range(1, n, 2)], slice(n), slice(None, n)), auto_static=False)
    for n in (3, 5):
        assert f(n) == (range(n), [range(1, n, 2)], slice(n), slice(None, n))


def chain(count):
    """A linked list of dicts."""
    node = None
    for k in range(count):
        node = {"v": float(k), "next": node}
    return node


def nested(count):
    found: list[Any] = []
    for _ in range(count):
        found = [found]
    return found


def sum_of_chain(node):
    total = 0.0
    while node is not None:
        total += node["v"]
        node = node["next"]
    return total


def depth(value):
    count = 0
    while value:
        value, count = value[0], count + 1
    return count


DEEP = 600  # each takes two calls where it is taken apart, and Python allows 1000


def test_deep_containers_are_arguments_and_read_from_outside():
    outside = chain(DEEP)
    compiled = jit(sum_of_chain)
    for _ in range(3):  # the last one takes the fast path
        assert compiled(outside) == sum_of_chain(outside)
    lists = nested(DEEP)
    assert jit(lambda x: depth(lists) + x)(1.0) == DEEP + 1.0
    assert jit(len)(lists) == 1


def test_deep_containers_are_results():
    def made(x):
        found = [x]
        for _ in range(DEEP):
            found = [found]
        return found

    compiled = jit(made)
    for _ in range(3):
        got = compiled(2.5)
        for _ in range(DEEP):
            (got,) = got
        assert got == [2.5]


def test_containers_that_are_too_deep_are_refused():
    with pytest.raises(UnsupportedValueError, match="lie in one another too deep"):
        jit(sum_of_chain)(chain(20 * DEEP))


def test_endless_recursion_of_the_users_stays_what_it_is():
    def endless(x):
        return endless(x)

    with pytest.raises(RecursionError):
        jit(endless)(1.0)
    with pytest.raises(RecursionError):
        jit(lambda d: endless(d["v"]))(chain(300))
