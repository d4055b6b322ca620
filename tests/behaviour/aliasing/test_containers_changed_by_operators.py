"""`+=`, `*=`, `|=` and the like change the list, set or deque on the left, which other names may hold, too."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.equivalence import check, check_calls


def lengthened_by_one_of_two(n):
    items = [0.0]
    held = items
    items += [1.0, n] if n > 2 else [n]
    return held, items, held is items


def lengthened_by_an_array_or_a_list(n):
    items = [0.0]
    held = items
    value = np.array([n]) if n > 2 else [n]
    items += value
    return held, items


def lengthened_by_itself_or_another(n):
    items, other = [1.0], [2.0]
    one = items if n > 2 else other
    items += one
    return items, other


def deque_lengthened_by_one_of_two(n):
    items = collections.deque([0.0])
    held = items
    items += [1.0] if n > 2 else (n, 2.0)
    return held, held is items


def set_without_one_of_two(n):
    items = {1.0, 2.0}
    held = items
    items -= {2.0} if n > 2 else {1.0}
    return held, held is items


def set_changed_again(n):
    items = {1.0, 2.0}
    held = items
    items &= {1.0, 7.0} if n > 5 else {2.0, 7.0}
    items ^= {9.0} if n > 5 else {2.0, 8.0}
    items |= {1.0} if n > 2 else {3.0}
    return held, held is items


@pytest.mark.parametrize(
    "function",
    [
        lengthened_by_one_of_two,
        lengthened_by_an_array_or_a_list,
        lengthened_by_itself_or_another,
        deque_lengthened_by_one_of_two,
        set_without_one_of_two,
        set_changed_again,
    ],
)
def test_by_one_of_several(function: Callable[..., Any]) -> None:
    check_calls(function, (3.0,), (1.0,), (9.0,))


def repeated_as_often_as_a_number_says(n):
    items = [0.0, n]
    held = items
    times = int(n)
    items *= times
    return held, items, held is items


def repeated_in_a_loop(n):
    items = [n]
    held = items
    for _ in range(int(n)):
        items *= 2
    return held, held is items


def repeated_under_a_condition(n):
    items = [n, 1.0]
    held = items
    items *= n > 2
    return held, held is items


@pytest.mark.parametrize(
    "function", [repeated_as_often_as_a_number_says, repeated_in_a_loop, repeated_under_a_condition]
)
def test_repeated(function: Callable[..., Any]) -> None:
    check_calls(function, (3.0,), (1.0,), (0.0,))


def test_a_list_of_the_callers_is_repeated():
    def f(items, n):
        items *= int(n)
        return len(items)

    check(f, [1.0], 3.0)
    check(f, [1.0], 0.0)
