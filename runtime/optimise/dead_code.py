"""Drops equations whose outputs nothing needs. Failures, writes and the count of effects are outputs."""

from __future__ import annotations

import dataclasses
from typing import Any

from anabranch.runtime.ir import Equation, Program, Var


def drop_dead_code(program: Program) -> Program:
    """The Program without dead equations, also inside sub-Programs."""
    needed = {a for a in program.outputs if isinstance(a, Var)}
    kept: list[Equation] = []
    for equation in reversed(program.equations):
        if needed.isdisjoint(equation.outputs):
            continue
        equation = equation.with_params(_inside)
        kept.append(equation)
        needed.update(a for a in equation.inputs if isinstance(a, Var))
    return dataclasses.replace(program, equations=tuple(reversed(kept)))


def _inside(value: Any) -> Any:
    if isinstance(value, Program):
        return drop_dead_code(value)
    if isinstance(value, tuple) and value and isinstance(value[0], Program):
        return tuple(map(drop_dead_code, value))
    return value
