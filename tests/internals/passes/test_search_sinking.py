"""Searches of arrays: where only one side of a select needs what they find, they are in a branch."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import configure, jit
from tests.equivalence import check

PLACES = np.random.default_rng(3).integers(-20, 20, 500)
TABLE = np.arange(20.0)


def taken(table, places):
    return table[places]


def taken_twice(table, places, others):
    return table[places] + table[others]


def where_the_largest_is(x, flag):
    return np.where(flag, np.argmax(x) * 2, 7), np.where(flag, 7, np.argmin(x))


def needed_anyway(x, flag):
    place = np.argmax(x)
    return np.where(flag, place, 0), place


def written_in_between(table, places, k):
    total = 0.0
    for i in range(k):
        total += table[places].sum()
        places[i] = i
        table[places[i]] = total
    return total, places


def wrong(place, number):
    places = PLACES.copy()
    places[place] = number
    return places


CALLS = [
    (taken, (TABLE, PLACES)),
    (taken, (TABLE, wrong(17, 20))),
    (taken, (TABLE, wrong(499, -21))),
    (taken_twice, (TABLE, PLACES, wrong(3, 99))),
    (taken_twice, (TABLE, wrong(5, 77), wrong(3, 99))),
    (where_the_largest_is, (PLACES.copy(), True)),
    (where_the_largest_is, (PLACES.copy(), False)),
    (needed_anyway, (PLACES.copy(), True)),
    (written_in_between, (TABLE, PLACES, 4)),
    (written_in_between, (TABLE, wrong(400, 33), 4)),
]


@pytest.mark.parametrize(("function", "args"), CALLS, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("native", [True, False], ids=["native", "xla"])
def test_as_numpy(function, args, native):
    with configure(native_loops=native):
        check(function, *args)


def searches(function, *args):
    """How many searches there are outside of branches, and how many within."""
    program = jit(function).lower(*args).program
    inside = [e for equation in program.equations for p in equation.programs() for e in p.equations]
    return tuple(sum(e.op.name in ("argmax", "argmin") for e in found) for found in (program.equations, inside))


def test_the_index_that_fails_is_looked_for_where_one_fails():
    assert searches(taken, TABLE, PLACES) == (0, 1)
    assert searches(taken_twice, TABLE, PLACES, PLACES.copy()) == (0, 2)


def test_what_both_sides_need_stays():
    assert searches(needed_anyway, PLACES.copy(), True) == (1, 0)
    assert searches(where_the_largest_is, PLACES.copy(), True) == (0, 2)
