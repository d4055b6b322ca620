"""Operations that a run-time value does not have: type and message are those of the plain function."""

from __future__ import annotations

import numpy as np
import pytest

from tests.equivalence import check

A = np.array([1.0, 2.0, 3.0])


def sets_an_attribute(a):
    a.foo = 1
    return a


def catches_what_is_no_class(x):
    try:
        x = x / 0
    except 5:  # noqa: B030
        pass
    return x


def calls_itself(x):
    return calls_itself(x) + 1


def catches_its_recursion(x):
    try:
        return calls_itself(x)
    except RecursionError:
        return -x


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda s, x: s * x, ([1, 2], 2.0)),
        (lambda s, x: x * s, ("ab", 2.0)),
        (lambda s, x: x * s, ((1,), 2j)),
        (lambda a: a(2), (A,)),
        (lambda a: a[0](2), (A,)),
        (lambda x: x(2), (1.0,)),
        (lambda x: str(x)(2), (1.0,)),
        (lambda a: {a: 1}, (A,)),
        (lambda a: {a, 2.0}, (A,)),
        (lambda a: hash(a), (A,)),
        (lambda x: chr(x), (1.0,)),
        (lambda a: chr(a[0]), (A,)),
        (lambda a: chr(a), (A,)),
        (lambda x: bin(x), (1.0,)),
        (lambda a: [1, 2, 3][a[0]], (A,)),
        (lambda x: [1, 2, 3][x], (1.0,)),
        (lambda a: a[0].foo, (A,)),
        (lambda a: a.foo, (A,)),
        (lambda x: x.foo, (1,)),
        (sets_an_attribute, (A,)),
        (lambda a, i: a.item(i), (A, 4)),
        (lambda a, i: a.item(i), (A.reshape(3, 1), 4)),
        (lambda s, i: s.pop(i), ([1, 2, 3], 9)),
        (lambda s, i: s.pop(i), ([1, 2, 3], -9)),
        (lambda s, i: s.pop(i), ([], 0)),
        (lambda s, x: s.pop(x), ([1, 2, 3], 1.0)),
        (catches_what_is_no_class, (1.0,)),
        (catches_its_recursion, (1.0,)),
        (calls_itself, (1.0,)),
    ],
)
def test_it_is_the_plain_functions_error(function, args):
    check(function, *args)
