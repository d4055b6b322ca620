"""StopIteration of `next` where Python makes something else of it: in generators, in functions of `map`."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
INPUTS = [(np.arange(3), 2), (np.arange(2), 3), (np.arange(1), 0), (np.arange(0), 3)]


def pushed(it, n):
    for _ in range(n):
        yield next(it)


def caught(it, n):
    for _ in range(n):
        try:
            item = next(it)
        except StopIteration:
            return
        yield item


def next_of(it):
    return next(it)


@case(*INPUTS)
def list_of_a_generator(a, n):
    return list(pushed(iter(a.tolist()), n))


@case(*INPUTS)
def sum_of_a_generator(a, n):
    return sum(pushed(iter(a.tolist()), n))


@case(*INPUTS)
def loop_over_a_generator(a, n):
    total = 0
    for x in pushed(iter(a.tolist()), n):
        total += x
    return total


@case(*INPUTS)
def caught_in_the_generator(a, n):
    return list(caught(iter(a.tolist()), n))


@case(*INPUTS)
def raised_by_who_takes_the_items(a, n):
    it = iter(a[a > 0].tolist())
    out = []
    try:
        for _ in pushed(iter(range(5)), n):
            out.append(next(it))
    except StopIteration:
        out.append(-1)
    return out


@case(*INPUTS)
def sum_of_an_expression(a, n):
    it = iter(a.tolist())
    try:
        return sum(next(it) for _ in range(n))
    except RuntimeError as error:
        return str(error), type(error.__cause__) is StopIteration


@case(*INPUTS)
def condition_of_an_expression(a, n):
    it = iter(a.tolist())
    return [2 * k for k in (k for k in range(n) if next(it) >= 0)]


@case(*INPUTS)
def expression_in_an_expression(a, n):
    it = iter(a.tolist())
    return sum(sum(next_of(it) for _ in range(2)) for _ in range(n))


@case(*INPUTS)
def comprehension(a, n):
    it = iter(a.tolist())
    return [next(it) for _ in range(n)]


@case(*INPUTS)
def list_of_a_map(a, n):
    it = iter(a.tolist())
    return list(map(lambda k: k + next_of(it), range(n))), list(it)


@case(*INPUTS)
def loops_over_maps(a, n):
    it = iter(a[a > 0].tolist())
    total = 0
    for x in map(lambda _: next(it), range(n)):
        total += x
    for x in map(lambda i, j: next(it) + i + j, range(n), range(n)):
        total += x
    return total, list(it)


@case(*INPUTS)
def maps_in_a_comprehension(a, n):
    it = iter(a.tolist())
    return [list(map(lambda k: k + next(it), range(2))) for _ in range(n)]


@case(*INPUTS)
def sum_of_a_filter(a, n):
    it = iter(a.tolist())
    return sum(filter(lambda _: next(it) > 0, range(n)))


@case(*INPUTS)
def raised_by_the_function_itself(a, n):
    def item(k):
        if k >= a.sum():
            raise StopIteration
        return k

    kept = list(map(item, range(n)))
    return kept, sum(item(k) for k in range(n))


@case(*INPUTS)
def key_of_a_sort(a, n):
    it = iter(a.tolist())
    return sorted(range(n), key=lambda _: -next(it))


@case(*INPUTS)
def of_a_function_and_a_sentinel(a, n):
    it = iter(a.tolist())
    return list(iter(lambda: next(it), n))


@pytest.mark.parametrize("program", case.programs)
def test_ended_iterator(program: Program) -> None:
    program.check()
