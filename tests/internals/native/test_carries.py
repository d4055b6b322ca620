"""Carries of native loops, also in Programs written by hand, and small arrays."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.host.machine_code import NativeOptions
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.lower import module
from anabranch.runtime.ops.elementwise.term import BOOL, INT64
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.xla.compiler import compile_text
from tests.equivalence import check

INT32 = np.dtype(np.int32)


def literal(value: object, dtype: np.dtype) -> Literal:
    return Literal(np.array(value, dtype))


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("length", [0, 1, 5])
def test_two_bools_that_say_the_same_of_an_int(first, length):
    """Both are computed from the int in each step."""
    index, one, other, code = (Var(ArrayType((), dtype)) for dtype in (INT64, BOOL, BOOL, INT32))
    grown, again, twice = (Var(ArrayType((), dtype)) for dtype in (INT32, BOOL, BOOL))
    seen = Var(ArrayType((), BOOL))
    zero = literal(0, INT32)
    body = Program(
        (index, one, other, code),
        (
            Equation(OPS["logical_or"], (one, other), {}, (seen,)),
            Equation(OPS["select"], (seen, code, literal(7, INT32)), {}, (grown,)),
            Equation(OPS["not_equal"], (grown, zero), {}, (again,)),
            Equation(OPS["not_equal"], (grown, zero), {}, (twice,)),
        ),
        (again, twice, grown),
    )
    start: tuple[Atom, ...] = (literal(first != 0, BOOL), literal(first != 0, BOOL), literal(first, INT32))
    results = tuple(Var(a.type) for a in start)
    params = {"body": body, "consts": 0, "carries": 3, "length": None}
    trip = Var(ArrayType((), INT64))
    program = Program((trip,), (Equation(OPS["for"], (trip, *start), params, results),), results)
    made = module(program, native=NativeOptions())
    assert len(made.callbacks) == 1
    got = compile_text(made.text, callbacks=made.callbacks)([np.array(length)])
    assert [x.item() for x in got] == [np.asarray(x).item() for x in evaluate(program, np.int64(length))]


def centres_and_those_before(points, centres, steps):
    for _ in range(steps):
        before = centres
        centres = centres + (points[:, None, :] - centres[None]).mean(axis=0)
    return centres, before


def test_an_array_in_memory_that_is_another_carry_in_registers():
    args = np.arange(180.0).reshape(60, 3), np.arange(12.0).reshape(4, 3), 3
    assert jit(centres_and_those_before).lower(*args).native_program() is not None
    check(centres_and_those_before, *args)


def padded(x):
    return np.diag(x), np.diag(x, -1), np.pad(x, (2, 1), constant_values=3.0), np.diag(np.diag(x, 1))


def test_small_arrays_are_padded():
    x = np.arange(3.0)
    assert jit(padded).lower(x).native_program() is not None
    check(padded, x)
