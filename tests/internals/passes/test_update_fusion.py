"""Lines that are written from themselves, or in a window: which become patches, and that results are NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equations import ops
from tests.equivalence import check


def eliminate(a, b):
    for i in range(1, a.shape[0]):
        for k in range(i):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return a


def columns(a, b):
    for i in range(1, a.shape[0]):
        a[:i, i] += b[:i, i] * a[:i, i - 1]
        a[i:, 0] *= 0.5
    return a


def on_itself(a, b):
    for i in range(a.shape[0]):
        for k in range(0, a.shape[0], 7):
            a[i, :i] += 0.25 * a[k, :i]
    return a


def whole_rows(a, b):
    for k in range(a.shape[0]):
        for i in range(a.shape[0]):
            a[i, :] = np.minimum(a[i, :], a[i, k] + a[k, :])
    return a


def turned(a, b):
    for i in range(a.shape[0]):
        a[i, :] = a[:, i] + 1.0
        a[:, i] = a[i, ::-1] * 0.5
    return a


def moved(a, b):
    for i in range(a.shape[0]):
        a[i, 1:] = a[i, :-1]
        a[i, : i + 1] = a[i, : i + 1][::-1]
    return a


def looked_up(a, b):
    order = np.argsort(b[0])
    for i in range(a.shape[0]):
        a[i, :] = a[i, :][order] + a[i, :]
    return a


def needed_afterwards(a, b):
    for i in range(a.shape[0]):
        before = a[i].copy()
        a[i, :i] = a[i, :i] * 2.0 + 1.0
        b[i] = before - a[i]
    return b


def one_line(a, b):
    x = a[0]
    for i in range(x.shape[0]):
        x[:i] += 0.5 * b[i, :i]
    return x


def counters(a, b):
    n = (a * 100).astype(np.int64)
    for i in range(n.shape[0]):
        n[i, i:] += n[i, i] % 7
        n[i, : i // 2] = i
    return n


def kept_as_it_was(a, b):
    before = a.copy()
    for i in range(a.shape[0]):
        before = a.copy()
        a[i, :i] = a[i, :i] * 2.0 + b[i, i]
    return before


FUNCTIONS = (
    eliminate, columns, on_itself, whole_rows, turned, moved, looked_up, needed_afterwards, one_line, counters,
    kept_as_it_was,
)  # fmt: skip
PATCHED = tuple(f for f in FUNCTIONS if f not in (turned, moved))


@pytest.mark.parametrize("n", [1, 5, 40, 130, 150])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_equals_numpy(rng, function, n):
    a, b = rng.random((2, n, n))
    check(function, a + np.eye(n), b, ulps=2**22)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_which_writes_are_patches(function):
    names = ops(jit(function).trace(np.ones((150, 150)), np.ones((150, 150))).lower().program)
    assert ("windowed_update" in names) is (function in PATCHED)
    if function in PATCHED:
        assert "materialize" not in names


def test_nothing_is_read_beside_the_window():
    program = jit(eliminate).trace(np.ones((150, 150)), np.ones((150, 150))).lower().program
    found = []

    def look(program):
        for equation in program.equations:
            found.extend([equation] if equation.op.name == "windowed_update" else [])
            for inner in equation.programs():
                look(inner)

    look(program)
    (patch,) = found
    assert [e.op.name for e in patch.params["body"].equations] == ["multiply", "subtract"]


def test_what_is_needed_as_it_was_is_copied_in_machine_code():
    explained = str(jit(kept_as_it_was).explain(np.ones((150, 150)), np.ones((150, 150))))
    assert "loop: machine code" in explained
    assert "not machine code" not in explained
