"""Tuples of several lengths, or of items of several types, of which a condition chooses one: what takes their items."""

from __future__ import annotations

import itertools
import math

import pytest

from anabranch import jit
from tests.equivalence import same


def _lengths(n):
    return (2,) if n < 10 else (2, 3) if n < 100 else (2, 3, 5)


def _types(n):
    return (2.5,) if n < 10 else (2, 3) if n < 100 else (2, n)


def reductions(choice, n):
    items = choice(n)
    return max(items), min(items), sum(items), sum(items, n), any(items), all(items), math.prod(items), len(items)


def conditions(choice, n):
    return all(n % item for item in choice(n)), any(item > n for item in choice(n)), max(item * n for item in choice(n))


def sequences(choice, n):
    items = choice(n)
    return sorted(items), list(items), tuple(items), [*items, n], [item * n for item in items], items[0], items[-1]


def iterators(choice, n):
    items = choice(n)
    pairs = list(zip(items, items, strict=True))
    return (
        list(enumerate(items)),
        list(reversed(items)),
        list(map(float, items)),
        pairs,
        list(itertools.accumulate(items)),
    )


def tables(choice, n):
    items = choice(n)
    return {item: n for item in items}, set(items)


FUNCTIONS = [reductions, conditions, sequences, iterators, tables]


@pytest.mark.parametrize("choice", [_lengths, _types])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_is_gone_over_where_it_is_the_one(function, choice):
    def chosen(n):
        return function(choice, n)

    compiled = jit(chosen, auto_static=False)
    for n in (5, 50, 500):
        same(chosen(n), compiled(n))
