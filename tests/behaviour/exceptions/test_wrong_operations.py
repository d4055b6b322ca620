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


class Number:
    def __init__(self, x):
        self.x = x

    def __int__(self):
        return self.x

    __float__ = __complex__ = __int__


def takes_from_a_set(a):
    members = set()
    for x in a:
        if x > 1:
            members.add(x)
    return members.pop(1)


def unpacks_a_number(a):
    first, *_ = a[0]
    return first


def sets_an_item_of_a_tuple(a):
    y = (1, 2, 3)
    y[a.argmax()] = 3


def deletes_a_character(a):
    y = "abc"
    del y[a.argmax()]


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (takes_from_a_set, (A,)),
        (unpacks_a_number, (A,)),
        (lambda a: "a" + a[0], (A,)),
        (lambda a: f"{a}" + a[0], (A,)),
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
        (sets_an_item_of_a_tuple, (A,)),
        (deletes_a_character, (A,)),
        (lambda a: a.foo, (A,)),
        (lambda x: x.foo, (1,)),
        (sets_an_attribute, (A,)),
        (lambda a, i: a.item(i), (A, 4)),
        (lambda a, i: a.item(i), (A.reshape(3, 1), 4)),
        (lambda s, i: s.pop(i), ([1, 2, 3], 9)),
        (lambda s, i: s.pop(i), ([1, 2, 3], -9)),
        (lambda s, i: s.pop(i), ([], 0)),
        (lambda s, x: s.pop(x), ([1, 2, 3], 1.0)),
        (lambda x, m: pow(x, 2, m), (np.int64(2), 3)),
        (lambda x, m: pow(x, 2, m), (np.int64(2), np.int8(3))),
        (lambda x, m: pow(2, x, m), (2, np.float32(3))),
        (lambda a: pow(a, 2, 3), (A,)),
        (lambda x: int(Number(x)), (np.int64(2),)),
        (lambda x: float(Number(x)), (2,)),
        (lambda x: complex(Number(x)), (np.float32(2),)),
        (lambda s, x: s.index(x + 5), ([1, 2, 3], 2.5)),
        (lambda s, x: s.index(x), ([1, 2, 3], np.float32(2.5))),
        (lambda x: [x, 2].index({"a": 1}), (1,)),
        (catches_what_is_no_class, (1.0,)),
        (catches_its_recursion, (1.0,)),
        (calls_itself, (1.0,)),
    ],
)
def test_it_is_the_plain_functions_error(function, args):
    check(function, *args)


@pytest.mark.filterwarnings("ignore:.*returned non-:DeprecationWarning")
def test_numbers_of_numpy_that_are_pythons_are_taken():
    check(lambda x, n: (float(Number(x)), complex(Number(x + 1j)), int(Number(x > 1)), round(x, n)), 2.5, np.int8(0))
    check(lambda x: (float(Number(x)), complex(Number(x + 1j))), np.float64(2.5))
