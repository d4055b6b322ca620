"""Checks of an index that grows stand after the loop; what may be seen of a step that fails stays as it is."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import OutputGroups, Program, Var
from anabranch.runtime.ir.verify import check
from anabranch.runtime.ops.check import CODE
from anabranch.runtime.passes.check_elimination import eliminate_checks
from anabranch.runtime.passes.check_hoisting import hoist_checks
from anabranch.runtime.passes.checks import prove_checks
from anabranch.runtime.passes.failure_chain import always_raises
from tests.equations import I, equation, every_equation, literal, one, ops
from tests.equivalence import check as equal

A = np.array([3.0, 1.0, 2.0, 0.0, 5.0])
COUNTS = (-3, 0, 1, 4, 5, 6, 9, 2**40)


def doubled(a, n):
    for i in range(n):
        a[i] = a[i] * 2.0
    return a


def next_ones(a, n):
    for i in range(n):
        a[i + 1] = a[i + 1] + 1.0
    return a


def two_lengths(a, n):
    b = np.zeros(3)
    for i in range(n):
        a[i] = b[i] + 1.0
    return a


def second_is_shorter(a, n):
    b = np.zeros(3)
    for i in range(n):
        b[i] = a[i]
    return b


def nested(a, n):
    for i in range(n):
        for j in range(n):
            a[j] = a[i] + j
    return a


def left_before(a, n):
    for i in range(n):
        a[i] = a[i] + 1.0
        if a[i] > 2.5:
            break
    return a


def fails_twice(a, n):
    for i in range(n):
        a[i] = 1.0
    a[n] = 2.0
    return a


def in_a_branch(a, n):
    if n > 2:
        for i in range(n):
            a[i] = 1.0
    return a


def caught(a, n):
    k = -1
    try:
        for i in range(n):
            k = i
            a[i] = 1.0
    except IndexError:
        return a, k
    return a, n


def finished(a, n):
    k = -1
    try:
        for i in range(n):
            k = i
            a[i] = 1.0
    finally:
        print(k)
    return a


def printed(a, n):
    for i in range(n):
        print(i)
        a[i] = 1.0
    print("end")
    return a


@pytest.mark.parametrize(
    "function",
    [
        *(doubled, next_ones, two_lengths, second_is_shorter, nested, left_before, fails_twice, in_a_branch),
        *(caught, finished, printed),
    ],
)
def test_failures_are_those_of_the_step(function):
    for n in COUNTS[: 7 if function is printed else None]:
        equal(function, A, n)


def in_loops(program):
    """The ops within loops."""
    found = []
    for e in every_equation(program):
        if e.op.name in ("for", "for_until", "while"):
            found += [name for p in e.programs() for name in ops(p)]
    return found


@pytest.mark.parametrize("function", [doubled, next_ones, two_lengths, second_is_shorter, in_a_branch])
@pytest.mark.needs_pass("check_hoisting")
def test_no_step_checks_its_index(function):
    program = hoist_checks(prove_checks(eliminate_checks(jit(function).trace(A, 3).program)))
    check(program)
    assert "check" in ops(program)
    assert "check" not in in_loops(program)
    assert "for_until" not in ops(program)
    assert hoist_checks(program) is program


@pytest.mark.parametrize("function", [caught, finished, printed])
def test_where_a_failure_is_seen_nothing_moves(function):
    program = jit(function).trace(A, 3).program
    assert hoist_checks(program) is program


def loop_of(limit, offset):
    """`for i in range(trip)`, which fails where `i + offset >= limit` and counts its steps."""
    index, count, code, detail = Var(I), Var(I), Var(CODE), Var(I)
    place, first = one("add", index, literal(offset))
    pred, second = one("greater_equal", place, literal(limit))
    code_after, detail_after = Var(CODE), Var(I)
    third = equation("check", (code, pred, literal(np.int32(7)), place, detail), (code_after, detail_after))
    more, fourth = one("add", count, literal(1))
    body = Program((index, count, code, detail), (first, second, third, fourth), (more, code_after, detail_after))
    trip, results = Var(I), (Var(I), Var(CODE), Var(I))
    inputs = (trip, literal(0), literal(np.int32(0)), literal(0))
    loop = equation("for", inputs, results, body=body, consts=0, carries=3, length=None)
    groups, outputs = OutputGroups.joined(results=results[:1], failures=results[1:])
    return Program((trip,), (loop,), tuple(outputs), groups=groups)


@pytest.mark.parametrize(("limit", "offset"), [(5, 0), (5, 2), (5, -1), (0, 0), (1, 3), (-2, 0)])
def test_the_step_that_fails_is_the_same(limit, offset):
    program = loop_of(limit, offset)
    after = hoist_checks(program)
    check(after)
    assert in_loops(after).count("check") == 0
    for trip in range(9):
        want, got = (evaluate(p, np.int64(trip)) for p in (program, after))
        assert want[1:] == got[1:]
        assert want[1] or want[0] == got[0]


def test_a_program_whose_failure_is_no_output_is_left_alone():
    program = loop_of(5, 0)
    without = Program(program.inputs, program.equations, program.outputs)
    assert not always_raises(without)
    assert hoist_checks(without) is without
