"""Sorts in machine code, and those of more elements, which NumPy does."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.native.emitter import NativeEmitter
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


@pytest.mark.parametrize(("size", "is_native"), [(1535, True), (1536, False)])
def test_nothing_is_written_beside_a_sort_that_is_too_long(monkeypatch, size, is_native):
    written = []
    plain = NativeEmitter._equation

    def remember(self, *args):
        written.append(args)
        return plain(self, *args)

    monkeypatch.setattr(NativeEmitter, "_equation", remember)
    program = jit(sorted_by_steps).lower(np.arange(size)).native_program()
    assert (program is not None) == bool(written) == is_native
