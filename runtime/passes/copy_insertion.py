"""Copy insertion: blocks that are computed from memory that they overlap are materialized before they are written.

XLA writes a block in place, and computes its elements while writing where it sees no overlap with their operands. It
looks for overlaps in the very value that is written. Where that value is another form of one in memory (a reshape, or a
gather, whose result XLA makes with more axes of length one), or is read in another form, it finds none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.ops.materialize import materialize

# The index of the block among the inputs of the ops that write one.
_BLOCKS = {"dynamic_update_slice": 1, "strided_update": 1, "scatter": 2}
# Other forms of the same memory, and what XLA makes in another form.
_FORMS = frozenset({"reshape", "transpose", "broadcast_in_dim"})
_REFORMED = frozenset({"gather", "sort", "argsort"})
# What is complete before anything uses it.
_COMPLETE = frozenset(
    {
        *("materialize", "while", "for", "cond", "switch", "windowed_reduce", "windowed_update"),
        *("sort", "argsort", "dot_general"),
    }
)

_Makers = Mapping[Var, Equation]


def insert_copies(program: Program) -> Program:
    """The Program, and its sub-Programs, with such blocks in buffers of their own."""
    makers = {output: equation for equation in program.equations for output in equation.outputs}
    equations: list[Equation] = []
    for equation in program.equations:
        equation = equation.with_programs(insert_copies)
        place = _BLOCKS.get(equation.op.name)
        if place is not None and _overlaps(equation.inputs[0], equation.inputs[place], makers):
            block = equation.inputs[place]
            own = Var(block.type)
            equations.append(Equation(materialize, (block,), {}, (own,), equation.source))
            inputs = (*equation.inputs[:place], own, *equation.inputs[place + 1 :])
            equation = dataclasses.replace(equation, inputs=inputs)
        equations.append(equation)
    return dataclasses.replace(program, equations=tuple(equations))


def _overlaps(target: Atom, block: Atom, makers: _Makers) -> bool:
    """Return whether the block is made of the target's memory in a way that XLA overlooks."""
    if block.type.size <= 1 or not isinstance(target, Var) or not isinstance(block, Var):
        return False
    memory = _memory(target, makers)
    maker = makers.get(memory)
    reformed = memory is not target or (maker is not None and maker.op.name in _REFORMED)
    return _made_of(block, memory, reformed, makers)


def _memory(var: Var, makers: _Makers) -> Var:
    """Return the value that this one is another form of."""
    while (maker := makers.get(var)) is not None and maker.op.name in _FORMS and isinstance(maker.inputs[0], Var):
        var = maker.inputs[0]
    return var


def _made_of(block: Var, memory: Var, reformed: bool, makers: _Makers) -> bool:
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
        if var is memory or maker is None or maker.op.name in _COMPLETE:
            continue
        formed = formed or maker.op.name in _FORMS
        left += [(a, formed) for a in maker.inputs if isinstance(a, Var)]
    return False
