"""The collector of garbage, while a function is compiled: rarer, and as before afterwards."""

from __future__ import annotations

import gc

import pytest

from anabranch.base.garbage import of_new_objects_alone


@pytest.fixture
def thresholds():
    before = gc.get_threshold()
    yield before
    gc.set_threshold(*before)


@pytest.mark.parametrize("set_before", [(700, 10, 10), (50_000, 5, 20), (0, 10, 10)])
def test_thresholds_are_the_users_after_the_block(thresholds, set_before):
    gc.set_threshold(*set_before)
    with of_new_objects_alone():
        within = gc.get_threshold()
        with of_new_objects_alone():  # as in another thread
            pass
        assert gc.get_threshold() == within
    assert gc.get_threshold() == set_before
    assert gc.get_freeze_count() == 0
    assert within == (max(set_before[0], 20_000) if set_before[0] else 0, *set_before[1:])
