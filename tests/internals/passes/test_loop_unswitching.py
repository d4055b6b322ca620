"""Loops that write to arrays which conditions have chosen: one loop for each choice, in which a write is one write."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equations import every_equation
from tests.equivalence import check_calls

A, B = np.arange(30.0), np.cos(np.arange(30.0))


def chosen(a, b, steps):
    for k in range(steps):
        source, target = (a, b) if k % 3 else (b, a)
        for i in range(1, len(a) - 1):
            target[i] = 0.5 * source[i] + 0.25 * (source[i - 1] + source[i + 1])
    return a, b


def in_either_order(a, b, steps):
    for k in range(steps):
        if a[k] > b[k]:
            a, b = b, a
        for i in range(len(a)):
            a[i] += 0.5 * b[i]
    return a, b


def one_or_both(a, b, steps):
    for k in range(steps):
        target = a if k % 2 else b
        for i in range(len(a)):
            target[i] += 1.0
            a[i] *= 0.5
    return a, b, target[3]


def of_three(a, b, steps):
    c = a + b
    for k in range(steps):
        target = a if k % 2 else (b if a[0] > k else c)
        i = 0
        while i < len(a) and target[i] < 9.0:
            target[i] += c[i]
            i += 1
    return a, b, c


def in_loops(a, b, steps):
    m = np.stack([a, b])
    for k in range(steps):
        source, target = (m[0], m[1]) if k % 2 else (m[1], m[0])
        for _ in range(k):
            for i in range(1, len(a)):
                target[i] += source[i] * 0.25
    return m


def by_parity(a, b, steps):
    buffers = (a, b)
    for k in range(steps):
        source, target = buffers[k % 2], buffers[1 - k % 2]
        for i in range(1, len(a)):
            target[i] += source[i - 1]
    return a, b


def that_fails(a, b, steps):
    for k in range(steps):
        target = a if k % 2 else b
        for i in range(len(a)):
            target[i + k // 4] = i
    return a, b


ALL = [chosen, in_either_order, one_or_both, of_three, in_loops, by_parity, that_fails]


@pytest.mark.parametrize("function", ALL)
def test_results(function):
    check_calls(function, *((A, B, steps) for steps in (1, 2, 5)))


@pytest.mark.parametrize("function", ALL)
def test_results_of_xla(function):
    given, args = (A.copy(), B.copy()), (A.copy(), B.copy())
    np.testing.assert_allclose(jit(function, native_loops=False)(*given, 3)[0], function(*args, 3)[0])
    np.testing.assert_allclose(given, args)


@pytest.mark.parametrize(
    ("function", "loops"), [(chosen, 2), (in_either_order, 2), (one_or_both, 2), (in_loops, 2), (by_parity, 2)]
)
def test_each_write_is_to_one_array(function, loops):
    program = jit(function).lower(A, B, 3).program
    steps = [body for e in every_equation(program) for body in e.programs() if e.op.name == "for"]
    innermost = [body for body in steps if not any(list(e.programs()) for e in body.equations)]
    assert len(innermost) == loops
    for body in innermost:
        assert not any(e.op.name == "select" for e in body.equations)
