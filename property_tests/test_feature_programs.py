"""Random programs of single features, judged by their calls: one of each family in every run, many in a deep one."""

from __future__ import annotations

import pytest
from hypothesis import settings

from property_tests.failures import failure_of
from property_tests.families import FAULTS, FEATURES

_FEW = 1
_MANY = 200


@pytest.mark.parametrize("name", FEATURES)
def test_programs_of_a_feature(name: str) -> None:
    family = FEATURES[name]
    for seed in range(_MANY if settings.default.max_examples > 100 else _FEW):
        if family.judged(family.program_of(seed), seed).verdict in FAULTS:
            pytest.fail(f"seed {seed}\n{failure_of(seed, family)}")
