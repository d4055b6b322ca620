"""Overlap analysis: blocks that are computed from the very memory that they are written into.

XLA writes a block in place, and computes its elements while writing where it sees no overlap with their operands. It
looks for overlaps in the very value that is written. Where that value is another form of one in memory (a reshape, or a
gather, whose result XLA makes with more axes of length one), or is read in another form, it finds none.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TypeAlias

from anabranch.runtime.ir.program import Equation, Program, Var

Makers: TypeAlias = Mapping[Var, Equation]


def makers_of(program: Program) -> Makers:
    """The equation that computes each value."""
    return {output: equation for equation in program.equations for output in equation.outputs}


def overlaps(equation: Equation, makers: Makers) -> bool:
    """Return whether an equation writes a block that is made of its target's memory in a way that XLA overlooks."""
    if equation.op.update is None:
        return False
    target, block = equation.inputs[0], equation.inputs[equation.op.update]
    if block.type.size <= 1 or not isinstance(target, Var) or not isinstance(block, Var):
        return False
    memory = memory_of(target, makers)
    maker = makers.get(memory)
    reformed = memory is not target or (maker is not None and maker.op.is_reformed)
    return _made_of(block, memory, reformed, makers)


def reads_target(equation: Equation, makers: Makers) -> bool:
    """Return whether an equation writes a block, of one element or more, that is made of its target's memory."""
    target, block = equation.inputs[0], equation.inputs[equation.op.update or 0]
    if not isinstance(target, Var) or not isinstance(block, Var):
        return False
    return _made_of(block, memory_of(target, makers), True, makers)


def any_overlaps(program: Program, live: Container[Var]) -> bool:
    """Return whether an equation of the Program or its sub-Programs does; of those that compute one of these values."""
    makers = makers_of(program)
    for equation in program.equations:
        if any(output in live for output in equation.outputs) and (
            overlaps(equation, makers) or any(any_overlaps(inner, live) for inner in equation.programs())
        ):
            return True
    return False


def memory_of(var: Var, makers: Makers) -> Var:
    """The value that this one is another form of."""
    while (maker := makers.get(var)) is not None and maker.op.is_view and isinstance(maker.inputs[0], Var):
        var = maker.inputs[0]
    return var


def _made_of(block: Var, memory: Var, reformed: bool, makers: Makers) -> bool:
    """Return whether elements of `memory` go into the block, in another form if it is not `reformed` already."""
    seen: set[tuple[Var, bool]] = set()
    left = [(block, reformed)]
    while left:
        var, formed = left.pop()
        if (var, formed) in seen:
            continue
        seen.add((var, formed))
        if var is memory and formed:
            return True
        maker = makers.get(var)
        if var is memory or maker is None or maker.op.is_materialized:
            continue
        formed = formed or maker.op.is_view
        left += [(a, formed) for a in maker.inputs if isinstance(a, Var)]
    return False
