"""Calls whose arguments do not fit: what is raised names the function as users know it, in Python's words."""

from __future__ import annotations

import bisect
import cmath
import collections
import functools
import heapq
import itertools
import math
import operator

import numpy as np
import pytest

from tests.equivalence import check


@pytest.mark.parametrize(
    "function",
    [
        lambda x: len(),
        lambda x: len(x, x),
        lambda x: sum(),
        lambda x: sum([x], foo=1),
        lambda x: max(),
        lambda x: min(x, x, foo=1),
        lambda x: sorted(),
        lambda x: sorted([x], None),
        lambda x: list(enumerate()),
        lambda x: list(zip([x], foo=1)),
        lambda x: range(),
        lambda x: range(1, 2, 3, int(x)),
        lambda x: isinstance(x),
        lambda x: isinstance(x, 3),
        lambda x: print(x, foo=1),
        lambda x: abs(x, x),
        lambda x: pow(x),
        lambda x: float(x, x),
        lambda x: int(x, x, x),
        lambda x: complex(x, x, x),
        lambda x: next(),
        lambda x: any(),
        lambda x: list(x, x),
        lambda x: tuple(x),
        lambda x: dict(x),
        lambda x: list(filter(None)),
        lambda x: list(itertools.accumulate()),
        lambda x: functools.reduce(operator.add),
        lambda x: heapq.heappush([x]),
        lambda x: bisect.bisect([x]),
        lambda x: collections.deque([x], 1, 2),
        lambda x: math.log(x, x, x),
        lambda x: math.hypot(x, a=1),
        lambda x: math.isclose(x),
        lambda x: math.comb(int(x)),
        lambda x: cmath.phase(x, x),
        lambda x: cmath.rect(x),
        lambda x: [x].index(),
        lambda x: [x].sort(foo=1),
        lambda x: [x].count(),
        lambda x: np.zeros(),
        lambda x: np.full(3),
        lambda x: np.eye(2, foo=1),
        lambda x: np.sin(x, foo=1),
        lambda x: np.float64(x, x, x),
    ],
)
def test_the_error_is_pythons(function):
    assert isinstance(check(function, 2.0), TypeError)


def test_a_type_error_of_what_is_called_is_not_taken_for_a_misfit():
    def wants_two(a, b):
        return a

    check(lambda x: sorted([x, 1.0], key=lambda v: wants_two(v)), 2.0)
    check(lambda x: max([x, "a"]), 2.0)


def takes_any(*args, **kwargs):
    return args, kwargs


class Holder:
    def method(self, *args):
        return args


@pytest.mark.parametrize(
    "function",
    [
        lambda x: takes_any(*x),
        lambda x: takes_any(**x),
        lambda x: takes_any(1, *x),
        lambda x: takes_any(1, a=1, **x),
        lambda x: takes_any(a=x, **dict.fromkeys("a", x)),
        lambda x: takes_any(**{3: x}),
        lambda x: Holder().method(*x),
        lambda x: Holder(*x),
        lambda x: (lambda *a: a)(*x),
        lambda x: [].append(*x),
        lambda x: print(*x),
        lambda x: max(*x),
        lambda x: math.hypot(*x),
        lambda x: np.maximum(*x),
    ],
)
@pytest.mark.parametrize("x", [1.5, 3, True])
def test_what_cannot_be_unpacked_is_told_in_pythons_words(function, x):
    check(function, x)


def test_what_can_be_unpacked_is_passed():
    def f(x, n):
        def down(n, total):
            return total if n <= 0 else down(*(n - 1, total + n))

        named = {"a": x, "b": n}
        return takes_any(*[x, n], **named), math.hypot(*(x, n)), max(*[x, 2.0]), Holder().method(*[n]), down(n, 0)

    check(f, 1.5, 3)
