"""Linked lists, cycles and shared nodes; the identity of nodes; recursion; writes into them."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.errors import UnsupportedOperationError
from tests.behaviour.containers.node_examples import RNG, Node, inners, not_in, numbers, objects, recursive, tree
from tests.equivalence import Outcome, alike, check

ROWS = RNG.normal(size=(3, 4))
X = ROWS[0]


class Link:
    __slots__ = ("next", "value")

    def __init__(self, value, next):
        self.value, self.next = value, next


def linked(n, make):
    node = None
    for i in reversed(range(n)):
        node = make(float(i), node)
    return node


def link(value, next):
    return {"value": value, "next": next}


def ring(n):
    first = link(0.0, None)
    first["next"] = linked(n, link)
    last = first
    while last["next"] is not None:
        last = last["next"]
    last["next"] = first
    return first


TREE, LABELS = tree(5), tree(5, lambda: {"leaf": "abc"[int(RNG.integers(3))]})


# ---- linked lists, cycles, nodes in several places -------------------------------------------------------------------


def test_a_linked_list_of_dicts():
    def total(node):
        s = 0.0
        while node is not None:
            s += node["value"]
            node = node["next"]
        return s

    def by_truth(node):
        s = 0.0
        while node:
            s += node["value"]
            node = node["next"]
        return s

    for n in (5, 40):
        check(total, linked(n, link))
        check(by_truth, linked(n, link))


@pytest.mark.parametrize("make", [Link, Node])
def test_a_linked_list_of_objects(make):
    def find(node, value):
        while node is not None and node.value != value:
            node = node.next if hasattr(node, "next") else node.left
        return node

    def find_surely(node, value):
        while node.value != value:
            node = node.next if hasattr(node, "next") else node.left
        return node

    first = linked(30, make)
    for value in (0.0, 17.0, 99.0):
        assert jit(find)(first, value) is find(first, value)
        check(find_surely, first, value)


def test_the_node_at_a_place():
    def nth(node, n):
        for _ in range(n):
            node = node["next"]
        return node["value"]

    first = linked(30, link)
    for n in (0, 1, 29, 30, 31, 50):
        check(nth, first, n)


def test_a_ring():
    def walk(node, steps):
        s = 0.0
        for _ in range(steps):
            s += node["value"]
            node = node["next"]
        return s

    def around(first):
        s, node = first["value"], first["next"]
        while node is not first:
            s += node["value"]
            node = node["next"]
        return s

    first = ring(20)
    check(walk, first, 50)
    check(around, first)


def test_a_node_in_several_places_is_one():
    one, other = {"leaf": 1.0}, {"leaf": 2.0}
    for _ in range(10):
        one, other = numbers() | {"left": one, "right": other}, numbers() | {"left": other, "right": one}

    def walk(node, x):
        while "leaf" not in node:
            node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
        return node

    for row in ROWS:
        assert jit(walk)(one, row) is walk(one, row)


# ---- identity, results, exceptions, writes ---------------------------------------------------------------------------


def test_a_node_is_the_argument_s():
    def walk(node, x):
        best, most = node, -10.0
        while "leaf" not in node:
            if node["threshold"] > most:
                best, most = node, node["threshold"]
            node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
        return {"best": best, "last": [node]}

    for row in ROWS:
        want, got = walk(TREE, row), jit(walk)(TREE, row)
        assert got["best"] is want["best"]
        assert got["last"][0] is want["last"][0]


def test_is():
    def walk(root, x):
        node, seen = root, []
        count = 0
        while "leaf" not in node:
            count += 1000 if node is root else 100 if node is root["left"] else 1
            node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
        return count, node is root, node is not None, node is seen

    for row in ROWS:
        check(walk, TREE, row)


def test_what_a_node_has_not():
    def key(node, x, steps):
        for _ in range(steps):
            node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
        return node["leaf"]

    def attribute(node, x, steps):
        for _ in range(steps):
            node = node.child(x)
        return node.value

    root = objects(4)
    for steps in (0, 2, 5, 9):
        check(key, TREE, X, steps)
        check(attribute, root, X, steps)


def test_attributes_that_some_nodes_lack():
    def by_hasattr(node, x):
        while hasattr(node, "left"):
            node = node.left if x[node.feature] <= node.threshold else node.right
        return node.value

    def by_default(node, x):
        while getattr(node, "left", None) is not None:
            node = node.left if x[node.feature] <= node.threshold else node.right
        return node.value, getattr(node, "feature", -1)

    root = inners(4)
    for row in ROWS:
        check(by_hasattr, root, row)
        check(by_default, root, row)


def test_writes_before_the_walk_are_seen():
    def walk(root, x):
        root["left"]["threshold"] = x[0] * 100
        root["right"]["threshold"] = -x[0] * 100
        root["left"]["left"] = root["right"]["left"]
        return not_in(root, x)

    for row in ROWS:
        first, second = copy.deepcopy(TREE), copy.deepcopy(TREE)
        alike(Outcome(walk, (first, row), {}), Outcome(jit(walk), (second, row), {}))


def test_writes_to_a_chosen_node():
    def count(root, x):
        node = root
        while "leaf" not in node:
            node["visits"] = node["visits"] + 1
            node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
        return node["leaf"]

    def counted(depth):
        if depth == 0:
            return {"leaf": float(RNG.normal())}
        return numbers() | {"visits": 0, "left": counted(depth - 1), "right": counted(depth - 1)}

    check(count, counted(2), X)
    check(count, counted(5), X)

    def marked(root, x):
        node = root
        while "leaf" not in node:
            node["visits"] = "seen"
            node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
        return node["leaf"]

    with pytest.raises(
        UnsupportedOperationError, match=r"'node' is one of .*written to, .*; keep the structure in arr"
    ):
        jit(marked)(counted(5), X)


def test_arrays_in_nodes():
    def walk(node, x):
        while "leaf" not in node:
            node = node["left"] if (node["weights"] * x).sum() < 0 else node["right"]
        return node["leaf"]

    def weighted(depth):
        if depth == 0:
            return {"leaf": RNG.normal(size=2)}
        return {"weights": RNG.normal(size=4), "left": weighted(depth - 1), "right": weighted(depth - 1)}

    check(walk, weighted(2), X)
    with pytest.raises(
        UnsupportedOperationError, match=r"'node' is one of .* holds an array, another one in each node"
    ):
        jit(walk)(weighted(6), X)


# ---- recursion -------------------------------------------------------------------------------------------------------


def recursive_by_statement(node, x, depth=0):
    if "leaf" in node:
        return node["leaf"], depth
    if x[node["feature"]] < node["threshold"]:
        return recursive_by_statement(node["left"], x, depth + 1)
    else:
        return recursive_by_statement(x=x, node=node["right"], depth=depth + 1)


@pytest.mark.parametrize("walk", [recursive, recursive_by_statement])
def test_recursion(walk):
    for row in ROWS:
        check(walk, TREE, row)


def test_recursion_that_is_called():
    def twice(root, x):
        return recursive(root, x) + recursive(root["left"], -x)

    def rows(root, x):
        return [recursive(root, r) for r in x]

    check(twice, TREE, X)
    check(rows, TREE, ROWS)


def test_methods_that_call_themselves():
    def predict(root, x):
        return root.predict(x)

    for row in ROWS:
        check(predict, objects(4), row)
        check(predict, inners(4), row)


def test_recursion_that_gives_a_node():
    def find(node, value):
        if node["value"] == value:
            return node
        return find(node["next"], value)

    first = ring(20)
    assert jit(find)(first, 7.0) is find(first, 7.0)


def test_recursion_without_an_end():
    def find(node, value):
        if node["value"] == value:
            return node
        return find(node["next"], value)

    with pytest.raises(RecursionError):
        jit(find)(ring(20), -1.0)


def test_recursion_in_a_method_of_another_class():
    class Other:
        def __init__(self, scale):
            self.scale = scale

        def predict(self, node, x):
            return node.predict(x * self.scale)

    def predict(root, scale, x):
        return Other(scale).predict(root, x)

    check(predict, objects(4), 2.0, X)


def test_what_follows_a_call_is_not_skipped():
    def walk(node, x):
        if "leaf" in node:
            return node["leaf"]
        try:
            return walk(node["left"] if x[node["feature"]] < node["threshold"] else node["right"], x)
        finally:
            x[0] = x[0] + 1.0

    check(walk, tree(3), X.copy())


class Stop:
    def __init__(self, value, after):
        self.value, self.after, self.seen = value, after, []


def test_nodes_that_some_steps_make_before_one_that_all_change():
    def route(ks, n):
        stop = head = Stop(1, None)
        for k in ks.tolist():
            if k == 3:
                continue
            stop = Stop(k % 3, stop)
            head.value += 1
        stop.seen.append(n)
        return stop.value, head.value, stop.seen

    for ks in (np.array([5, 4, 3, 2, 1]), np.array([3, 3])):  # the second trace knew other places from the start
        for _ in range(2):
            check(route, ks, 1)
