"""Trees, linked lists and rings of dicts, objects and lists, and the walks that tests of both share."""

from __future__ import annotations

import numpy as np

RNG = np.random.default_rng(7)


def numbers():
    return {"feature": int(RNG.integers(4)), "threshold": float(RNG.normal())}


def tree(depth, leaf=lambda: {"leaf": float(RNG.normal())}):
    if depth == 0:
        return leaf()
    return numbers() | {"left": tree(depth - 1, leaf), "right": tree(depth - 1, leaf)}


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


def objects(depth, make=Node):
    if depth == 0:
        return make(float(RNG.normal()))
    return make(0.0, objects(depth - 1, make), objects(depth - 1, make))


def inners(depth):
    return Leaf(float(RNG.normal())) if depth == 0 else Inner(inners(depth - 1), inners(depth - 1))


def not_in(node, x):
    while "leaf" not in node:
        node = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"]
    return node["leaf"]


def recursive(node, x):
    if "leaf" in node:
        return node["leaf"]
    return recursive(node["left"], x) if x[node["feature"]] < node["threshold"] else recursive(node["right"], x)
