"""How much memory a Program touches, as far as a choice of lowering needs it."""

from __future__ import annotations

from collections.abc import Container

from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.ops.structured import StructuredOp

# A loop whose step touches at most so many bytes runs fastest as one native loop; beyond that, XLA's kernels, which use
# vector libraries and several threads, win.
_SMALL = 128 * 1024


def is_small(program: Program, live: Container[Var] | None = None) -> bool:
    """Return whether one run of the Program (of a loop's body, one step) touches little memory.

    Parameters
    ----------
    program
    live
        Where it is given, only the equations that compute one of these values count.
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
