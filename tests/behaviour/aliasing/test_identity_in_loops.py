"""`is` of arrays that loops choose: a loop carries which object each array of its state is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anabranch import jit
from tests.equations import every_equation
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


def asked_in_the_condition_alone(n, a, b):
    y, k = a, 0
    while y is not b and k < n:
        k += 1
        if k > 2:
            y = b
    return k


def made_around_another_loop(n, a, b):
    y, found = a, 0
    for _ in range(n):
        z = a + 1
        found += y is z
        w = b
        for j in range(n):
            w = z if j else w
            found += 10 * (w is a)
        y = w
    return found, y is b


def made_by_each_branch(n, a, b):
    y = z = a
    found = 0
    for i in range(n):
        found += 10**i * (y is z)
        if i > 2:
            y = z = a.copy()
        elif i > 1:
            y, z = a.copy(), a.copy()
        else:
            y = z = a * 2
    return found, y is z, y is a


def views_in_nested_loops(n, a, b):
    y, found = a, 0
    for _ in range(n):
        for j in range(n):
            y = y[:] if j else a
            found += 100 * (y is a)
    return found


@pytest.mark.parametrize(
    "function",
    [
        chosen_in_each_step,
        one_of_a_step,
        asked_in_the_condition,
        asked_after_the_loop,
        swapped,
        asked_in_the_condition_alone,
        made_around_another_loop,
        made_by_each_branch,
        views_in_nested_loops,
    ],
)
def test_is_in_loops(function: Callable[..., object]) -> None:
    for n in map(np.array, range(6)):  # an int would become static, and its loops would be unrolled
        check(function, n, np.arange(4.0), np.arange(4.0) * 10)


def _equations(path: Path, swaps: int, result: str) -> int:
    lines = "".join(f"    if n > {k}:\n        a, b = b, a\n" for k in range(swaps))
    path.write_text(f"def f(n, a, b):\n{lines}    return {result}\n")
    scope: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    traced = jit(scope["f"], auto_static=False).trace(3, np.arange(4.0), np.arange(4.0))
    return sum(1 for _ in every_equation(traced.program))


def test_is_costs_as_many_equations_as_there_were_choices(tmp_path: Path) -> None:
    few, more = (
        _equations(tmp_path / f"is_{n}.py", n, "a is b") - _equations(tmp_path / f"item_{n}.py", n, "a[0]")
        for n in (4, 8)
    )
    assert more <= 3 * few
