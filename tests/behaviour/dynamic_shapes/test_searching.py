"""Positions and elements that run-time conditions select, and searches among as many as there are."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()

SIGNED = np.array([1.0, -2.0, 0.0, np.nan, 3.0, 0.0])
NONE = np.array([-1.0, -2.0, -1.0, -5.0, -0.5, -2.0])
ALL = np.array([1.0, 2.0, 3.0, 1.0, 2.0, 2.0])
INTS = np.array([1, 0, 2, 0, 3, 1])
TRUTHS = np.array([True, False, True, True, False, False])
EMPTY = np.zeros(0)
GRID = np.arange(6.0).reshape(2, 3) - 2
LINES = ((SIGNED,), (NONE,), (ALL,), (INTS,), (TRUTHS,), (EMPTY,))
NUMBERS = LINES[:4]
GRIDS = ((GRID,), (np.zeros((2, 3)),), (np.ones((2, 3)),))


# ---- positions -------------------------------------------------------------------------------------------------------


@case(*LINES, *GRIDS)
def positions(a):
    return np.nonzero(a), a.nonzero(), np.where(a > 0), np.flatnonzero(a), np.argwhere(a > 0)


@case(*LINES, *GRIDS)
def how_many(a):
    found = np.nonzero(a > 0)
    return len(np.flatnonzero(a)), found[0].size, found[0].shape, found[0].sum(), np.argwhere(a).shape


@case(*LINES, *GRIDS)
def what_is_there(a):
    return a[np.nonzero(a > 0)], a[a > 0].nonzero(), a[a >= 0][np.flatnonzero(a[a >= 0])]


@case(*NUMBERS)
def written_at_positions(a):
    a[np.nonzero(a > 0)] = -5
    a[np.flatnonzero(a < -1)] += 1
    where = np.where(a == 0)[0]
    a[where] = where
    return a


@case(*GRIDS)
def written_at_places_of_a_grid(a):
    i, j = np.nonzero(a > 0)
    a[i, j] = i + j
    return a, i * j, a[i]


@case((SIGNED, 2), (NONE, 0), (ALL, 5))
def positions_of_a_slice(a, k):
    return np.nonzero(a[k:]), np.flatnonzero(a[:k] > 0), np.argwhere(a[k:] < 0)


@case((GRID, 1), (GRID, 0), (GRID, 3))
def positions_in_a_part_of_a_grid(a, k):
    part = a[:, k:]
    return np.nonzero(part), np.argwhere(part), part[np.nonzero(part)], a[:, :k].nonzero()


@case((np.array([3, 0, 4]),), (np.zeros(3, int),))
def positions_in_a_loop(a):
    total = 0
    for i in range(4):
        total += np.flatnonzero(a > i).sum() * len(np.nonzero(a > i)[0])
    return total


@case((SIGNED, True), (SIGNED, False), (NONE, True), (ALL, False))
def positions_in_branches(a, up):
    if up:
        where = np.flatnonzero(a > 0)
    else:
        where = np.flatnonzero(a < 0)
    return where, a[where], len(where)


@case((SIGNED,), (NONE,))
def positions_gone_over(a):
    total = 0.0
    for i in np.flatnonzero(a > 0):
        if a[i] > 2:
            break
        total += a[i] * i
    return total


@case((3.0,), (0.0,))
def positions_of_a_number(x):
    return np.nonzero(np.sqrt(x))


@case((ALL,), (NONE,))
def the_first_of_positions(a):
    return np.flatnonzero(a > 0)[0], np.nonzero(a > 0)[0][-1]


# ---- elements --------------------------------------------------------------------------------------------------------


@case(*LINES)
def compressed(a):
    return np.compress(a > 0, a), a.compress(a == 0), np.extract(a > 0, a), np.compress(a[:3] > 0, a)


@case(*GRIDS)
def compressed_along_an_axis(a):
    return np.compress(a[:, 0] > -1, a, axis=0), a.compress(a[0] > -1, axis=1), np.compress(a[0] > 0, a)


@case(*NUMBERS)
def compressed_of_compressed(a):
    some = a[a >= 0]
    return np.compress(some > 0, some), np.compress(a >= 0, some[:2]), (a > 0)[a > 0].compress(some > 1)


@case((SIGNED,), (NONE,))
def compressed_beyond_the_end(a):
    return np.compress(a < 0, a[:2])


@case((np.array([0.0, 0.0, 1.0, 2.0, 0.0]),), (np.zeros(3),), (ALL,), (EMPTY,), (INTS,))
def trimmed(a):
    return np.trim_zeros(a), np.trim_zeros(a, "f"), np.trim_zeros(a[a >= 0], "b"), np.trim_zeros(a)[::-1]


# ---- searches --------------------------------------------------------------------------------------------------------


@case((NONE,), (ALL,), (INTS,), (EMPTY,))
def searched(a):
    low, high = np.searchsorted(np.sort(a[a > 1]), a), np.searchsorted(np.sort(a[a > 1]), 2, side="right")
    return low, high, np.searchsorted(np.sort(a), a[a > 1], "right"), np.searchsorted(np.sort(a[a > 0]), a[a > 0])


@case(*NUMBERS)
def in_bins(a):
    bins = np.cumsum(a[a > 0])
    return np.digitize(a[a > 0], np.array([1.0, 2.0])), np.digitize(a, bins), np.digitize(a[a > 0], -bins, right=True)


@case((np.array([1.0, 3.0, 2.0]),), (np.array([1.0, 2.0, 3.0]),))
def bins_that_neither_rise_nor_fall(a):
    return np.digitize(2.5, a[a > 0])


@pytest.mark.parametrize("program", case.programs)
def test_programs(program: Program) -> None:
    program.check()


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (lambda a: np.compress(a < 0, a[:2]), (SIGNED[::-1].copy(),)),
        (lambda a: np.compress(a < 0, a[a > 5]), (SIGNED,)),
        (lambda a: np.nonzero(np.sum(a)), (SIGNED,)),
        (lambda a: np.digitize(a, a[a > 0]), (np.array([1.0, 3.0, 2.0]),)),
        (lambda a: np.flatnonzero(a > 0)[3], (SIGNED,)),
    ],
)
def test_messages(program, arguments) -> None:
    with pytest.raises((ValueError, IndexError)) as eager:
        program(*arguments)
    with pytest.raises(type(eager.value)) as jitted:
        jit(program)(*arguments)
    assert str(jitted.value) == str(eager.value)


def test_what_is_only_counted_is_not_moved() -> None:
    traced = jit(lambda a: (np.flatnonzero(a > 0).sum(), a[a > 0].mean(), len(np.nonzero(a)[0]))).trace(SIGNED)
    assert not {"for", "while", "sort", "argsort", "gather"} & {e.op.name for e in traced.program.equations}
