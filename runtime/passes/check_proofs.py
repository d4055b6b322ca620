"""Proofs of checks: a check goes whose predicate is false by the ranges of the values that it is computed from."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program, all_equations
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.check import check
from anabranch.runtime.passes.range_analysis import impossible_failures


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
