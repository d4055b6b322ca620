"""Discharge of checks: each becomes the selects that set the error code and keep the details of a failure."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.check import check
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.elementwise.comparison import equal, logical_and
from anabranch.runtime.ops.shape import broadcast_in_dim
from anabranch.runtime.passes.failure_chain import always_raises

_FINE = Literal(np.zeros((), np.int32))


def discharge_checks(program: Program) -> Program:
    """The Program without checks, also inside sub-Programs: other passes know selects."""
    discharged = _discharge(program)
    return dataclasses.replace(discharged, failures_leave=True) if always_raises(program) else discharged


@in_sub_programs
def _discharge(program: Program) -> Program:
    return rewrite(program, _discharged)


def _discharged(equation: Equation, block: Block) -> Sequence[Atom] | None:
    if equation.op is not check:
        return None
    code, pred, number, *rest = equation.inputs
    source, count = equation.source, len(rest) // 2
    fine: Atom = block.emit(equal, code, _FINE, source=source)
    fails: Atom = block.emit(logical_and, pred, fine, source=source)

    def chosen(new: Atom, old: Atom) -> Atom:
        shape = new.type.shape
        where = block.emit(broadcast_in_dim, fails, source=source, shape=shape, dims=()) if shape else fails
        return block.emit(select, where, new, old, source=source)

    return [chosen(number, code), *map(chosen, rest[:count], rest[count:])]
