"""Statements on one of several objects that change others: what each way has changed is put back before the next."""

from __future__ import annotations

import numpy as np

from anabranch import jit


class Node:
    def __init__(self, key):
        self.key = key
        self.children = []

    def note(self, seen):
        seen.append(1)
        return self.key


def tree_of(parents):
    nodes = [Node(float(i)) for i in range(len(parents))]
    for i in range(1, len(parents)):
        nodes[parents[i]].children.append(nodes[i])
    return nodes


def visit(node, seen):
    seen.append(node.key)
    for child in node.children:
        visit(child, seen)


def test_a_walk_over_the_children_of_nodes():
    def f(parents):
        seen = []
        visit(tree_of(parents)[0], seen)
        return seen

    for parents in ([0, 0, 0], [0, 0, 0, 1, 1, 2, 5, 6, 7]):
        assert jit(f)(parents) == f(parents)


def test_a_sum_over_the_children_of_nodes():
    def f(parents):
        total = [0.0, 0.0]

        def walk(node):
            total[0] += node.key
            for child in node.children:
                total[1] += 1
                walk(child)

        walk(tree_of(parents)[0])
        return total

    assert jit(f)([0, 0, 0, 1, 1, 2]) == f([0, 0, 0, 1, 1, 2])


def test_a_method_that_changes_another_object():
    def f(which):
        nodes, seen = tree_of([0, 0, 0, 1]), []
        return [nodes[i].note(seen) for i in which], seen

    assert jit(f)(np.array([2, 0, 3])) == f(np.array([2, 0, 3]))
