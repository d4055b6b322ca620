"""Carries that no step reads are computed after the loop: what moves, what stays, and that results are the same."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.ir.verify import check
from anabranch.runtime.passes import optimise
from anabranch.runtime.passes.loop_sinking import sink_carries
from tests.equations import B, F, I, equation, every_equation, literal, one, ops
from tests.equivalence import check as equal

VALUES = np.arange(40.0)
LARGE = ArrayType((40,), np.dtype(np.float64))


def doubled(a, limit):
    for i in range(a.shape[0]):
        if a[i] > limit:
            return a * i
    return a


def in_two_loops(a, limit):
    total = 0.0
    for i in range(3):
        for j in range(a.shape[0]):
            total += a[j]
            if total > limit:
                return a * total + i
    return a


def filled(a, limit):
    b = np.zeros_like(a)
    for i in range(a.shape[0]):
        b[i] = a[i] + 1
        if a[i] > limit:
            return b * 2
    return b


def by_a_while(a, limit):
    i = 0
    while i < a.shape[0]:
        if a[i] > limit:
            return a - i
        i += 1
    return a


def run_time_bound(a, n, limit):
    for i in range(n):
        if a[i] > limit:
            return a * i
    return a


def the_last_of_all_steps(a):
    for i in range(7):
        b = a * i
    return b


CALLS = [
    *((f, VALUES, limit) for f in (doubled, in_two_loops, filled, by_a_while) for limit in (-1.0, 20.0, 1e9)),
    *((run_time_bound, VALUES, n, 20.0) for n in (0, 5, 40)),
    (the_last_of_all_steps, VALUES),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0].__name__)
def test_what_a_step_returns_is_computed_after_the_loop(call):
    function, *args = call
    program = optimise(jit(function).trace(*args).program)
    loops = [e for e in every_equation(program) if e.op.name in ("for_until", "while", "for")]
    assert loops
    for loop in loops:
        for body in loop.op.results(loop.params):
            made = [v.type.size for e in every_equation(body) for v in e.outputs if e.op.update is None]
            assert max(made) < 40
    equal(function, *(np.copy(a) if isinstance(a, np.ndarray) else a for a in args))


def loop(initial, outputs, *, read=False):
    """A loop over `carry = scalar * ones; scalar = scalar + 1`, of which these results are outputs."""
    index, stopped, scalar, large = Var(I), Var(B), Var(F), Var(LARGE)
    (more, add), (spread, broadcast) = (
        one("add", scalar, literal(1.0)),
        one("broadcast_in_dim", scalar, shape=(40,), dims=()),
    )
    (after, line) = one("add", spread, large) if read else one("add", spread, spread)
    (ends, stops) = one("equal", index, literal(np.int64(3)))
    body = Program((index, stopped, scalar, large), (add, broadcast, line, stops), (ends, more, after))
    results = (Var(B), Var(F), Var(LARGE))
    inputs = (literal(np.int64(9)), literal(False), literal(0.0), initial)
    return equation("for_until", inputs, results, body=body, consts=0, carries=3, length=9), results[outputs]


def test_a_carry_that_is_given_before_the_loop_stays():
    given = Var(LARGE)
    line, result = loop(given, 2)
    program = Program((given,), (line,), (result,))
    assert sink_carries(program) is program


def test_a_carry_that_a_step_reads_stays():
    start, nothing = one("undef", shape=(40,), dtype=np.dtype(np.float64))
    line, result = loop(start, 2, read=True)
    program = Program((), (nothing, line), (result,))
    assert sink_carries(program) is program


@pytest.mark.parametrize("outputs", [2, 1])
def test_only_what_is_needed_after_the_loop_is_computed_there(outputs):
    start, nothing = one("undef", shape=(40,), dtype=np.dtype(np.float64))
    line, result = loop(start, outputs)
    program = Program((), (nothing, line), (result,))
    after = sink_carries(program)
    check(after)
    assert sink_carries(after) is after
    assert ops(Program((), after.equations[2:], ())) == (["broadcast_in_dim", "add"] if outputs == 2 else [])
    np.testing.assert_array_equal(evaluate(after)[0], evaluate(program)[0])


def test_variables_of_what_stands_after_the_loop_are_its_own():
    program = sink_carries(jit(in_two_loops).trace(VALUES, 20.0).program)
    made = [v for e in every_equation(program) for v in (*e.outputs, *(i for p in e.programs() for i in p.inputs))]
    assert len(made) == len(set(made))
