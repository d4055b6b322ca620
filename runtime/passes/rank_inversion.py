"""Ranks without a second sort: what sorts a permutation is its inverse.

`np.argsort(np.argsort(x))`, the usual way to the ranks of numbers, sorts twice. The positions that sort distinct
numbers from 0 on are found in one loop over them, which writes each one's place where the number says.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.indexing import scatter
from anabranch.runtime.ops.op import INT64
from anabranch.runtime.ops.shape import broadcast_in_dim, iota, reshape
from anabranch.runtime.ops.sorting import argsort


@in_sub_programs
def invert_rankings(program: Program) -> Program:
    """The Program in which no vector of positions that sort is sorted itself, also inside sub-Programs."""
    if sum(equation.op is argsort for equation in program.equations) < 2:
        return program
    permutations: set[Atom] = set()

    def inverted(equation: Equation, block: Block) -> Sequence[Atom] | None:
        if equation.op is not argsort or len(equation.outputs[0].type.shape) != 1:
            return None
        (x,), (output,) = equation.inputs, equation.outputs
        if x not in permutations or not x.type.size:
            permutations.add(output)
            return None
        inverse = _inverse(x, equation, block)
        permutations.add(inverse)
        return [inverse]

    return rewrite(program, inverted)


def _inverse(permutation: Atom, equation: Equation, block: Block) -> Atom:
    """The inverse of a permutation, computed in the place of an equation."""
    shape, source = permutation.type.shape, equation.source
    zero = Literal(np.zeros((), INT64))
    base = block.emit(broadcast_in_dim, zero, source=source, shape=shape, dims=())
    places = block.emit(iota, source=source, shape=shape, dtype=INT64, axis=0)
    at = block.emit(reshape, permutation, source=source, shape=(*shape, 1))
    return block.emit(scatter, base, at, places, source=source, combine="set")
