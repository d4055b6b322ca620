"""Random programs on arrays that are too large for registers, judged by their calls."""

from __future__ import annotations

import pytest
from hypothesis import settings

from property_tests.failures import failure_of
from property_tests.families import FAULTS, LARGE_ARRAYS

_FEW, _MANY = 4, 400


def test_programs_on_large_arrays() -> None:
    for seed in range(_MANY if settings.default.max_examples > 100 else _FEW):
        if LARGE_ARRAYS.judged(LARGE_ARRAYS.program_of(seed), seed).verdict in FAULTS:
            pytest.fail(f"seed {seed}\n{failure_of(seed, LARGE_ARRAYS)}")
