"""Search sinking: where only one side of a select needs what a search of an array finds, a branch computes it.

A check of an index array names the first index that is out of bounds. Whether there is one takes a pass over the array;
which one it is takes a slower one, and only a call that fails needs it.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, renamed, rewrite
from anabranch.runtime.ops.control import COND
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.reduction import argmax, argmin
from anabranch.runtime.passes.def_use import DefUse

# Searches of fewer elements take no longer than a branch.
_LEAST_ELEMENTS = 256
# Of how many equations a branch is.
_MOST_EQUATIONS = 32


@in_sub_programs
def sink_searches(program: Program) -> Program:
    """The Program with searches of arrays in branches, also inside sub-Programs."""
    defs = DefUse(program)
    if not any(map(_is_search, program.equations)):
        return program

    branches: set[Atom] = set()

    def sunk(equation: Equation, block: Block) -> Sequence[Atom] | None:
        if equation.op is not select or equation.outputs[0].type.shape:
            return None
        at = defs.made[equation.outputs[0]]
        for side in (1, 2):
            part = _part(program, defs, branches, at, program.equations[at].inputs[side])
            if part is not None:
                branches.add(equation.outputs[0])
                return _branch(block, equation, side, part)
        return None

    return rewrite(program, sunk)


def _is_search(equation: Equation) -> bool:
    return equation.op in (argmax, argmin) and equation.inputs[0].type.size >= _LEAST_ELEMENTS


def _part(program: Program, defs: DefUse, branches: Set[Atom], at: int, atom: Atom) -> Program | None:
    """The equations that make a value for the equation at `at` alone, if there is a search among them.

    What takes no time of its own, in one loop with what reads it, is computed again; `branches` are branches' results.
    """
    if not isinstance(atom, Var) or defs.consumers[atom] != {at}:
        return None
    needed: set[Atom] = {atom}
    alone, inside = {at}, {at}
    for i in range(at - 1, -1, -1):
        equation = program.equations[i]
        if needed.isdisjoint(equation.outputs) or not _is_movable(equation) or equation.outputs[0] in branches:
            continue
        if all(defs.consumers.get(v, set()) <= alone for v in equation.outputs):
            alone.add(i)
        elif not (equation.outputs[0].type.shape and (equation.op.is_elementwise or equation.op.is_view)):
            continue
        inside.add(i)
        needed.update(equation.inputs)
    equations = [program.equations[i] for i in sorted(inside - {at})]
    if len(equations) > _MOST_EQUATIONS or not any(map(_is_search, equations)):
        return None
    made = {v for e in equations for v in e.outputs}
    free = dict.fromkeys(a for e in equations for a in e.inputs if isinstance(a, Var) and a not in made)
    # An array that is written to in between would have to be copied.
    if not all(defs.stays(array, min(inside) - 1, at) for array in free):
        return None
    return Program(tuple(free), tuple(equations), (atom,))


def _is_movable(equation: Equation) -> bool:
    return equation.op.pure and equation.op.update is None and not equation.has_programs


def _branch(block: Block, equation: Equation, side: int, part: Program) -> Sequence[Atom]:
    """Add a `cond` in place of a select of which one side is a part of the Program; returns its outputs."""
    pred, other = equation.inputs[0], equation.inputs[3 - side]
    passed = () if isinstance(other, Literal) else (other,)
    operands = (*[block.read(v) for v in part.inputs], *passed)
    formals = tuple([Var(a.type) for a in operands])
    searched = renamed(Program((*part.inputs, *[Var(a.type) for a in passed]), part.equations, part.outputs))
    other_side = Program(formals, (), formals[-1:] if passed else (other,))
    sides = (searched, other_side) if side == 1 else (other_side, searched)
    output = Var(equation.outputs[0].type)
    params = dict(zip(("on_true", "on_false"), sides, strict=True))
    block.append(Equation(COND, (pred, *operands), params, (output,), equation.source))
    return (output,)
