"""The state of Python's lock while machine code runs: free for long runs alone."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit


def nest(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            total += x[i] * x[j]
    return total


def until(x, n):
    total = 0.0
    for i in range(n):
        total += x[i % 10]
    return total


def searched(x):
    i = 0
    while x[i] > 0:
        i += 1
    return i


def llvm(function, *args):
    return jit(function).lower(*args).native_program().llvm


@pytest.mark.parametrize(
    ("function", "args", "frees"),
    [
        (nest, (np.ones(50),), False),
        (nest, (np.ones(5000),), True),
        (until, (np.ones(10), 5), True),
        (searched, (np.ones(10),), True),
        (lambda x: np.sin(x) + 1, (np.ones(100),), False),
    ],
)
def test_long_runs_let_other_threads_run(function, args, frees):
    assert ("PyEval_SaveThread" in llvm(function, *args)) == frees
