"""`cond`, `switch`, `while_loop`, `fori_loop`, `scan`: in compiled functions, and outside, where they are Python."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import cond, configure, fori_loop, jit, scan, switch, while_loop
from tests.program_table import Program, Table

case = Table()
X = np.array([3.0, 1.0, 2.0, -1.0, 0.5])


@case((X,), (X[:1],))
def scans_with_structures(x):
    def step(total, value):
        return total + value, (total, [value > 1, {"k": value * 2, "n": None}])

    return scan(step, 0, x), scan(step, np.float32(0), x), scan(step, 1j, x, reverse=True)


@case((X,))
def scans_of_several_arrays_and_of_none(x):
    doubled = scan(lambda c, _: (c * 2, c), 1, None, length=4)
    pairs = scan(lambda c, row: ((c[0] + row[0], c[1] + 1), row[1] * c[1]), (0.0, 0), (x, x * 2))
    return doubled, pairs, scan(lambda c, row: (c + row.sum(), None), 0.0, x.reshape(5, 1))


@case((X,))
def scan_does_each_step_once(x):
    seen, counts, n = [], np.zeros(2), 0

    def step(total, value):
        nonlocal n
        n += 1
        seen.append(value)
        counts[0] += 1
        print("step", value)
        return total + value, total

    return scan(step, 0.0, x), seen, counts, n


@case((X,), (X - 5,))
def scan_that_raises(x):
    def step(total, value):
        if value > 1:
            raise ValueError("large")
        return total + value, total

    return scan(step, 0.0, x)


@case((X, 0), (X, 7), (X, -3))
def chosen_functions(x, k):
    places = fori_loop(0, k, lambda i, total: total + i, 0), fori_loop(k, 0, lambda i, total: total + i, 0)
    found = while_loop(lambda v: v[0] < 5, lambda v: (v[0] + 1, v[1] * x[0]), (k, 1.0))
    return (
        switch(k, [lambda v: v * 2, lambda v: v - 1], x),
        cond(x[k % 5] > 0, lambda v: v * 2, np.negative, x),
        places,
        found,
    )


@pytest.mark.parametrize("program", case.programs)
def test_as_outside_of_compiled_functions(program: Program) -> None:
    program.check()


def test_each_step_once_without_native_loops() -> None:
    with configure(native_loops=False):
        assert str(jit(scan_does_each_step_once)(X)) == str(scan_does_each_step_once(X))


def test_no_branches_and_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="Empty branch sequence"):
        jit(lambda x: switch(1, [], x))(X)
    with pytest.raises(ValueError, match="scan needs one length"):
        jit(lambda x: scan(lambda c, v: (c + v, c), 0.0, x, length=4))(X)


def test_scan_outside_of_compiled_functions() -> None:
    total, (before, held) = scan(lambda c, v: (c + v, (c, {"k": v > 1})), 0, X[:3])
    assert total == 6.0
    assert before.tolist() == [0.0, 3.0, 4.0]
    assert before.dtype == np.float64
    assert held["k"].tolist() == [True, False, True]
    assert scan(lambda c, v: (c + v, c), 0, X[:3], reverse=True)[1].tolist() == [3.0, 2.0, 0.0]
