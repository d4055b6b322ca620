"""The positions of a mask: NumPy evaluation and XLA agree."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops.positions import counted_positions, true_positions
from tests.internals.ops.op_cases import Case, run
from tests.internals.ops.structural_cases import check, check_in_loop, of

MASKS = [np.zeros(0, bool), np.zeros(5, bool), np.ones(5, bool), np.arange(20) % 3 == 1, np.arange(20) % 3 != 1]


def expected(mask):
    found = np.flatnonzero(mask)
    return np.concatenate([found, np.zeros(len(mask) - len(found), np.int64)])


def test_positions_come_first():
    check([of(true_positions, mask, expected=expected(mask)) for mask in MASKS])


def test_positions_are_counted():
    for outcome in run([Case(counted_positions, (mask,)) for mask in MASKS]):
        (mask,) = outcome.case.inputs
        for positions, count in (outcome.got, outcome.wanted):
            assert count == mask.sum()
            assert np.array_equal(positions[:count], np.flatnonzero(mask))


def test_in_loop():
    check_in_loop([Case(true_positions, (mask,), {}) for mask in MASKS[1:]])


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 2), bool)])
def test_what_is_no_mask_is_refused(wrong):
    with pytest.raises(TypeError, match="no vector of bools"):
        true_positions.type(ArrayType(wrong.shape, wrong.dtype))
