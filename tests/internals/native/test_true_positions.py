"""Positions at which masks are true, of eight elements at a time."""

from __future__ import annotations

import numpy as np
import pytest

from tests.equivalence import check

RNG = np.random.default_rng(6)


def where(mask, x):
    places = np.flatnonzero(mask)
    total = places.sum() + x[places].sum()
    for k in range(3):
        total += np.nonzero(x > k)[0].sum()
    return places, total, np.bitwise_count(mask.astype(np.uint8)).sum(), x[mask] * 2


@pytest.mark.parametrize("size", [64, 71, 1000])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_positions(size, share):
    mask, x = RNG.random(size) < share, RNG.standard_normal(size)
    for native in (True, False):
        check(where, mask, x, native_loops=native)
