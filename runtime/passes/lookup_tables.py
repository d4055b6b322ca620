"""Lookup tables: what is computed of each number that is looked up in a table is computed of the table.

`255 * levels[image] // image.size` would divide for each of a million pixels; there are 256 levels.
"""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.indexing import gather
from anabranch.runtime.ops.shape import broadcast_in_dim
from anabranch.runtime.passes.def_use import DefUse

# How many numbers are looked up, at least, and how many times as many as the table has.
_LEAST_ELEMENTS, _LEAST_USE = 256, 2


@in_sub_programs
def compute_tables(program: Program) -> Program:
    """The Program with elementwise work done on tables, also inside sub-Programs."""
    if not any(equation.op is gather for equation in program.equations):
        return program
    return rewrite(program, _Tables(program).looked_up)


class _Tables:
    """One run of the pass: by the results of lookups that have been seen, the tables and the indices."""

    def __init__(self, program: Program) -> None:
        self._defs = DefUse(program)
        self._lookups: dict[Atom, tuple[Atom, Atom]] = {}

    def looked_up(self, equation: Equation, block: Block) -> Sequence[Atom] | None:
        """Add the work on a table and the lookup in its result; None where an equation does something else."""
        if equation.op is gather:
            self._lookups[equation.outputs[0]] = equation.inputs[0], equation.inputs[1]
        if not equation.op.is_elementwise or len(equation.outputs) != 1:
            return None
        (output,), at = equation.outputs, self._defs.made[equation.outputs[0]]
        inputs = self._defs.equations[at].inputs
        found = [i for i, atom in enumerate(inputs) if atom in self._lookups]
        scalars = [None if i in found else self._defs.uniform(atom) for i, atom in enumerate(inputs)]
        if len(found) != 1 or scalars.count(None) != 1:
            return None
        table, indices = self._lookups[inputs[found[0]]]
        is_large = output.type.size >= max(_LEAST_ELEMENTS, _LEAST_USE * table.type.size)
        if not is_large or self._defs.is_shared(inputs[found[0]]):
            return None
        shape, source = table.type.shape, equation.source
        operands = [
            table
            if scalar is None
            else block.emit(broadcast_in_dim, block.read(scalar), source=source, shape=shape, dims=())
            for scalar in scalars
        ]
        computed = block.emit(equation.op, *operands, source=source, **equation.params)
        self._lookups[output] = computed, indices
        return [block.emit(gather, computed, indices, source=source)]
