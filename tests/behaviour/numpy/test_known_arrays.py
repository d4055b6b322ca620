"""Arrays that are known while tracing, though the function makes them: their elements are NumPy's own scalars."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import Outcome, alike, check


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.bool_])
def test_items_of_a_known_array(dtype) -> None:
    def f(n):
        a = np.array([2, 3], dtype)
        b = a.copy()
        total = 0
        for v in b:
            total += v
            if v > 2:
                total += 100
        if b.tolist() == [2, 3]:
            total += 1000
        return total, [x * n for x in b], b.tolist(), b.reshape(1, 2).tolist(), b[0].tolist(), [v.item() for v in a]

    check(f, 2)
    plain, loops = Outcome(f, (2,), {}), jit(f, native_loops=False)
    for _ in range(3):
        alike(plain, Outcome(loops, (2,), {}))


def test_known_arrays_are_shapes() -> None:
    def f(n):
        rows = np.array([2, 3])
        flat = np.arange(6).reshape(rows) + n
        return (
            np.zeros(rows) + n,
            np.ones(rows[:1]),
            np.full(np.array(3), n),
            np.zeros(np.array([], np.int64)) + n,
            flat,
        )

    check(f, 2)


@pytest.mark.parametrize("shape", [[[2, 3]], [2.0, 3.0], [True, False], [-1, 2]])
def test_other_arrays_are_no_shapes(shape) -> None:
    def f(n):
        return np.zeros(np.array(shape)) + n

    check(f, 2)
