"""`np.bincount`, as long as the greatest number says."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()
A = np.array
SETS = ((A([3, 4]),), (A([2, 40, 2]),), (A([3000, 1]),), (A([1, 1]),), (A([0, 0]),), (A([5, -1]),), (A([], int),))


@case(*SETS)
def counted(a):
    return np.bincount(a)


@case(*SETS)
def of_a_selection(a):
    return np.bincount(a[a > 2]), np.bincount(a[a > 2], minlength=3)


@case(*SETS[:-1])
def of_a_least_length(a):
    return np.bincount(a, minlength=int(a[0]))


@case(*SETS[:3])
def weighted(a):
    return np.bincount(a, weights=a * 0.5), np.bincount(a[a > 2], a[a > 2] * 1.5)


@case(*SETS[:3], SETS[5])
def weights_of_another_length(a):
    return len(np.bincount(a[a > 2], a))


@case(*SETS[:-1])
def looked_at(a):
    counts = np.bincount(a)
    return counts.argmax(), counts[counts > 0], len(counts)


@case(*SETS)
def of_small_types(a):
    return np.bincount(a.astype(np.uint8)), np.bincount(a > 2)


@pytest.mark.parametrize("program", case.programs)
def test_bincount(program: Program) -> None:
    program.check()


def test_types_that_bound_it_need_no_second_run(compiled):
    f = jit(np.bincount)
    for top in (3, 255, 0):
        a = A([0, top], np.uint8)
        np.testing.assert_array_equal(f(a), np.bincount(a))
    assert len(compiled) == 1
