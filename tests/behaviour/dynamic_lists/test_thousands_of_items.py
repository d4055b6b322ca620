"""Lists of hundreds and thousands of items of an array: those that Python makes, and those that are results."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equations import ops
from tests.equivalence import check

X = np.random.default_rng(4).random(6000)
SHORT = X[:200].copy()


def of_a_map(x):
    return [*map(float, x)]


def beside_another(x):
    return [1.0, *[v * 2 for v in x]]


def twice(x):
    items = [v * 2 for v in x]
    return [*items, 0.5, *items]


def of_the_array(x):
    return [*x]


def of_two(x):
    return [*x] + [v + 1.0 for v in x]


@pytest.mark.parametrize("function", [of_a_map, beside_another, twice, of_the_array, of_two])
def test_displays_of_thousands_are_loops(function):
    compiled = jit(function)
    assert compiled(X) == function(X)
    assert len(ops(compiled.trace(X).program)) < 300


def numbers_of_several_kinds(x):
    return [*x, *[int(v * 10) for v in x[:80]], *[float(v) for v in x[:90]], *[v > 0.5 for v in x[:70]]], x[0]


def before_they_are_written(x):
    items = [*x]
    x[::2] = 0.0
    first, *rest = x
    x[3] = 7.0
    return items, first, rest, sum(x)


def while_they_are_written(x):
    found = []
    for k, v in enumerate(iter(x)):
        found.append(v + 1.0)
        if k + 1 < len(x):
            x[k + 1] = v * 0.5
    return found


def under_a_condition(x):
    items = [*x]
    if x[0] > 0.5:
        x[1] = 4.0
        total = items[1] + items[150]
    else:
        total = items[0] - x[1]
    return total, tuple(items)


def as_rows(x):
    return x.reshape(50, 4).tolist(), [[v, 2 * v] for v in x.tolist()]


@pytest.mark.parametrize(
    "function",
    [numbers_of_several_kinds, before_they_are_written, while_they_are_written, under_a_condition, as_rows],
)
def test_hundreds_of_numbers_are_results(function):
    check(function, SHORT.copy())
    check(function, 1.0 - SHORT)


def test_lists_of_lists_of_numbers_have_their_own_kinds():
    def rows(x):
        return (
            x.reshape(-1, 3).tolist(),
            (x > 0.5).reshape(-1, 2).tolist(),
            (x * 9).astype(np.int32).reshape(-1, 2).tolist(),
        )

    found, expected = jit(rows)(X), rows(X)
    assert found == expected
    assert [type(part[0][0]) for part in found] == [float, bool, int]
    assert found[0][0] is not found[0][1]


def test_results_of_many_numbers_are_one_output():
    compiled = jit(lambda x: [float(v) for v in list(x)] + [v * 2.0 for v in list(x)])
    assert len(compiled.trace(SHORT).program.outputs) < 10
