"""Checks of values, settled when a trace has ended: where the value is used they are checks, elsewhere nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.ir.rewrite import Block, rewrite
from anabranch.runtime.ops.check import check, check_of_value
from anabranch.runtime.passes.liveness import live_values


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
