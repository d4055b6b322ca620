"""How much memory a Program touches, and how often XLA computes its values, as far as a choice of lowering needs it."""

from __future__ import annotations

from collections.abc import Container

from anabranch.runtime.ir.program import Atom, Program, Var
from anabranch.runtime.ops.structured import StructuredOp

# A loop whose step touches at most so many bytes runs fastest as one native loop; beyond that, XLA's kernels, which use
# vector libraries and several threads, win.
_SMALL = 128 * 1024
# In a native loop, XLA emits a value once for each way of indices that leads to it, and each `reverse` on the way makes
# a new one: `z = where(c, z[::-1], z)` doubles the code. It breaks off such fusions for other ops, but not for this.
_MOST_WAYS = 64


def fits_native_loop(*programs: Program) -> bool:
    """Return whether a loop of these Programs runs fastest, and compiles in due time, as one native loop."""
    return all(is_small(program) and not _is_emitted_often(program) for program in programs)


def is_small(program: Program, live: Container[Var] | None = None) -> bool:
    """Return whether one run of the Program (of a loop's body, one step) touches little memory.

    `live`: where it is given, only the equations that compute one of these values count.
    """
    return _left(program, _SMALL, live) >= 0


def _left(program: Program, budget: int, live: Container[Var] | None) -> int:
    """Return the rest of a budget after a run; below 0 as soon as it is known to be exceeded."""
    for equation in program.equations:
        if live is not None and not any(output in live for output in equation.outputs):
            continue
        if isinstance(equation.op, StructuredOp):
            for inner in equation.programs():
                budget = _left(inner, budget, live)
        else:
            budget -= equation.op.bytes_touched(equation)
        if budget < 0:
            break
    return budget


def _is_emitted_often(program: Program) -> bool:
    """Return whether XLA would emit a value of the Program, or of a sub-Program, for too many ways of indices."""
    if any(_is_emitted_often(inner) for equation in program.equations for inner in equation.programs()):
        return True
    if 2 ** sum(equation.op.moves_indices for equation in program.equations) <= _MOST_WAYS:
        return False
    start = 0
    ways: dict[Atom, set[int]] = {atom: {start} for atom in program.outputs}
    numbers: dict[tuple[int, int], int] = {}
    for place, equation in reversed(list(enumerate(program.equations))):
        given = set[int]().union(*[ways.get(output, ()) for output in equation.outputs])
        if equation.op.is_materialized:
            given = {start}
        elif equation.op.moves_indices:
            given = {numbers.setdefault((place, way), 1 + len(numbers)) for way in given}
        for atom in equation.inputs:
            found = ways.setdefault(atom, set())
            found |= given
            if len(found) > _MOST_WAYS:
                return True
    return False
