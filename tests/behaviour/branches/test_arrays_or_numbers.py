"""Values that are an array or a number, or arrays of several ranks, by a condition known only at run time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anabranch import jit
from tests.equations import ops

X = np.array([1.0, 1.5])
M = np.arange(6.0).reshape(2, 3)
CHOICES = {
    "an array or a float": (lambda x, m: x * 2.0, lambda x, m: 2.5),
    "an element or an array": (lambda x, m: x[0], lambda x, m: x),
    "an int or an array": (lambda x, m: 3, lambda x, m: x),
    "a vector or a matrix": (lambda x, m: x, lambda x, m: m),
    "a list or a float": (lambda x, m: [x[0], 1.0], lambda x, m: 4.0),
    "a float or an element": (lambda x, m: 2.5, lambda x, m: x[0]),
    "a tuple or an array": (lambda x, m: (x[0], 2), lambda x, m: x),
}


def truth(v):
    return 1 if v else 2


def truth_by_any(v):
    try:
        found = (abs(v) > 1e-2).any()
    except AttributeError:
        found = abs(v) > 1e-2
    return 1 if found else 2


def length(v):
    return len(v)


def as_list(v):
    return list(v), [w for w in v]


def as_tuple(v):
    return tuple(v)


def total(v):
    return sum(v)


def summed(v):
    return np.sum(v), np.sqrt(v), np.asarray(v), np.isnan(v)


def largest(v):
    return max(v)


def ordered(v):
    return sorted(v)


def counted(v):
    count = 0
    for k, _ in enumerate(v):
        count = count + k
    return count


def in_a_loop(v):
    made = 0.0
    for w in v:
        made = made + w
    return made


def taken_apart(v):
    _, second = v
    return second


def any_of(v):
    return any(v)


def dot(v):
    return np.dot(v, np.array([2.0, 3.0])), np.array([v, v])


def root(v):
    return math.sqrt(v)


def joined(v):
    return [a * b for a, b in zip(v, (1, 2), strict=True)]


OPERATIONS = [
    truth, truth_by_any, length, as_list, as_tuple, total, summed, largest, ordered, counted, in_a_loop, taken_apart,
    any_of, dot, root, joined,
]  # fmt: skip


def outcome(function, *args):
    """The result of a call, to the types and dtypes of its parts, or the exception."""
    try:
        return described(function(*args))
    except (TypeError, ValueError, AttributeError) as error:
        return type(error), str(error)


def described(result):
    if isinstance(result, (list, tuple)):
        return type(result), [described(part) for part in result]
    return type(result), np.asarray(result).dtype, np.asarray(result).tolist()


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda f: f.__name__)
def test_what_is_asked_of_either(operation, choice):
    one, other = CHOICES[choice]

    def chosen(x, m, sign):
        v = one(x, m) if sign[0] > 0 else other(x, m)
        return operation(v)

    compiled = jit(chosen)
    for sign in (np.array([1.0]), np.array([-1.0])):
        assert outcome(compiled, X, M, sign) == outcome(chosen, X, M, sign)


def test_the_root_of_a_real_number_that_might_be_complex():
    def root_of(x):
        number = 1.5 if x[0] > 0 else 2j
        return math.sqrt(number)

    compiled = jit(root_of)
    assert compiled(X) == math.sqrt(1.5)
    with pytest.raises(TypeError, match="must be real number, not complex"):
        compiled(-X)


def test_the_larger_of_numbers_of_two_kinds_is_no_branch():
    def farthest(x):
        change = 0.0
        for value in x:
            change = max(change, abs(value))
        return change

    compiled = jit(farthest)
    for x in (np.array([0.5, -2.0, 1.0]), np.array([-0.0, 0.0]), np.array([np.nan, 1.0])):
        assert outcome(compiled, x) == outcome(farthest, x)
    assert "cond" not in ops(compiled.trace(X).program)
