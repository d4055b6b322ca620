"""Common subexpression elimination: what is computed twice from the same is computed once."""

from __future__ import annotations

import dataclasses

from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.passes.def_use import DefUse


def eliminate_common_subexpressions(program: Program) -> Program:
    """The Program without equations that repeat an earlier one; sub-Programs stay as they are."""
    defs = DefUse(program)
    first: dict[int, Var] = {}
    renamed: dict[Atom, Atom] = {}
    equations: list[Equation] = []
    for equation in program.equations:
        same = [first.setdefault(defs.key(out), out) for out in equation.outputs]
        if same and all(a is not b for a, b in zip(same, equation.outputs, strict=True)):
            renamed.update(zip(equation.outputs, same, strict=True))
        elif any(a in renamed for a in equation.inputs):
            inputs = tuple(renamed.get(a, a) for a in equation.inputs)
            equations.append(dataclasses.replace(equation, inputs=inputs))
        else:
            equations.append(equation)
    outputs = tuple(renamed.get(a, a) for a in program.outputs)
    return dataclasses.replace(program, equations=tuple(equations), outputs=outputs)
