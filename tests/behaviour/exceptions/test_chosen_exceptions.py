"""Exceptions, and causes of exceptions, that are one of several by a condition."""

from __future__ import annotations

import pytest

from anabranch import jit


def by_name(x):
    error = ValueError("large", x) if x > 2 else KeyError("small")
    raise error


def if_there_is_one(x):
    error = ValueError("large") if x > 2 else None
    if error is not None:
        raise error
    return x


def by_class(x):
    kind = ValueError if x > 2 else KeyError
    raise kind("told")


def caught(x):
    error = ValueError("large") if x > 2 else KeyError("small")
    try:
        raise error
    except (ValueError, KeyError) as caught_one:
        return type(caught_one).__name__, caught_one is error


def from_one_or_none(x):
    last = None
    if x > 2:
        last = ValueError("large")
    raise RuntimeError("failed") from last


def from_one_of_two(x):
    last = ValueError("large") if x > 2 else KeyError("small")
    raise RuntimeError("failed") from last


def retried(x):
    last = None
    for k in range(3):
        try:
            if x > k:
                raise ValueError(f"{x} > {k}")
            return x * 10 + k
        except ValueError as error:
            last = error
    raise RuntimeError(f"failed: {last}") from last


def another_than_was_caught(x):
    try:
        raise ValueError("small")
    except ValueError as error:  # noqa: F841 - it is where x is small
        if x > 2:
            error = KeyError("large")
        raise error


def _outcome(function, x):
    try:
        return function(x)
    except Exception as error:
        return repr(error), repr(error.__cause__), error.__suppress_context__


FUNCTIONS = [
    by_name,
    if_there_is_one,
    by_class,
    caught,
    from_one_or_none,
    from_one_of_two,
    retried,
    another_than_was_caught,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_is_raised_where_it_is_the_one(function):
    compiled = jit(function, auto_static=False)
    for x in (1, 5):
        assert _outcome(compiled, x) == _outcome(function, x)
