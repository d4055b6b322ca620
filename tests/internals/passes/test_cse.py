"""Equations of loop bodies that repeat earlier ones."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.passes.cse import eliminate_common_subexpressions
from tests.equations import F, equation, literal, one, ops


def test_what_repeats_goes():
    x = Var(F)
    a, first = one("sqrt", x)
    b, second = one("sqrt", x)
    c, third = one("add", a, literal(1.0))
    d, fourth = one("add", b, literal(1.0))
    total, last = one("multiply", c, d)
    program = eliminate_common_subexpressions(Program((x,), (first, second, third, fourth, last), (total, b)))
    assert ops(program) == ["sqrt", "add", "multiply"]
    assert [float(v) for v in evaluate(program, 4.0)] == [9.0, 2.0]


def test_constants_of_other_types_and_other_parameters_are_not_the_same():
    x = Var(F)
    made = [one("add", x, literal(v)) for v in (1.0, -0.0, 0.0)]
    made += [one("convert", x, dtype=np.dtype(t)) for t in (np.int32, np.int64)]
    program = eliminate_common_subexpressions(Program((x,), tuple(e for _, e in made), tuple(v for v, _ in made)))
    assert len(ops(program)) == 5


def test_loops_are_not_looked_into():
    inner = Program((x := Var(F),), ((made := one("sqrt", x))[1],), (made[0],))
    p, y, out, again = Var(literal(True).type), Var(F), Var(F), Var(F)
    choices = [
        equation("cond", (p, y), (o,), on_true=inner, on_false=Program((z := Var(F),), (), (z,))) for o in (out, again)
    ]
    assert ops(eliminate_common_subexpressions(Program((p, y), tuple(choices), (out, again)))).count("cond") == 2


@pytest.mark.needs_pass("cse")
def test_in_a_loop():
    def total(a):
        s = np.float64(0.0)  # of the kind that each step gives, so that no step stands on its own
        for i in range(a.shape[0]):
            s += np.sqrt(a[i]) * np.sqrt(a[i])
        return s

    a = np.arange(9.0)
    assert ops(jit(total).trace(a).lower().program).count("sqrt") == 1
    np.testing.assert_allclose(jit(total)(a), total(a))
