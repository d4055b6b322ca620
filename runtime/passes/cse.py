"""Common subexpression elimination: what is computed twice from the same is computed once."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.passes.def_use import DefUse


@in_sub_programs
def eliminate_common_subexpressions(program: Program) -> Program:
    """The Program without equations that repeat an earlier one, also inside sub-Programs."""
    defs = DefUse(program)
    first: dict[int, Var] = {}

    def shared(equation: Equation, block: Block) -> Sequence[Atom] | None:
        same = [first.setdefault(defs.key(out), out) for out in equation.outputs]
        repeats = same and all(a is not b for a, b in zip(same, equation.outputs, strict=True))
        return same if repeats else None

    return rewrite(program, shared)
