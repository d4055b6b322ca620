"""`[*items, x]` where the items are as many as run-time values say."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
KEYS = np.array([1, 2, 1, 3])


@case((KEYS, 2), (KEYS, 9), (KEYS[:0], 0))
def made_anew_in_a_loop(keys, n):
    path = []
    for k in keys:
        if k > n:
            path = [*path, k, k * 2]
    return path, len(path)


@case((KEYS, 3), (KEYS[:0], 0))
def of_several_kinds_of_items(keys, n):
    out = []
    for k in range(n):
        out.append(k)
    return [*out, *keys, -1, *range(n)]


@case((KEYS, 2), (KEYS[:1], 5))
def lists_in_a_dict(keys, n):
    groups = {}
    for k in keys:
        groups.setdefault(k, []).append(n)
    return [[k, *values] for k, values in groups.items()]


@case((KEYS, 2), (KEYS[:1], 5))
def the_old_list_stays(keys, n):
    groups = {}
    for k in keys:
        old = groups.get(k, [])
        new = [*old, k]
        new.append(n)
        groups[k] = new
        old.append(7)
    return groups


@case((3,))
def what_cannot_be_gone_over(n):
    out = []
    for k in range(n):
        out.append(k)
    return [*out, *n]


@case((3,), (0,))
def in_the_order_of_their_effects(n):
    out, log = [], []

    def noted(x):
        log.append(x)
        return x

    for k in range(n):
        out.append(k)
    return [noted(1), *(noted(v * 2) for v in out), noted(2)], log


@pytest.mark.parametrize("program", case.programs)
def test_as_in_eager_python(program: Program) -> None:
    program.check()
