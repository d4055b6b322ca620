"""Window formation: comparisons of positions with a scalar become windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.elementwise.arithmetic import add
from anabranch.runtime.ops.elementwise.comparison import greater, greater_equal, less, less_equal, minimum
from anabranch.runtime.ops.window import window
from anabranch.runtime.passes.def_use import DefUse

# Comparisons of a position with a scalar: whether that is the low bound, and what is added to it; then with the sides
# changed.
_BOUNDS: Mapping[Op, tuple[bool, int]] = {
    greater_equal: (True, 0),
    greater: (True, 1),
    less: (False, 0),
    less_equal: (False, 1),
}
_MIRRORED: Mapping[Op, Op] = {greater_equal: less_equal, greater: less, less: greater, less_equal: greater_equal}


@in_sub_programs
def form_windows(program: Program) -> Program:
    """The Program with windows in place of masks that compare positions with a scalar, also inside sub-Programs."""
    defs = DefUse(program)

    def formed(equation: Equation, block: Block) -> Sequence[Atom] | None:
        op = equation.op
        if op not in _BOUNDS:
            return None
        positions, line = equation.inputs
        if defs.axis_of_positions(positions) is None:
            positions, line, op = line, positions, _MIRRORED[op]
        axis, scalar = defs.axis_of_positions(positions), defs.uniform(line)
        if axis is None or scalar is None or scalar.type.dtype != np.int64:
            return None
        shape = equation.outputs[0].type.shape
        is_low, offset = _BOUNDS[op]
        bound, end = scalar, Literal(np.asarray(shape[axis]))
        if offset:
            # No bound is of use beyond the axis; the greatest of all integers has none after it.
            bound = block.emit(minimum, bound, end, source=equation.source)
            bound = block.emit(add, bound, Literal(np.asarray(offset)), source=equation.source)
        bounds = (bound, end) if is_low else (Literal(np.asarray(0)), bound)
        return [block.emit(window, *bounds, source=equation.source, shape=shape, axis=axis)]

    return rewrite(program, formed)


def has_no_windows_to_form(program: Program) -> bool:
    """Return whether no mask is left that compares positions with a scalar."""
    return form_windows(program) is program
