"""`heapq.merge` of lists, arrays and tuples, sorted or not."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equivalence import check


def of_arrays(a, b):
    return list(heapq.merge(a, b)), list(heapq.merge(a)), list(heapq.merge([], b, ()))


def of_several_kinds(a, b):
    return list(heapq.merge([int(v) for v in b if v > 1], a.tolist(), (2, 3)))


def stops_early(a, b):
    total = 0.0
    for place, v in enumerate(heapq.merge(a, b, reverse=True)):
        if v < 2:
            break
        total = 2 * total + v * place
    return total


def asked_for_the_next(a, b):
    merged = heapq.merge(a, b, key=lambda v: -v)
    return next(merged), next(merged), list(merged)


def equal_keys(a, b):
    left, right = [(v, "left") for v in a], [(v, "right") for v in b]
    first = list(heapq.merge(left, right, key=lambda pair: pair[0]))
    return first, list(heapq.merge(left, right, key=lambda pair: pair[0], reverse=True))


def keys_asked_for(a, b):
    asked = []

    def key(v):
        if v > 8:
            raise ValueError(f"no rank: {v}")
        asked.append(v)
        return v

    return list(heapq.merge(a.tolist(), b.tolist(), key=key)), asked


def changed_meanwhile(a, b):
    left, right, seen = a.tolist(), b.tolist(), []
    for v in heapq.merge(left, right):
        seen.append(v)
        if len(seen) == 1:
            right[0] = 100.0
            left.append(50.0)
    return seen


@pytest.mark.parametrize(
    "function",
    [of_arrays, of_several_kinds, stops_early, equal_keys, keys_asked_for, changed_meanwhile],
)
@pytest.mark.parametrize(
    ("a", "b"),
    [([1.0, 3, 5], [2.0, 3, 4, 9]), ([5.0, 1, 3], [4.0, 2, 7, 0]), ([1.0, np.nan, 5], [np.nan, 3.0, 4, 4])],
)
def test_merge(function, a, b):
    if function is of_several_kinds and np.isnan(a).any():
        b = [2.0, 3, 4, 4]
    check(function, np.array(a), np.array(b))


def test_a_merge_that_is_asked_for_the_next():
    check(asked_for_the_next, np.array([5.0, 1, 3]), np.array([4.0, 2, np.nan, 0]))


def test_iterators_are_refused():
    with pytest.raises(UnsupportedOperationError, match=r"heapq\.merge of iterators"):
        jit(lambda a: list(heapq.merge(iter(a), a)))(np.ones(3))
