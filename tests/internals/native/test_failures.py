"""Places that fail in a nest are ways out of it, so that what follows them relies on what they have asked."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime import passes
from anabranch.runtime.native.failures import FailureValues, NestFailures
from anabranch.runtime.ops.structured import Loop
from tests.behaviour.loops.test_native_loops import GRID, INTS, A, boxes, climbs, in_nested_loops, last_norm


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (in_nested_loops, (A, 7)),
        # Its steps compute whole arrays, and end the loop.
        (last_norm, (A, INTS, np.ones(18), 3)),
        # What they tell is chosen by another condition.
        (boxes, (GRID, 2)),
    ],
)
def test_a_nest_is_left_where_something_fails(function, args) -> None:
    program = jit(function).lower(*args).program
    values = FailureValues(program)
    nests = [equation for equation in program.equations if isinstance(equation.op, Loop)]
    assert len(nests) == 1
    choices = [
        (equation, inner)
        for inner in _inside(nests[0].programs())
        for equation in inner.equations
        if equation.outputs and values.is_code(equation.outputs[0]) and equation.op.name == "select"
    ]
    assert choices
    failures = NestFailures(values, nests[0])
    assert all(failures.leaves(equation, inner) for equation, inner in choices)


def _inside(programs):
    for program in programs:
        yield program
        for equation in program.equations:
            yield from _inside(equation.programs())


def test_the_first_checks_may_stand_in_a_branch() -> None:
    assert jit(climbs).lower(INTS, 0, 5).program.failures_leave


def _sunk(n):
    if n <= 0:
        return 0
    sunk = _sunk(n - 1)
    if n % 2:
        raise ValueError(f"at {n}")
    if n % 2:
        raise ValueError(f"again at {n}")
    return sunk


def test_a_nest_that_goes_on_behind_a_failure_knows_that_something_has_failed(monkeypatch) -> None:
    # The choices of both failures are joined to one, which tells of no place.
    monkeypatch.setattr(passes, "PASSES", tuple(dataclasses.replace(one, serves_xla=False) for one in passes.PASSES))
    with pytest.raises(ValueError, match=r"^at 1$"):
        jit(lambda n: _sunk(n))(5)
