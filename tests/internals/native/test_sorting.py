"""Sorts in machine code, and those of more elements, which NumPy does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.equivalence import check

RNG = np.random.default_rng(3)


def sorted_by_steps(x):
    total = np.zeros(5, np.int64)
    for k in range(3):
        total += np.argsort(x, kind="stable")[k : k + 5]
    return total, np.sort(x)


@pytest.mark.parametrize("size", [1535, 1536])
@pytest.mark.parametrize("dtype", [np.float64, np.int16])
def test_results(size, dtype):
    ties = RNG.integers(-30, 30, size).astype(dtype)
    if dtype is np.float64:
        ties[3::50] = np.nan
        ties[5::60] = -0.0
    check(sorted_by_steps, ties)
    check(sorted_by_steps, np.arange(size)[::-1].astype(dtype))
