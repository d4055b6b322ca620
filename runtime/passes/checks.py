"""Checks: those of values are settled, disproved ones go, the others become selects of an error code."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Sequence

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var, all_equations
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.check import check, check_of_value
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.elementwise.comparison import equal, logical_and
from anabranch.runtime.ops.shape import broadcast_in_dim
from anabranch.runtime.passes.failure_chain import always_raises
from anabranch.runtime.passes.liveness import live_values
from anabranch.runtime.passes.range_analysis import impossible_failures

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


def prove_checks(program: Program) -> Program:
    """The Program without checks that never fail, also inside sub-Programs."""
    if not any(e.op is check for e in all_equations(program.equations)):
        return program
    impossible = impossible_failures(program)
    if not impossible:
        return program

    def proved(equation: Equation, block: Block) -> Sequence[Atom] | None:
        if equation.op is not check or equation.outputs[0] not in impossible:
            return None
        code, _, _, *rest = equation.inputs
        return [code, *rest[len(rest) // 2 :]]

    return in_sub_programs(lambda inner: rewrite(inner, proved))(program)


def settle_value_checks(program: Program) -> Program:
    """The Program with checks in place of those of values that are used, also inside sub-Programs."""
    return _settled(program, live_values(program))


def _settled(program: Program, live: Container[Var]) -> Program:
    def settled(equation: Equation, block: Block) -> Sequence[Atom] | None:
        if equation.op is not check_of_value:
            inner = equation.with_programs(lambda p: _settled(p, live))
            if inner is equation:
                return None
            block.append(inner)
            return inner.outputs
        code, pred, number, value = equation.inputs
        if value not in live and isinstance(value, Var):
            return [code]
        block.append(dataclasses.replace(equation, op=check, inputs=(code, pred, number)))
        return equation.outputs

    return rewrite(program, settled)
