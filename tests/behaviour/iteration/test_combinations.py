"""`itertools.combinations` and its like: one loop over positions, whatever the items are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from anabranch import jit
from tests.equations import every_equation
from tests.equivalence import check, check_calls

DATA = np.array([3.0, 1, 4, 1, 5, 9, 2.5])


def pairs(x):
    total = 0.0
    for p, q in itertools.combinations(x, 2):
        total += p * q
    return total


def numbered(x):
    count = 0
    for (i, p), (j, q) in itertools.combinations(enumerate(x), 2):
        if p < q:
            count += i * j
    return count


def kept(x):
    out = []
    for row in itertools.permutations(x, 2):
        if row[0] > row[1]:
            out.append(row)
    return out


def in_comprehensions(x):
    sums = [p + q for p, q in itertools.combinations_with_replacement(x, 2)]
    return sums, sum(p * q for p, q in itertools.combinations(x, 2)), list(itertools.permutations([1, 2, 3]))


def of_a_list_that_grows_meanwhile(x):
    items, total = [v * 2 for v in x], 0.0
    for p, q, r in itertools.combinations(items, 3):
        total += p - q * r
        if len(items) < 9:
            items.append(0.0)
    return total, items


def none_and_one(x):
    count = 0
    for _ in itertools.combinations(x, 9):
        x = x + 1
    for row in itertools.combinations(x, 0):
        count += len(row) + 1
    return x, count


def closest(x):
    best = (1e9, -1, -1)
    for i, j in itertools.combinations(range(len(x)), 2):
        d = abs(x[i] - x[j])
        if d < best[0]:
            best = (d, i, j)
    return best


def one_by_one(x):
    rows, total = itertools.combinations(x, 2), 0.0
    first = next(rows)
    for p, q in rows:
        total += p * q
    return first, total


def that_are_written(x):
    rows = [x * 1, x * 2, x * 3]
    for p, q in itertools.combinations(rows, 2):
        p += q
    return rows


def of_less_than_none(x):
    return list(itertools.combinations(x, -1))


PROGRAMS = [
    pairs, numbered, kept, in_comprehensions, of_a_list_that_grows_meanwhile, none_and_one, closest, one_by_one,
    that_are_written, of_less_than_none,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_python(program):
    check_calls(program, (DATA,), (DATA[::-1].copy(),))


def test_how_many_there_are_does_not_count():
    few, many = (len(list(every_equation(jit(pairs).trace(DATA.repeat(n)).program))) for n in (1, 20))
    assert few == many
    check(pairs, DATA.repeat(20))
