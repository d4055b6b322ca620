"""Counted loops that may end early: evaluation and XLA's answer."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.ops.control import FOR_UNTIL
from tests.equations import B, F, I, one
from tests.internals.ops.op_cases import Case, run


def sums_until():
    """A step of `total += row; stopped = index == last`: the last step that runs counts, too."""
    last, index, stopped, total, row = Var(I), Var(I), Var(B), Var(F), Var(F)
    (after, add), (ends, equal) = one("add", total, row), one("equal", index, last)
    return Program((last, index, stopped, total, row), (add, equal), (ends, after), "body")


@pytest.mark.parametrize("length", [5, 1])
@pytest.mark.parametrize("last", [0, 2, 4, 7])
@pytest.mark.parametrize("stopped", [False, True])
def test_a_counted_loop_ends_after_the_step_that_stops_it(length, last, stopped):
    rows = np.arange(1.0, length + 1)
    params = {"body": sums_until(), "consts": 1, "carries": 2, "length": length}
    inputs = tuple(map(np.asarray, (np.int64(length), np.int64(last), stopped, 0.5, rows)))
    (outcome,) = run([Case(FOR_UNTIL, inputs, params)])
    expected = 0.5 if stopped else 0.5 + rows[: last + 1].sum()
    for results in (outcome.wanted, outcome.got):
        assert float(results[1]) == expected
        assert bool(results[0]) is (stopped or last < length)


@pytest.mark.parametrize("trip", [0, 3, 9])
def test_the_bound_may_be_known_at_run_time_only(trip):
    last, index, stopped, total = Var(I), Var(I), Var(B), Var(F)
    (after, add), (ends, equal) = one("add", total, total), one("equal", index, last)
    body = Program((last, index, stopped, total), (add, equal), (ends, after), "body")
    params = {"body": body, "consts": 1, "carries": 2, "length": None}
    inputs = tuple(map(np.asarray, (np.int64(trip), np.int64(4), False, 1.0)))
    (outcome,) = run([Case(FOR_UNTIL, inputs, params)])
    for results in (outcome.wanted, outcome.got):
        assert float(results[1]) == 2.0 ** min(trip, 5)
