"""If-conversion: of small branches both sides are computed and the results selected.

In a loop over array elements a `cond` costs more than the few scalar operations in its branches, and keeps XLA from
fusing across it. Every op is total (a shift too wide, an integer division by zero have a value), so computing the side
that is not taken changes nothing. Branches that read or write arrays stay: they would do so at every step, and XLA
would copy the array to keep reads and writes apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anabranch.runtime.ir.op import Work
from anabranch.runtime.ir.program import Atom, Equation, Program, SourceLocation
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.buffers import undef
from anabranch.runtime.ops.control import COND
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.shape import broadcast_in_dim

_MOST_EQUATIONS = 24
_MOST_ELEMENTS = 16


@in_sub_programs
def convert_small_branches(program: Program) -> Program:
    """The Program with each small `cond` replaced by its branches' equations and selects, inside out."""
    return rewrite(program, _converted)


def _converted(equation: Equation, block: Block) -> Sequence[Atom] | None:
    if equation.op is not COND or not _is_small(equation):
        return None
    pred, *operands = equation.inputs
    start = len(block.equations)
    sides = [block.inline(program, operands) for program in equation.programs()]
    free = _undefined(block.equations[start:])
    return [
        a if a is b or b in free else b if a in free else _select(block, pred, a, b, equation.source)
        for a, b in zip(*sides, strict=True)
    ]


def _is_small(equation: Equation) -> bool:
    """Return whether both branches are a few cheap operations on scalars and tiny arrays."""
    branches = tuple(equation.programs())
    if sum(len(b.equations) for b in branches) > _MOST_EQUATIONS:
        return False
    for branch in branches:
        for e in branch.equations:
            if e.op is undef:
                continue
            if e.op.work is Work.MUCH or any(a.type.size > _MOST_ELEMENTS for a in (*e.inputs, *e.outputs)):
                return False
    # An array that a branch only passes on must be the same one on both sides, or a select would copy it.
    pairs = zip(*(_outputs(equation, branch) for branch in branches), strict=True)
    free = _undefined(e for b in branches for e in b.equations)
    return all(a is b or a in free or b in free or a.type.size <= _MOST_ELEMENTS for a, b in pairs)


def _undefined(equations: Iterable[Equation]) -> set[Atom]:
    return {e.outputs[0] for e in equations if e.op is undef}


def _outputs(equation: Equation, branch: Program) -> list[Atom]:
    """A branch's outputs, with its inputs replaced by the operands."""
    names: dict[Atom, Atom] = dict(zip(branch.inputs, equation.inputs[1:], strict=True))
    return [names.get(a, a) for a in branch.outputs]


def _select(block: Block, pred: Atom, a: Atom, b: Atom, source: SourceLocation | None) -> Atom:
    if a.type.shape:
        pred = block.emit(broadcast_in_dim, pred, source=source, shape=a.type.shape, dims=())
    return block.emit(select, pred, a, b, source=source)
