"""Random programs of shared arrays, judged like all others: what each name, item and attribute holds in the end."""

from __future__ import annotations

import pytest
from hypothesis import event, given, strategies as st

from property_tests.failures import failure_of
from property_tests.families import FAULTS, SHARED_ARRAYS


@given(seed=st.integers(0, 2**32))
def test_programs_of_shared_arrays(seed: int) -> None:
    judgement = SHARED_ARRAYS.judged(SHARED_ARRAYS.program_of(seed), seed)
    event(str(judgement.verdict))
    if judgement.verdict in FAULTS:
        pytest.fail(f"seed {seed}\n{failure_of(seed, SHARED_ARRAYS)}")
