"""Lists in lists, and dicts in dicts, that a step of a loop makes and a condition may keep for the next one."""

from __future__ import annotations

import pytest

from anabranch import jit


def square(a):
    table, s = [[a, a], [a, a]], a
    while s < 100:
        row = table[0]
        s = s + row[0]
        new = [[s, s], [a, s]]
        if s < 1e3:
            table = new
    return s, table


def square_before_a_break(a):
    table, s = [[a, a], [a, a]], a
    while s < 100:
        s = s + table[0][0]
        new = [[s, s], [a, s]]
        if s > 50:
            break
        table = new
    return s, table


def cube(a):
    table, s = [[[a, a], [a, a]], [[a, a], [a, a]]], a
    while s < 100:
        s = s + table[0][0][0]
        new = [[[s, s], [a, a]], [[a, a], [a, a]]]
        if s < 1e3:
            table = new
    return s, table


def tree(a):
    node, s = [[a, [a, None]], [a, None]], a
    while s < 100:
        s = s + node[0][0]
        new = [[s, [a, None]], [a, None]]
        if s < 1e3:
            node = new
    return s, node


def written(a):
    table, s = [[a, a], [a, a]], a
    other = table
    for i in range(int(a * 10)):
        s = s + table[0][0]
        if i % 3 == 0:
            table = [[s, s], [a, s]]
        elif i % 3 == 1:
            other = table
        other[1][0] += 1
    return s, table, other, other is table


def dicts(a):
    node, s = {"x": [a, a], "y": {"z": a}}, a
    for i in range(int(a * 10)):
        s = s + node["x"][0]
        if i % 3 == 0:
            node = {"x": [a, s], "y": {"z": s}}
        node["y"]["z"] += 1
    return s, node


def newton(a):
    """A system of equations, whose Jacobian the function gives beside its value."""

    def value_and_jacobian(x):
        return [x[0] * x[0] - 2.0, x[1] * x[1] - 3.0], [[2 * x[0], 0.0], [0.0, 2 * x[1]]]

    x = [a, a + 1]
    value, jacobian = value_and_jacobian(x)
    steps = 0
    while steps < 20:
        step = [-value[0] / jacobian[0][0], -value[1] / jacobian[1][1]]
        new = [p + q for p, q in zip(x, step, strict=True)]
        try:
            value, new_jacobian = value_and_jacobian(new)
        except ZeroDivisionError:
            continue
        x = new
        steps += 1
        if abs(value[0]) + abs(value[1]) < 1e-9:
            break
        jacobian = new_jacobian
    return x, steps


@pytest.mark.parametrize(
    "function", [square, square_before_a_break, cube, tree, written, dicts, newton], ids=lambda f: f.__name__
)
def test_a_table_that_a_step_may_replace(function):
    compiled = jit(function)
    for a in (2.0, 5.0):
        assert compiled(a) == function(a)
