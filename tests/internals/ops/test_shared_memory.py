"""Arrays that a condition writes to and that are needed after it: XLA's results against the evaluation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Equation, Program, Var
from anabranch.runtime.lower import lower
from anabranch.runtime.ops.control import COND, FOR
from anabranch.runtime.xla.compiler import compile_text
from tests.equations import I, literal, one

ROW = ArrayType((4,), np.dtype(np.float64))


def shifted() -> Program:
    """A step of `z = y; y = x`."""
    index, x, y, z = Var(I), Var(ROW), Var(ROW), Var(ROW)
    return Program((index, x, y, z), (), (x, x, y), "body")


def with_a_block_doubled() -> Program:
    a, z = Var(ROW), Var(ROW)
    block, read = one("slice", z, starts=(2,), limits=(4,), strides=(1,))
    doubled, add = one("add", block, block)
    written, write = one("dynamic_update_slice", z, doubled, literal(0))
    return Program((a, z), (read, add, write), (written,), "branch")


def with_rows_doubled() -> Program:
    """A loop that doubles the first elements."""
    index, carry = Var(I), Var(ROW)
    element, read = one("dynamic_slice", carry, index, sizes=(1,))
    doubled, add = one("add", element, element)
    written, write = one("dynamic_update_slice", carry, doubled, index)
    body = Program((index, carry), (read, add, write), (written,), "body")
    a, z, result = Var(ROW), Var(ROW), Var(ROW)
    params = {"body": body, "consts": 0, "carries": 1, "length": None}
    return Program((a, z), (Equation(FOR, (literal(2), z), params, (result,)),), (result,), "branch")


def in_another_condition() -> Program:
    a, z, result = Var(ROW), Var(ROW), Var(ROW)
    element, read = one("dynamic_slice", a, literal(0), sizes=(1,))
    number, reshape = one("reshape", element, shape=())
    is_large, compare = one("greater", number, number)
    params = {"on_true": first(), "on_false": with_a_block_doubled()}
    equation = Equation(COND, (is_large, a, z), params, (result,))
    return Program((a, z), (read, reshape, compare, equation), (result,), "branch")


def first() -> Program:
    a, z = Var(ROW), Var(ROW)
    return Program((a, z), (), (a,), "branch")


@pytest.mark.parametrize("branch", [with_a_block_doubled, with_rows_doubled, in_another_condition])
def test_what_a_loop_returned_and_a_branch_writes_to_is_kept(branch: Callable[[], Program]) -> None:
    trip, a, b = Var(I), Var(ROW), Var(ROW)
    x, y, z, result = Var(ROW), Var(ROW), Var(ROW), Var(ROW)
    params = {"body": shifted(), "consts": 0, "carries": 3, "length": None}
    loop = Equation(FOR, (trip, b, a, a), params, (x, y, z))
    is_more, compare = one("greater_equal", trip, literal(0))
    choice = Equation(COND, (is_more, a, z), {"on_true": branch(), "on_false": first()}, (result,))
    program = Program((trip, a, b), (loop, compare, choice), (result, x, y, z), "main")
    arrays = [np.array(3), np.arange(4.0), np.arange(4.0) + 10]
    wanted = evaluate(program, *arrays)
    got = compile_text(lower(program))(arrays)
    np.testing.assert_array_equal(np.stack(got), np.stack(wanted))
