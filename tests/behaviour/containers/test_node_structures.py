"""Trees, linked lists and graphs of dicts, objects and lists that a compiled function walks at run time."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.errors import UnsupportedOperationError
from tests.equivalence import Outcome, alike, check

RNG = np.random.default_rng(7)
ROWS = RNG.normal(size=(3, 4))
X = ROWS[0]


def numbers():
    return {"feature": int(RNG.integers(4)), "threshold": float(RNG.normal())}


def tree(depth, leaf=lambda: {"leaf": float(RNG.normal())}):
    if depth == 0:
        return leaf()
    return numbers() | {"left": tree(depth - 1, leaf), "right": tree(depth - 1, leaf)}


def uniform(depth):
    """A tree in which all nodes have the same keys."""
    if depth == 0:
        return {"feature": 0, "threshold": 0.0, "leaf": float(RNG.normal()), "left": None, "right": None}
    return numbers() | {"leaf": None, "left": uniform(depth - 1), "right": uniform(depth - 1)}


class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right
        self.feature, self.threshold = int(RNG.integers(4)), float(RNG.normal())

    def child(self, x):
        return self.left if x[self.feature] <= self.threshold else self.right

    def is_leaf(self):
        return self.left is None

    def predict(self, x):
        if self.left is None:
            return self.value
        if x[self.feature] <= self.threshold:
            return self.left.predict(x)
        return self.right.predict(x)


@dataclasses.dataclass
class Record:
    feature: int
    threshold: float
    left: object
    right: object
    value: float


class Leaf:
    def __init__(self, value):
        self.value = value

    def predict(self, x):
        return self.value


class Inner:
    def __init__(self, left, right):
        self.left, self.right = left, right
        self.feature, self.threshold = int(RNG.integers(4)), float(RNG.normal())

    def predict(self, x):
        if x[self.feature] <= self.threshold:
            return self.left.predict(x)
        return self.right.predict(x)


class Link:
    __slots__ = ("next", "value")

    def __init__(self, value, next):
        self.value, self.next = value, next


def objects(depth, make=Node):
    if depth == 0:
        return make(float(RNG.normal()))
    return make(0.0, objects(depth - 1, make), objects(depth - 1, make))


def record(value, left=None, right=None):
    return Record(int(RNG.integers(4)), float(RNG.normal()), left, right, value)


def inners(depth):
    return Leaf(float(RNG.normal())) if depth == 0 else Inner(inners(depth - 1), inners(depth - 1))


def lists(depth):
    if depth == 0:
        return [float(RNG.normal())]
    return [int(RNG.integers(4)), float(RNG.normal()), lists(depth - 1), lists(depth - 1)]


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


def many(depth):
    """A tree of nodes with three children each."""
    return {"value": float(RNG.normal()), "children": [many(depth - 1) for _ in range(3)] if depth else []}


TREE, LABELS = tree(5), tree(5, lambda: {"leaf": "abc"[int(RNG.integers(3))]})


# ---- loops -----------------------------------------------------------------------------------------------------------


def not_in(node, x):
    while "leaf" not in node:
        node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
    return node["leaf"]


def by_statement(root, x):
    node, depth = root, 0
    while "leaf" not in node:
        depth += 1
        if x[node["feature"]] <= node["threshold"]:
            node = node["left"]
        else:
            node = node["right"]
    return node["leaf"], depth


def by_key(node, x):
    while "leaf" not in node:
        node = node["left" if x[node["feature"]] <= node["threshold"] else "right"]
    return node["leaf"]


def until_return(node, x):
    while True:
        if "leaf" in node:
            return node["leaf"]
        node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]


def get(node, x):
    while node.get("leaf") is None:
        node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
    return node.get("leaf", 3.0)


def until_key_error(node, x):
    try:
        while True:
            node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
    except KeyError:
        return node["leaf"]


def matched(node, x):
    while True:
        match node:
            case {"leaf": value}:
                return value
            case {"feature": feature, "threshold": threshold, "left": left, "right": right}:
                node = left if x[feature] <= threshold else right


@pytest.mark.parametrize("walk", [not_in, by_statement, by_key, until_return, get, until_key_error, matched])
@pytest.mark.parametrize("row", range(3))
def test_a_tree_of_dicts(walk, row):
    check(walk, TREE, ROWS[row])


@pytest.mark.parametrize("walk", [not_in, until_return])
def test_leaves_of_text(walk):
    for row in ROWS:
        check(walk, LABELS, row)


def test_nodes_with_none_for_what_they_have_not():
    def by_leaf(node, x):
        while node["leaf"] is None:
            node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
        return node["leaf"]

    def by_child(node, x):
        while node["left"] is not None:
            node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
        return node["leaf"], node["left"]

    root = uniform(4)
    for row in ROWS:
        check(by_leaf, root, row)
        check(by_child, root, row)


def test_leaves_that_are_numbers():
    def walk(node, x):
        while isinstance(node, dict):
            node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
        return node

    root = tree(4, lambda: float(RNG.normal()))
    for row in ROWS:
        check(walk, root, row)


@pytest.mark.parametrize("make", [Node, record])
def test_objects(make):
    def walk(node, x):
        while node.left is not None:
            node = node.left if x[node.feature] <= node.threshold else node.right
        return node.value

    root = objects(4, make)
    for row in ROWS:
        check(walk, root, row)


def test_methods():
    def walk(node, x):
        while not node.is_leaf():
            node = node.child(x)
        return node.value

    check(walk, objects(4), X)


def test_classes_tell_nodes_apart():
    def by_instance(node, x):
        while isinstance(node, Inner):
            node = node.left if x[node.feature] <= node.threshold else node.right
        return node.value

    def by_type(node, x):
        while type(node) is Inner:
            node = node.left if x[node.feature] <= node.threshold else node.right
        return node.value

    root = inners(4)
    check(by_instance, root, X)
    check(by_type, root, X)


def test_lists_as_nodes():
    def walk(node, x):
        while len(node) > 1:
            node = node[2] if x[node[0]] <= node[1] else node[3]
        return node[0]

    for row in ROWS:
        check(walk, lists(4), row)


def test_lists_of_children():
    def walk(node, x):
        i = 0
        while node["children"]:
            node = node["children"][int(abs(x[i] * 10)) % 3]
            i += 1
        return node["value"]

    def too_far(node, i):
        while node["children"]:
            node = node["children"][i]
        return node["value"]

    root = many(3)
    for row in ROWS:
        check(walk, root, row)
    for i in (2, -3, 3, -4):
        check(too_far, root, i)


def test_rows_of_a_matrix():
    def in_a_comprehension(root, rows):
        return np.array([not_in(root, r) for r in rows])

    def in_a_loop(root, rows):
        out = np.zeros(len(rows))
        for i in range(len(rows)):
            out[i] = not_in(root, rows[i])
        return out

    check(in_a_comprehension, TREE, ROWS)
    check(in_a_loop, TREE, ROWS)


def test_a_forest():
    def mean(trees, x):
        return sum(not_in(t, x) for t in trees) / len(trees)

    check(mean, [tree(3) for _ in range(5)], X)


def test_one_of_two_trees():
    def walk(one, other, x):
        node = one if x[0] > 0 else other
        while "leaf" not in node:
            node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
        return node

    other = tree(4)
    for row in ROWS:
        check(walk, TREE, other, row)


def test_a_tree_from_outside_of_the_function():
    root = tree(5)

    def walk(x):
        return not_in(root, x)

    walked = jit(walk)
    assert walked(X) == walk(X)
    root["threshold"] = -100.0 if X[root["feature"]] <= root["threshold"] else 100.0
    assert walked(X) == walk(X)


def test_a_tree_that_the_function_makes():
    def made(x, depth):
        def make(depth, k):
            if depth == 0:
                return {"leaf": x[k % 4]}
            left, right = make(depth - 1, 2 * k), make(depth - 1, 2 * k + 1)
            return {"feature": k % 4, "threshold": x[(k + 1) % 4] / 2, "left": left, "right": right}

        return make(depth, 1)

    def value(x):
        return not_in(made(x, 4), x)

    def node(x, depth):
        found = made(x, depth)
        while "leaf" not in found:
            found = found["left"] if x[found["feature"]] <= found["threshold"] else found["right"]
        return found

    check(value, X)
    check(node, X, 3, static=("depth",))
    with pytest.raises(UnsupportedOperationError, match=r"one of 30 nodes.*the function itself has made it"):
        jit(node, static_argnames="depth")(X, 4)


def test_other_numbers_take_the_same_executable():
    walked = jit(not_in)
    for _ in range(3):
        root = tree(4)
        for row in ROWS:
            assert walked(root, row) == not_in(root, row)
    assert walked.cache_info().currsize == 1


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
        UnsupportedOperationError, match=r"'node' is one of .* holds an array, and each node has another"
    ):
        jit(walk)(weighted(6), X)


# ---- recursion -------------------------------------------------------------------------------------------------------


def recursive(node, x):
    if "leaf" in node:
        return node["leaf"]
    return recursive(node["left"], x) if x[node["feature"]] < node["threshold"] else recursive(node["right"], x)


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


# ---- size ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("walk", [not_in, by_statement, recursive])
def test_the_program_does_not_grow_with_the_tree(walk):
    sizes = [len(str(jit(walk).trace(tree(depth), X).program).splitlines()) for depth in (5, 8)]
    assert sizes[0] == sizes[1]


def test_a_field_of_many_nodes_is_one_input():
    walked = jit(not_in).trace(tree(6), X)
    assert len(walked.program.inputs) == 4
