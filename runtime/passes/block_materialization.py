"""Block materialization: large blocks that steps of loops compute are complete before they are put in a place.

XLA computes such a block where it stores it. Where it has no loop of its own there, LLVM makes no vectors of it: XLA
makes the border of `y = zeros; y[1:-1] = x` in one loop with the block, and asks for each element where it lies; and
what `x[1:-1] = x[2:] + x[:-2]` reads it copies before, each part on its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.ir.rewrite import Block, rewrite, with_equations
from anabranch.runtime.ops.buffers import materialize
from anabranch.runtime.ops.indexing import dynamic_update_slice
from anabranch.runtime.ops.shape import pad
from anabranch.runtime.ops.structured import Loop
from anabranch.runtime.passes.def_use import DefUse

# The number of elements from which on a block is large, and up to which it stays in the processor's own memory.
_LARGE, _NEAR = 1024, 1 << 19


def materialize_blocks(program: Program) -> Program:
    """The Program in which such blocks have buffers of their own, in loops, whose steps share these."""
    return with_equations(program, [_materialized(equation, False) for equation in program.equations])


def _materialized(equation: Equation, in_loop: bool) -> Equation:
    """The equation with such blocks in its sub-Programs."""
    repeats = in_loop or isinstance(equation.op, Loop)

    def inside(program: Program) -> Program:
        inner = with_equations(program, [_materialized(e, repeats) for e in program.equations])
        return _with_complete_blocks(inner) if repeats else inner

    return equation.with_programs(inside)


def _with_complete_blocks(program: Program) -> Program:
    """A sub-Program of a loop whose large blocks are complete before they are put in a place."""
    defs = DefUse(program)

    def completed(equation: Equation, block: Block) -> Sequence[Atom] | None:
        at = 0 if equation.op is pad else 1
        if equation.op not in (pad, dynamic_update_slice) or not _is_computed(equation.inputs[at], defs):
            return None
        has_border = equation.op is pad or defs.uniform(equation.inputs[0]) is not None
        if not (equation.inputs[at].type.size <= _NEAR if has_border else _reads_elsewhere(equation, defs)):
            return None
        own = block.emit(materialize, equation.inputs[at], source=equation.source)
        block.append(dataclasses.replace(equation, inputs=(*equation.inputs[:at], own, *equation.inputs[at + 1 :])))
        return equation.outputs

    return rewrite(program, completed)


def _is_computed(atom: Atom, defs: DefUse) -> bool:
    """Return whether a value is large, and computed element by element."""
    maker = defs.maker(atom)
    return maker is not None and maker.op.is_elementwise and atom.type.size >= _LARGE


def _reads_elsewhere(write: Equation, defs: DefUse) -> bool:
    """Return whether the elements of a block are computed from another block of the array that it is written into."""
    target, block, *starts = write.inputs
    place = [defs.key(start) for start in starts]
    seen: set[Atom] = set()
    left = [block]
    while left:
        atom = left.pop()
        maker = defs.maker(atom)
        if atom in seen or maker is None or atom.type.size < _LARGE:
            continue
        seen.add(atom)
        part = defs.part(atom)
        if part is not None and part[0] is target and [defs.key(start) for start in part[1]] != place:
            return True
        if maker.op.is_elementwise:
            left += [a for a in maker.inputs if isinstance(a, Var)]
    return False
