"""Copy insertion: blocks that are computed from memory that they overlap are materialized before they are written.

This is no optimisation: without it XLA computes some blocks from elements that it has already written.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.buffers import materialize
from anabranch.runtime.passes.overlap_analysis import makers_of, overlaps


@in_sub_programs
def insert_copies(program: Program) -> Program:
    """The Program, and its sub-Programs, with such blocks in buffers of their own."""
    makers = makers_of(program)

    def copied(equation: Equation, block: Block) -> Sequence[Atom] | None:
        at = equation.op.update
        if at is None or not overlaps(equation, makers):
            return None
        own = block.emit(materialize, equation.inputs[at], source=equation.source)
        inputs = (*equation.inputs[:at], own, *equation.inputs[at + 1 :])
        block.append(dataclasses.replace(equation, inputs=inputs))
        return equation.outputs

    return rewrite(program, copied)
