"""Iterators that a statement moves which is traced in several ways: a way that comes to nothing takes no item."""

from __future__ import annotations

from collections import deque
from itertools import compress, count

import pytest

from tests.program_table import Program, Table

case = Table()
V = [1, 5, 3, 4]


def beside(numbers, items):
    for number, item in zip(numbers, items, strict=False):
        if item > 1:
            yield number


@case((V,))
def counted(items):
    numbers = count()
    return list(beside(numbers, items)), next(numbers)


@case((V,))
def counted_from_the_second(items):
    numbers = count(5)
    next(numbers)
    return list(beside(numbers, items)), next(numbers)


@case((V,))
def compressed(items):
    return list(compress(count(), map(lambda item: item > 1, items)))


@case((V,))
def mapped_in_a_generator(items):
    tens = map(lambda item: item * 10, items)
    return list(beside(tens, items)), list(tens)


@case((V,))
def expression_in_a_closure(items):
    tens = (item * 10 for item in items + items)

    def inner():
        for ten, item in zip(tens, items, strict=False):
            if item > 1:
                yield ten

    return list(inner()), list(tens)


@case((V,))
def map_asked_by_next(items):
    tens = map(lambda item: item * 10, items + items)

    def inner():
        for item in items:
            ten = next(tens)
            if item > 1:
                yield ten

    return list(inner()), list(tens)


@case((V,))
def filter_asked_by_next(items):
    large = filter(lambda item: item > 1, items + items)

    def inner():
        for item in items[:3]:
            found = next(large)
            if item > 1:
                yield found

    return list(inner()), list(large)


def parted(items):
    """Two generators that share an iterator, each with a queue."""
    rest, large, small = iter(items), deque(), deque()

    def each(queue):
        while True:
            while queue:
                yield queue.popleft()
            for item in rest:
                (large if item > 2 else small).append(item)
                break
            else:
                return

    return each(small), each(large)


@case(([1, 1, 3, 2, 4],))
def generators_of_one_iterator(items):
    return [list(each) for each in parted(items)]


@case((V,))
def expression_that_next_was_called_on(items):
    tens = (item * 10 for item in items)
    first = next(tens)
    return first, [ten for ten in tens if ten > 30], list(tens)


@pytest.mark.parametrize("program", case.programs)
def test_iterators_of_attempts(program: Program) -> None:
    program.check()
