"""One of several objects, whose classes say in Python how to go over them, or of several lists of other lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.equivalence import check_calls


class Pair:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        yield self.x
        yield self.y


class Held:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


class ByPlaces:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, place):
        return self.items[place]


def of_a_loop(n):
    pair = Pair(0.0, 1.0)
    best = pair
    while pair.x < n:
        pair = Pair(pair.x + 1.0, pair.y * 2)
        if pair.y > 3:
            best = pair
    return best


def of_two_pairs(n):
    a, b = Pair(1.0, n), Pair(n, 3.0)
    return a if n > 2 else b


def of_two_holders(n):
    a, b = Held([1.0, n]), Held([n, 3.0, 4.0])
    return a if n > 2 else b


def by_places(n):
    a, b = ByPlaces([1.0, n]), ByPlaces([n, 3.0, 4.0])
    return a if n > 2 else b


def of_two_lists(n):
    a, b = [1.0, n], [n, 3.0, 4.0]
    return a if n > 2 else b


def lengthened(v):
    items = [0.0]
    items.extend(v)
    items += v
    return items


USES: list[Callable[[Any], Any]] = [
    lambda v: tuple(v),
    lambda v: (list(v), [*v, 1.0]),
    lambda v: (sum(v), max(v), sorted(v)),
    lambda v: [(i, x) for i, x in enumerate(v)],
    lambda v: [a * b for a, b in zip(v, [1.0, 2.0], strict=False)],
    lambda v: len(set(v)),
    lambda v: np.array(list(v)),
    lengthened,
]


@pytest.mark.parametrize("made", [of_a_loop, of_two_pairs, of_two_holders, by_places, of_two_lists])
@pytest.mark.parametrize("use", USES, ids=range(len(USES)))
def test_gone_over(made: Callable[[Any], Any], use: Callable[[Any], Any]) -> None:
    check_calls(lambda n: use(made(n)), (3.0,), (0.0,))
