"""Lists that each step of a loop binds anew, carried as one array: what they hold, and which objects they are."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from anabranch import jit
from tests.equations import every_equation


def of_a_while(w, n):
    while n > 0:
        w = [v + 1 for v in w]
        n -= 1
    return w


def that_are_written(w, n):
    while n > 0:
        w = [v * 2 for v in w]
        w[0] += n
        n -= 1
    return w, sum(w)


def of_another_type(w, n):
    w = [0] * len(w)
    w[1] += len(w)
    for i in range(n):
        w = [v + 0.5 for v in w]
    return w


def of_which_the_one_before_is_kept(w, n):
    p = w
    while n > 0:
        p = w
        w = [v + 1 for v in w]
        n -= 1
    return p, w


def of_two_names(w, n):
    a, b = w, [v * 3 for v in w]
    while n > 0:
        a, b = b, [v + 1 for v in a]
        n -= 1
    return a, b


def that_are_one_object(w, n):
    m = w
    while n > 0:
        w = m = [v + 1 for v in w]
        n -= 1
    m[0] = 99
    return w, m


def of_a_branch(w, n):
    while n > 0:
        if n % 2 == 0:
            w = [v + n for v in w]
        n -= 1
    return w


def of_loops_in_loops(w, n):
    for i in range(n):
        for j in range(n):
            w = [v + i * j for v in w]
        w = [v - 1 for v in w]
    return w


def that_are_returned_early(w, n):
    while n > 0:
        w = [v + 1 for v in w]
        if w[2] > 4:
            return w
        n -= 1
    return [n, *w]


def of_what_raises(w, n):
    while n > -2:
        w = [v / n for v in w]
        n -= 1
    return w


def that_a_handler_sees(w, n):
    try:
        while n > -2:
            w = [v / n for v in w]
            n -= 1
    except ZeroDivisionError:
        return w
    return n


def that_are_indexed(w, n):
    s = 0
    for i in range(n):
        w = [v + 1 for v in w]
        s = s + w[i]
    return s, w


def of_other_orders(w, n):
    for i in range(n):
        w = sorted(w[3:] + w[:3], reverse=True)
    return w


def of_a_closure(w, n):
    def step():
        nonlocal w
        w = [v + 1 for v in w]

    for i in range(n):
        step()
    return w


def of_truths(w, n):
    w = [v > 2 for v in w]
    for i in range(n):
        w = [not v for v in w]
    return w


PROGRAMS = [
    f for f in list(globals().values()) if getattr(f, "__code__", None) and f.__code__.co_varnames[:1] == ("w",)
]


def told(value: Any, given: tuple[Any, ...]) -> Any:
    """Types and values, and which lists are arguments."""
    if isinstance(value, (list, tuple)):
        return type(value), [k for k, a in enumerate(given) if a is value], [told(v, ()) for v in value]
    return type(value), np.asarray(value).tobytes()


def outcome(function: Any, given: tuple[Any, ...]) -> Any:
    try:
        result = function(*given)
    except ZeroDivisionError as error:
        return type(error), told(given, ())
    parts = result if isinstance(result, tuple) else (result,)
    twins = [[p is q for q in parts] for p in parts if isinstance(p, list)]
    return [told(p, given) for p in parts], twins, told(given, ())


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("kind", [int, float, np.float32])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_eager(program, kind, n) -> None:
    given = ([kind(i) for i in range(12)], n)
    compiled = jit(program, auto_static=False)
    with np.errstate(all="ignore"):
        assert outcome(compiled, copy.deepcopy(given)) == outcome(program, copy.deepcopy(given))


def test_items_of_several_kinds_are_carried_as_one_kind() -> None:
    def program(w, n):
        w = [v if i % 2 else i for i, v in enumerate(w)]
        for i in range(n):
            w = [v + 1 for v in w]
        return w

    given = [float(i) for i in range(12)]
    assert jit(program, auto_static=False)(given, 3) == program(given, 3)


@pytest.mark.parametrize("length", [8, 9])
def test_of_few_items(length) -> None:
    given = ([float(i) for i in range(length)], 2)
    assert outcome(jit(of_a_while, auto_static=False), copy.deepcopy(given)) == outcome(of_a_while, given)


@pytest.mark.parametrize("program", [of_a_while, of_truths], ids=lambda f: f.__name__)
def test_equations_do_not_grow_with_the_length(program) -> None:
    def count(length: int) -> int:
        traced = jit(program, auto_static=False).trace([float(i) for i in range(length)], 3)
        return sum(1 for _ in every_equation(traced.program))

    assert count(200) == count(50)
