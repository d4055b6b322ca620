"""Items at run-time indices that are changed in place: `s[i] += 1` of lists and dicts of arrays."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.program import Program as Traced
from tests.program_table import Program, Table

case = Table()
ARRAYS = tuple((n, np.arange(4.0), np.arange(4.0) * 10) for n in range(4))


@case(*ARRAYS)
def items_of_a_list(n, a, b):
    items = [a, b]
    items[n % 2] += 1
    items[(n + 1) % 2] *= 2
    return items, items[0] is a, items[1] is b


@case(*ARRAYS)
def items_of_one_of_two_lists(n, a, b):
    items, other = [a, b], [b, a.copy()]
    if n > 1:
        items = other
    items[n % 2] += 1
    items[n % 2] += items[0]
    return items, other, items[0] is b, items[1] is b


@case(*ARRAYS)
def items_of_a_dict(n, a, b):
    items = {0: a, 1: b}
    items[n % 2] += 1
    items[n % 2][1:] -= 3
    return items, items[0] is a


@case(*ARRAYS)
def items_of_a_deque(n, a, b):
    items = collections.deque([a, b])
    items[n % 2] += 1
    return list(items)


@case(*ARRAYS)
def items_that_the_right_hand_side_replaces(n, a, b):
    items = [a, b]

    def replaced():
        items[n % 2] = np.zeros(4)
        return 1

    items[n % 2] += replaced()
    return items, items[0] is a, items[1] is b


@case(*ARRAYS)
def items_that_the_right_hand_side_swaps(n, a, b):
    items = [a, b]

    def swapped():
        items[0], items[1] = items[1], items[0]
        return 1

    items[n % 2] += swapped()
    return items, items[0] is a, items[1] is b


@case(*ARRAYS)
def items_that_the_right_hand_side_removes(n, a, b):
    items = [a, b, a.copy()]

    def popped():
        items.pop()
        return 1

    items[n % 3] += popped()
    return items


@case(*ARRAYS)
def items_of_a_tuple(n, a, b):
    items = (a, b)
    items[n % 2] += 1
    return items


@case(*ARRAYS)
def numbers(n, a, b):
    items = [1, 2, a[1]]
    items[n % 2] += 1
    items[n % 2] += 0
    return items, b


@case(*ARRAYS)
def items_that_cannot_stay(n, a, b):
    items = [a.astype(int), b.astype(int)]
    items[n % 2] += 0.5
    return items


@pytest.mark.parametrize("program", case.programs)
def test_augmented_items(program: Program) -> None:
    program.check()


def _size(program: Traced) -> int:
    return sum(1 + sum(map(_size, equation.programs())) for equation in program.equations)


def few(n, a, b, items):
    if n > 0:
        items = [a, b]
    items[n % 2] += 1
    items[n % 2] += 1
    return items


def many(n, a, b, items):
    if n > 0:
        items = [a, b]
    items[n % 2] += 1
    items[n % 2] += 1
    items[n % 2] += 1
    items[n % 2] += 1
    return items


def test_the_program_grows_with_the_number_of_statements() -> None:
    a, b = np.arange(4.0), np.arange(4.0)
    sizes = [_size(jit(f).trace(2, a, b, [a.copy(), b.copy()]).program) for f in (few, many)]
    assert sizes[1] < 3 * sizes[0]
