"""How many equations a Program has."""

from __future__ import annotations

from anabranch.runtime.ir.program import Program


def equations(program: Program) -> int:
    """The equations of a Program, those in the bodies of loops and in branches included."""
    return sum(1 + sum(map(equations, equation.programs())) for equation in program.equations)
