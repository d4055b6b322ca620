"""Small arrays that loops change at run-time positions stay in memory, with the results of the plain function."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import Outcome, alike


def tree(x, n):
    values = np.zeros(16)
    for i in range(16):
        values[i] = x * i
    for level in range(n, 0, -1):
        for i in range(level):
            values[i] = max(values[i + 1] * 0.5, values[i] - 1.0)
    return values[0], values


def counted(keys):
    counts, before = np.zeros(8, np.int64), np.ones(8, np.int64)
    for k in keys:
        if k % 3:
            counts[k] += before[k]
        else:
            before = counts.copy()
            counts, before = before, counts
        before[k % 5] -= 1
    return counts, before


def kept(x, n):
    made, last = np.arange(4.0), np.zeros(4)
    for i in range(n):
        before = made
        made = made.copy()
        made[i % 4] = x[i] + before[(i + 1) % 4]
        last[i % 4] = before[i % 4] - made[i % 4]
    return made, last


def inner(x, n):
    total = np.zeros(3)
    for i in range(n):
        part = np.full(3, x[i])
        j = i
        while j > 0 and part[j % 3] < 20.0:
            part[j % 3] *= 2.0 + j
            j -= 1
        total += part
    return total


def turned(z, n):
    for i in range(n):
        z[i % 2] = z[(i + 1) % 2] * 1j + z[i % 2]
    return z * 1


def edges(image):
    kernel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    out = np.zeros(image.shape)
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            across, down = 0.0, 0.0
            for p in range(3):
                for q in range(3):
                    across += kernel[p, q] * image[i + p - 1, j + q - 1]
                    down += kernel[q, p] * image[i + p - 1, j + q - 1]
            out[i, j] = across * across + down * down
    return out


def weighted(x, n):
    weights = np.array([x[0], x[1] + 1.0, 0.5])
    out = np.zeros(n)
    for i in range(n):
        for k in range(min(i, 3)):
            out[i] += weights[k] * x[i - k]
        weights[i % 3] = out[i]
    return out, weights


X = np.linspace(-1.0, 4.0, 9)
CALLS = [(edges, (np.cos(np.arange(30.0)).reshape(5, 6),)), (weighted, (X, 9)),
         (tree, (2.5, 15)), (counted, (np.arange(24) * 5 % 8,)), (kept, (X, 9)), (inner, (X, 9)),
         (turned, (np.array([1 + 1j, 2.0]), 7))]  # fmt: skip


@pytest.mark.parametrize(("function", "args"), CALLS)
def test_results(function, args):
    for native in (True, False):
        wrapped = jit(function, native_loops=native)
        for _ in range(2):
            alike(Outcome(function, args, {}), Outcome(wrapped, args, {}))


def test_an_element_moves_alone():
    wrapped = jit(tree)
    for _ in range(3):
        wrapped(2.5, 15)
    (execution,) = wrapped._executables.with_fast_path
    assert execution.code.program.llvm.count("store double") < 40


def test_a_failure_leaves_the_caller_s_array():
    def shifted(a, n):
        for i in range(n):
            a[i] = a[i + 1]
        return a

    for _ in range(3):
        a = np.arange(4.0)
        with pytest.raises(IndexError):
            jit(shifted)(a, 4)
        assert a.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_constant_kernel_is_a_table_and_the_loops_over_it_are_written_out():
    llvm = jit(edges).lower(np.ones((9, 9))).native_program().llvm
    assert "alloca [72 x i8]" not in llvm
    assert llvm.count("!llvm.loop") == 3
