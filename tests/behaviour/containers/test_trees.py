"""Trees of dicts, objects and lists that a compiled function walks at run time."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.errors import UnsupportedOperationError
from tests.behaviour.containers.node_examples import RNG, Inner, Node, inners, not_in, numbers, objects, recursive, tree
from tests.equivalence import check

ROWS = RNG.normal(size=(3, 4))
X = ROWS[0]


def uniform(depth):
    """A tree in which all nodes have the same keys."""
    if depth == 0:
        return {"feature": 0, "threshold": 0.0, "leaf": float(RNG.normal()), "left": None, "right": None}
    return numbers() | {"leaf": None, "left": uniform(depth - 1), "right": uniform(depth - 1)}


@dataclasses.dataclass
class Record:
    feature: int
    threshold: float
    left: object
    right: object
    value: float


def record(value, left=None, right=None):
    return Record(int(RNG.integers(4)), float(RNG.normal()), left, right, value)


def lists(depth):
    if depth == 0:
        return [float(RNG.normal())]
    return [int(RNG.integers(4)), float(RNG.normal()), lists(depth - 1), lists(depth - 1)]


def many(depth):
    """A tree of nodes with three children each."""
    return {"value": float(RNG.normal()), "children": [many(depth - 1) for _ in range(3)] if depth else []}


TREE, LABELS = tree(5), tree(5, lambda: {"leaf": "abc"[int(RNG.integers(3))]})


# ---- loops -----------------------------------------------------------------------------------------------------------


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
    with pytest.raises(UnsupportedOperationError, match=r"one of 30 nodes.*was made by the function itself"):
        jit(node, static_argnames="depth")(X, 4)


def test_other_numbers_take_the_same_executable():
    walked = jit(not_in)
    for _ in range(3):
        root = tree(4)
        for row in ROWS:
            assert walked(root, row) == not_in(root, row)
    assert walked.cache_info().currsize == 1


# ---- size ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("walk", [not_in, by_statement, recursive])
def test_the_program_does_not_grow_with_the_tree(walk):
    sizes = [len(str(jit(walk).trace(tree(depth), X).program).splitlines()) for depth in (5, 8)]
    assert sizes[0] == sizes[1]


def test_a_field_of_many_nodes_is_one_input():
    walked = jit(not_in).trace(tree(6), X)
    assert len(walked.program.inputs) == 4
