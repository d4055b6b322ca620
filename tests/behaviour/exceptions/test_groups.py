"""Groups of exceptions, and `except*`."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit

X = np.arange(3.0)


def fails(n):
    if n > 0:
        raise ExceptionGroup("g", [ValueError(n), ExceptionGroup("in", [KeyError("k"), TypeError(n * 2)])])
    if n < -5:
        raise ValueError(n)
    return n


def all_that_fit(n):
    log = 0
    try:
        fails(n)
    except* ValueError:
        log += 1
    except* (KeyError, TypeError) as e:
        log += 10 * len(e.exceptions)
    else:
        log = 100
    finally:
        log += 1000
    return log


def the_rest_leaves(n):
    try:
        fails(n)
    except* ValueError:
        return_ = 1
    else:
        return_ = 2
    return return_


def raised_again(n):
    try:
        fails(n)
    except* ValueError:
        raise
    except* KeyError:
        pass
    return 1


def one_or_the_other(n, k):
    try:
        fails(n)
    except* ValueError:
        if k > 0:
            raise RuntimeError(k)  # noqa: B904 - its context is looked at
        if k < 0:
            raise
    except* KeyError:
        k = k + 1
    return k


def split(n):
    try:
        try:
            fails(n)
        except* TypeError:
            pass
    except ExceptionGroup as group:
        part, rest = group.split(ValueError)
        keys = group.subgroup(lambda e: isinstance(e, KeyError))
        return len(group.exceptions), part.exceptions[0].args[0], rest is None, str(group), len(keys.exceptions)
    except ValueError:
        return "v"
    return 0


def in_a_loop(n):
    total = 0
    for i in range(3):
        try:
            if i == n:
                raise ValueError(i)
            total += i
        except* ValueError as e:
            total += 100 * len(e.exceptions) + e.exceptions[0].args[0]
        else:
            if i == 1:
                continue
            total += 1000
    return total


def new_ones(n):
    try:
        fails(n)
    except* ValueError as e:
        raise KeyError(n) from e
    except* Exception:
        raise
    return 2


def of_an_operation(x, i):
    y = 0.0
    try:
        y = x[i]
    except* IndexError:
        y = -1.0
    return y


def groups_are_no_kind(n):
    try:
        fails(n)
    except* ExceptionGroup:
        pass
    return 1


def shown(n):
    try:
        fails(n)
    except* ValueError as e:
        said = repr(e), str(e), e.message
    except* Exception as e:
        said = repr(e), str(e)
    else:
        said = 1
    return said


def collected(n):
    errors = []
    for i in range(3):
        try:
            if i < n:
                raise ValueError(i)
        except ValueError as e:
            errors.append(e)
    if errors:
        raise ExceptionGroup("many", errors)
    return 0


def raised_in_a_handler_within(n, k):
    try:
        fails(n)
    except* ValueError:
        try:
            if k > 0:
                raise KeyError(k)
        except KeyError:
            raise
    return k


def tree(error):
    if error is None:
        return None
    if isinstance(error, BaseExceptionGroup):
        return type(error), error.message, [tree(e) for e in error.exceptions], tree(error.__cause__)
    return type(error), error.args, tree(error.__cause__), tree(error.__context__)


def outcome(function, args):
    try:
        return function(*args)
    except Exception as error:
        return tree(error)


ONE = ((1,), (0,), (-9,))
TWO = ((1, 1), (1, -1), (1, 0), (-9, 1), (-9, -1), (-9, 0))
CASES = (
    (all_that_fit, ONE), (the_rest_leaves, ONE), (raised_again, ONE), (one_or_the_other, TWO), (split, ONE),
    (in_a_loop, ONE), (new_ones, ONE), (of_an_operation, ((X, 1), (X, 7))), (groups_are_no_kind, ONE), (shown, ONE),
    (collected, ((2,), (0,))), (raised_in_a_handler_within, TWO),
)  # fmt: skip


@pytest.mark.parametrize(("function", "calls"), CASES, ids=[function.__name__ for function, _ in CASES])
def test_groups(function, calls) -> None:
    for options in ({}, {"native_loops": False}):
        compiled = jit(function, **options)
        for args in (*calls, *calls):
            assert outcome(compiled, args) == outcome(function, args)
