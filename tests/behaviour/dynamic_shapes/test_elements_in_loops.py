"""Elements of arrays of run-time size, one by one in loops: as NumPy, by steps that do not grow with the array."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ops.structured import Loop
from anabranch.runtime.passes import optimise
from tests.equations import every_equation
from tests.equivalence import check


def read(a):
    b = a[a > 0]
    total = 0.0
    for i in range(len(b)):
        total += b[i]
    return total


def read_from_the_end(a):
    b = a[a > 0]
    total = 0.0
    for i in range(len(b)):
        total = total / 2 + b[-1 - i]
    return total


def positions(a):
    b = np.nonzero(a > 0)[0]
    total = 0
    for i in range(len(b)):
        total += b[i] * i
    return total


def distinct(a):
    b = np.unique(a)
    total = 0.0
    for i in range(len(b)):
        total += b[i] * i
    return total


def appended(a):
    b = []
    for x in a:
        if x > 0:
            b.append(x)
    total = 0.0
    for i in range(len(b)):
        total += b[i] * i
    return total


def written(a):
    b = a[a > 0]
    for i in range(len(b)):
        b[i] = b[i] * 2 + i
    return b


def gone_over(a):
    total = 0.0
    for x in a[a > 0]:
        total = total / 2 + x
    return total


def in_a_while(a):
    b = a[a > 0]
    i, total = 0, 0.0
    while i < len(b):
        total = total / 2 + b[i]
        i += 2
    return total


def through_indices(a):
    b, places = a[a > 0], np.arange(30) % 3
    total = 0.0
    for k in range(len(places)):
        total = total / 2 + b[places[k]]
    return total


def of_two_masks(a):
    b = a[a > 0]
    c = b[b < 2]
    total = 0.0
    for i in range(len(c)):
        total += b[i] * c[i]
    return total


def rows(a):
    m = a.reshape(-1, 5)
    b = m[m[:, 0] > 0]
    total = 0.0
    for i in range(len(b)):
        total += b[i, 1] * i
    return total


def in_a_branch(a):
    b = a[a > 0]
    total = 0.0
    for i in range(len(a)):
        if a[i] > 1:
            total = total / 2 + b[i // 4]
    return total


def in_an_inner_loop(a):
    b = a[a > 0]
    total = 0.0
    for i in range(len(b) // 8):
        for j in range(8):
            total = total / 2 + b[i * 8 + j]
    return total


def beyond_the_end(a):
    b = a[a > 0]
    total = 0.0
    for i in range(len(a)):
        total += b[i]
    return total


def with_a_mask_that_changes(a):
    b = a[a > 0]
    total = 0.0
    for k in range(3):
        b = b[b > k]
        for i in range(len(b)):
            total = total / 2 + b[i]
    return total


SAME_EACH_STEP = [
    read, read_from_the_end, positions, distinct, appended, written, gone_over, in_a_while, through_indices,
    of_two_masks, rows, in_a_branch, in_an_inner_loop, beyond_the_end,
]  # fmt: skip
VALUES = np.sin(np.arange(1000.0)) * 3


@pytest.mark.parametrize("values", [VALUES[:40], np.abs(VALUES[:40]) + 1, VALUES])
@pytest.mark.parametrize("function", [*SAME_EACH_STEP, with_a_mask_that_changes], ids=lambda f: f.__name__)
def test_as_numpy(function, values):
    check(function, values.copy())


@pytest.mark.parametrize("function", [read, read_from_the_end, written, gone_over, in_a_while, in_a_branch])
def test_nothing_is_selected(function):
    check(function, -np.abs(VALUES[:40]) if function is not in_a_branch else VALUES[:40] - 9)


def large(program):
    """The ops of large arrays in the innermost loops, but for those that write or read a part in place."""
    loops = [e for e in every_equation(program) if isinstance(e.op, Loop)]
    inner = [p for e in loops for p in e.programs() if not any(isinstance(i.op, Loop) for i in every_equation(p))]
    lines = [e for p in inner for e in every_equation(p) if not any(True for _ in e.programs())]
    return [e.op.name for e in lines if e.op.update is None and any(v.type.size >= 200 for v in e.outputs)] + [
        e.op.name for e in lines if e.op.whole_work is not None and any(a.type.size >= 200 for a in e.inputs)
    ]


@pytest.mark.needs_pass("invariant_hoisting")
@pytest.mark.parametrize("function", [*SAME_EACH_STEP, with_a_mask_that_changes], ids=lambda f: f.__name__)
def test_no_step_computes_all_of_an_array(function):
    assert not large(optimise(jit(function).trace(VALUES).program))
