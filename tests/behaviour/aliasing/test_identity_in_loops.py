"""`is` of arrays that loops choose: a loop carries which object each array of its state is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.equivalence import check


def chosen_in_each_step(n, a, b):
    y, found = a, 0
    for i in range(n):
        y = y if i % 2 else b
        found += 1 if y is a else 10
    return found, y is a, y is b


def one_of_a_step(n, a, b):
    y, z, found = a, a, 0
    for i in range(n):
        if i == 1:
            y = y.copy()
        if i == 2:
            z = y
        if y is z:
            found += 10**i
    return found, y is z, y is a, z is a


def asked_in_the_condition(n, a, b):
    y, k = a, 0
    while y is not b and k < n:
        k += 1
        if k > 2:
            y = b
    return k, y is b


def asked_after_the_loop(n, a, b):
    y = z = a
    for _ in range(n):
        if n > 2:
            y = z = y.copy()
        z = z if n > 3 else b
    return y is z, y is a, z is b


def swapped(n, a, b):
    y, z = a, b
    k = 0
    while k < n:
        k += 1
        y, z = z, y
        y += 1
        if y is a:
            z = z * 2
    return y is a, z is b, y, z, a, b


@pytest.mark.parametrize(
    "function",
    [
        chosen_in_each_step,
        one_of_a_step,
        asked_in_the_condition,
        asked_after_the_loop,
        swapped,
    ],
)
def test_is_in_loops(function: Callable[..., object]) -> None:
    for n in range(6):
        check(function, n, np.arange(4.0), np.arange(4.0) * 10)
