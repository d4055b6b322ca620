"""Every kind of malformed Program is refused."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.program import OutputGroups, Program, Var
from anabranch.runtime.ir.verify import MalformedProgramError, check
from tests.equations import V3, B, F, I, equation, literal, one, unary


def refused(program: Program, text: str) -> None:
    with pytest.raises(MalformedProgramError, match=text):
        check(program)


def test_well_formed():
    check(unary("sqrt"))
    p, x, r = Var(B), Var(F), Var(F)
    line = equation("cond", (p, x), (r,), on_true=unary("sqrt"), on_false=unary("negative"))
    check(Program((p, x), (line,), (r,)))


def test_operand_that_nobody_defines():
    y, line = one("sqrt", Var(F))
    refused(Program((), (line,), (y,)), "used before it is defined, in sqrt")


def test_operand_that_is_defined_later():
    x = Var(F)
    y, first = one("sqrt", x)
    z, second = one("sqrt", y)
    check(Program((x,), (first, second), (z,)))
    refused(Program((x,), (second, first), (z,)), "used before it is defined, in sqrt")


def test_output_that_nobody_defines():
    refused(Program((), (), (Var(F),)), "in the outputs")


def test_groups_of_outputs():
    x, code = Var(F), literal(np.int32(0))

    def program(*outputs, **places):
        return Program((x,), (), outputs, groups=OutputGroups(**{k: slice(*v) for k, v in places.items()}))

    check(program(x, x, code, x, results=(0, 1), writes=(1, 2), failures=(2, 4)))
    check(program(x, code, results=(0, 1), effect_count=(1, 2)))
    refused(program(x, x, results=(0, 1)), "1 of 2 outputs are in groups")
    refused(program(x, x, x, results=(0, 1), writes=(2, 3)), "the writes do not follow")
    refused(program(x, x, results=(0, 1), failures=(1, 2)), "for a count of effects, or an error code")
    refused(program(x, code, code, results=(0, 1), effect_count=(1, 3)), "for a count of effects")


def test_double_definitions():
    x = Var(F)
    y, line = one("sqrt", x)
    refused(Program((x,), (line, line), (y,)), "defined twice, in sqrt")
    refused(Program((x, x), (), (x,)), "defined twice, in the inputs")
    refused(Program((x,), (equation("sqrt", (x,), (x,)),), (x,)), "defined twice, in sqrt")


def test_wrong_types_of_outputs():
    x = Var(F)
    refused(Program((x,), (equation("sqrt", (x,), (Var(V3),)),), ()), r"sqrt gives f64\[\], bound to f64\[3\]")
    refused(Program((x,), (equation("sqrt", (x,), (Var(F), Var(F))),), ()), "sqrt gives")
    refused(Program((x,), (equation("sqrt", (x,), ()),), ()), "sqrt gives")


def test_inputs_that_the_op_does_not_take():
    x, v = Var(F), Var(V3)
    refused(Program((x, v), (equation("add", (x, v), (Var(V3),)),), ()), "add")
    refused(Program((v,), (equation("reshape", (v,), (Var(V3),), shape=(4,)),), ()), "reshape")


def branches(**changes):
    p, x, r = Var(B), Var(F), Var(F)
    params = {"on_true": unary("sqrt"), "on_false": unary("negative"), **changes}
    return Program((p, x), (equation("cond", (p, x), (r,), **params),), (r,))


def test_branches_that_do_not_fit():
    check(branches())
    x, y = Var(F), Var(F)
    refused(branches(on_true=Program((), (), (literal(1.0),))), "inputs are not the operands")
    refused(branches(on_true=Program((x, y), (), (x,))), "inputs are not the operands")
    refused(branches(on_false=Program((x,), (), (x, x))), "outputs differ")
    refused(branches(on_false=Program((x,), (), (literal(1),))), "outputs differ")
    p, x, r = Var(F), Var(F), Var(F)
    line = equation("cond", (p, x), (r,), on_true=unary("sqrt"), on_false=unary("sqrt"))
    refused(Program((p, x), (line,), (r,)), "predicate must be a bool")


def test_a_fault_inside_of_a_branch():
    x, stranger = Var(F), Var(F)
    y, line = one("add", x, stranger)
    refused(branches(on_false=Program((x,), (line,), (y,))), "used before it is defined, in add")


def test_a_branch_does_not_see_what_is_around_it():
    p, x = Var(B), Var(F)
    y, line = one("sqrt", x)
    r = Var(F)
    choice = equation("cond", (p,), (r,), on_true=Program((), (line,), (y,)), on_false=Program((), (), (literal(1.0),)))
    refused(Program((p, x), (choice,), (r,)), "used before it is defined, in sqrt")


def loop(body: Program, *inputs, consts: int = 0, carries: int = 1, length: int | None = 3):
    out = Var(F)
    line = equation("for", inputs, (out,), body=body, consts=consts, carries=carries, length=length)
    return Program((), (line,), (out,))


def test_loops_that_do_not_fit():
    i, c = Var(I), Var(F)
    three, zero = literal(np.int64(3)), literal(0.0)
    good = Program((i, c), (), (c,))
    check(loop(good, three, zero))
    refused(loop(good, literal(np.int32(3)), zero), "trip count")
    refused(loop(good, three, literal(0)), "body's inputs do not fit")
    refused(loop(Program((i, c), (), (i,)), three, zero), "outputs are not the carries")
    v, x = Var(V3), Var(F)
    sums = Program((i, c, x), (), (c,))
    line = equation("for", (three, zero, v), (Var(F),), body=sums, consts=0, carries=1, length=4)
    refused(Program((v,), (line,), ()), "length is not the trip count")


def test_loops_that_may_end_early_that_do_not_fit():
    def program(body, first, carries):
        outputs = tuple(Var(a.type) for a in body.outputs)
        inputs = (literal(np.int64(3)), first, literal(0.0))[: 1 + carries]
        line = equation("for_until", inputs, outputs, body=body, consts=0, carries=carries, length=3)
        return Program((), (line,), outputs[-1:])

    i, s, c = Var(I), Var(B), Var(F)
    check(program(Program((i, s, c), (), (s, c)), literal(False), 2))
    refused(program(Program((i, c, Var(F)), (), (c, c)), literal(0.0), 2), "first carry must be one bool")
    refused(program(Program((i, s), (), (s, literal(0.0))), literal(False), 1), "no stacked outputs")


def test_while_loops_that_do_not_fit():
    def program(test, body):
        out = Var(F)
        return Program((), (equation("while", (literal(0.0),), (out,), test=test, body=body, consts=0),), (out,))

    c = Var(F)
    test, body = Program((c,), (), (literal(False),)), unary("sqrt")
    check(program(test, body))
    refused(program(unary("sqrt"), body), "test must give one bool")
    refused(program(test, Program((c,), (), (literal(1),))), "outputs are not the carries")
    refused(program(test, unary("sqrt", V3)), "body's inputs")
