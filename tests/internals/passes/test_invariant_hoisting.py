"""Work on large arrays that no step changes: what is computed before a loop, what stays in it, the same results."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.ir.verify import check
from anabranch.runtime.passes.dce import eliminate_dead_code
from anabranch.runtime.passes.invariant_hoisting import hoist_invariants
from tests.equations import B, F, I, equation, literal, one, ops

LARGE = ArrayType((20,), np.dtype(np.float64))
VALUES = np.arange(20.0)


def loop(body_of, *, array=LARGE, kind="for"):
    """`array, flag, trip -> total`: a loop over `total = body(array, flag, index, total)`."""
    given, flag, trip, total = Var(array), Var(B), Var(I), Var(F)
    constant, bit, index, carried = Var(array), Var(B), Var(I), Var(F)
    equations, after = body_of(constant, bit, index, carried)
    if kind == "for":
        body = Program((constant, bit, index, carried), tuple(equations), (after,))
        inputs = (trip, given, flag, literal(0.0))
        line = equation("for", inputs, (total,), body=body, consts=2, carries=1, length=None)
        return Program((given, flag, trip), (line,), (total,))
    (more, add) = one("add", index, literal(np.int64(1)))
    body = Program((constant, bit, index, carried), (*equations, add), (more, after))
    # The limit is the sum of the elements.
    tested, unread, place, value = Var(array), Var(B), Var(I), Var(F)
    limit, reduced = one("reduce_sum", tested, axes=(0,))
    goes_on, less = one("less", value, limit)
    test = Program((tested, unread, place, value), (reduced, less), (goes_on,))
    inputs = (given, flag, literal(np.int64(0)), literal(1.0))
    line = equation("while", inputs, (Var(I), total), test=test, body=body, consts=2)
    return Program((given, flag, trip), (line,), (total,))


def hoisted(program):
    after = hoist_invariants(program)
    check(after)
    assert str(hoist_invariants(after)) == str(after)
    for trip, flag in ((0, True), (1, False), (3, True)):
        arguments = (np.ones(program.inputs[0].type.shape), np.array(flag), np.int64(trip))
        np.testing.assert_array_equal(evaluate(after, *arguments), evaluate(program, *arguments))
    return after


def outside(program):
    return [e.op.name for e in program.equations]


def inside(program):
    return [name for p in program.equations[-1].programs() for name in ops(p)]


def doubled_sum(array, flag, index, total):
    twice, product = one("multiply", array, array)
    whole, reduced = one("reduce_sum", twice, axes=(0,))
    after, add = one("add", total, whole)
    return [product, reduced, add], after


def test_a_reduction_and_what_it_needs_is_computed_once():
    program = hoisted(loop(doubled_sum))
    assert outside(program) == ["multiply", "reduce_sum", "for"]
    assert "reduce_sum" not in inside(program)


def test_the_test_of_a_while_reads_what_was_computed_once():
    program = hoisted(loop(doubled_sum, kind="while"))
    assert outside(program).count("reduce_sum") == 2
    assert "reduce_sum" not in inside(program)


def test_what_reads_little_stays():
    program = loop(doubled_sum, array=ArrayType((3,), np.dtype(np.float64)))
    assert hoist_invariants(program) is program


def test_what_depends_on_the_step_stays():
    def body(array, flag, index, total):
        line, spread = one("broadcast_in_dim", total, shape=(20,), dims=())
        different, add = one("add", array, line)
        after, reduced = one("reduce_sum", different, axes=(0,))
        return [spread, add, reduced], after

    program = loop(body)
    assert hoist_invariants(program) is program


def test_an_element_of_an_elementwise_value_is_computed_at_each_step():
    def body(array, flag, index, total):
        twice, product = one("multiply", array, array)
        part, read = one("dynamic_slice", twice, index, sizes=(1,))
        element, form = one("reshape", part, shape=())
        after, add = one("add", total, element)
        return [product, read, form, add], after

    program = loop(body)
    assert hoist_invariants(program) is program


def branch(lines, result, operand, total):
    """`flag ? result : total`, where `lines` compute the result from the operand."""
    other = Program((Var(operand.type), untouched := Var(F)), (), (untouched,))
    return Program((operand, total), tuple(lines), (result,)), other


@pytest.mark.parametrize("work", ["reduce_sum", "sort", "exp"])
def test_only_one_pass_is_computed_although_a_branch_may_never_run(work):
    def body(array, flag, index, total):
        operand, carried, lines = Var(array.type), Var(F), []
        vector = operand
        if work != "reduce_sum":
            vector, line = one(work, operand, **({"axis": 0, "stable": False} if work == "sort" else {}))
            lines = [line]
        whole, reduced = one("reduce_sum", vector, axes=(0,))
        after, add = one("add", carried, whole)
        on_true, on_false = branch([*lines, reduced, add], after, operand, carried)
        # The condition changes from step to step.
        odd, test = one("less", total, literal(30.0))
        result = Var(F)
        return [test, equation("cond", (odd, array, total), (result,), on_true=on_true, on_false=on_false)], result

    program = loop(body)
    if work == "reduce_sum":
        after = hoisted(program)
        assert outside(after) == ["reduce_sum", "for"]
        assert "reduce_sum" not in inside(after)
    else:
        assert hoist_invariants(program) is program


def test_a_loop_that_may_never_end_stays():
    def body(array, flag, index, total):
        constant, value = Var(array.type), Var(F)
        endless = Program((constant, value), (), (literal(True),))
        step = Program((Var(array.type), same := Var(F)), (), (same,))
        result = Var(F)
        line = equation("while", (array, literal(0.0)), (result,), test=endless, body=step, consts=1)
        after, add = one("add", total, result)
        return [line, add], after

    program = loop(body)
    assert hoist_invariants(program) is program


def test_an_inner_loop_leaves_all_loops():
    def body(array, flag, index, total):
        inner = loop(doubled_sum)
        whole, (line,) = inner.outputs[0], inner.equations
        line = equation("for", (literal(np.int64(2)), array, flag, literal(0.0)), line.outputs, **line.params)
        after, add = one("add", total, whole)
        return [line, add], after

    program = hoisted(loop(body))
    assert outside(program) == ["multiply", "reduce_sum", "for", "for"]
    assert inside(eliminate_dead_code(program)) == ["add"]
