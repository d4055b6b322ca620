"""Loop unrolling: several steps of an elementwise loop over large arrays are one.

`for k in range(n): y = y * x + c[k]` goes through memory in each step. XLA computes several steps in one loop over the
elements, where nothing but elements at one position meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from anabranch.runtime.ir.op import Work
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.control import FOR
from anabranch.runtime.ops.elementwise.arithmetic import add, multiply
from anabranch.runtime.ops.indexing import dynamic_slice
from anabranch.runtime.ops.shape import broadcast_in_dim, reshape, slice_

# Arrays from this size on do not stay in a processor's nearest memory from step to step.
_LARGE = 8 * 1024
# How many steps become one at most, and how many equations their body has then.
_MOST_STEPS, _MOST_EQUATIONS = 10, 70


@in_sub_programs
def unroll_loops(program: Program) -> Program:
    """The Program with loops of fewer and longer steps."""

    def unrolled(equation: Equation, block: Block) -> Sequence[Atom] | None:
        if equation.op is not FOR or not isinstance(equation.inputs[0], Literal):
            return None
        body, length = equation.params["body"], equation.params["length"]
        # With two equations for the index of a step.
        steps = min(_MOST_STEPS, _MOST_EQUATIONS // (len(body.equations) + 2))
        if steps < 2 or length is None or length < steps or int(equation.inputs[0].value) != length:
            return None
        if not _is_elementwise(body, equation.params["consts"], equation.params["carries"]):
            return None
        return _unrolled(equation, block, steps if length > 2 * steps else length)

    return rewrite(program, unrolled)


def _unrolled(loop: Equation, block: Block, steps: int) -> Sequence[Atom]:
    """The results of a loop whose steps are several of the old ones; those that are too many follow it."""
    body, consts, length = loop.params["body"], loop.params["consts"], loop.params["length"]
    fixed, carry = loop.inputs[1 : 1 + consts], loop.inputs[1 + consts :]
    if steps == length:
        return _in_a_row(loop, block, range(length), carry)
    inside, inputs = Block(), [Var(v.type) for v in body.inputs]
    first = inside.emit(multiply, inputs[consts], _number(steps))
    state: Sequence[Atom] = inputs[consts + 1 :]
    for step in range(steps):
        index = inside.emit(add, first, _number(step))
        state = inside.inline(body, [*inputs[:consts], index, *state])
    longer = Program(tuple(inputs), tuple(inside.equations), tuple(state))
    params = {**loop.params, "body": longer, "length": length // steps}
    outputs = tuple([Var(v.type) for v in loop.outputs])
    block.append(Equation(FOR, (_number(length // steps), *fixed, *carry), params, outputs, loop.source))
    return _in_a_row(loop, block, range(length - length % steps, length), outputs)


def _in_a_row(loop: Equation, block: Block, steps: Iterable[int], state: Sequence[Atom]) -> Sequence[Atom]:
    """The carries of a loop after some steps."""
    fixed = loop.inputs[1 : 1 + loop.params["consts"]]
    for step in steps:
        state = block.inline(loop.params["body"], [*fixed, _number(step), *state])
    return state


def _number(value: int) -> Literal:
    return Literal(np.asarray(value, np.int64))


def _is_elementwise(body: Program, consts: int, carries: int) -> bool:
    """Return whether a step changes large arrays, and each element by elements at its position and by numbers."""
    if len(body.inputs) != consts + 1 + carries or len(body.outputs) != carries:
        return False
    fixed = set(body.inputs[:consts])
    return max((v.type.size for v in body.outputs), default=0) >= _LARGE and all(
        _keeps_positions(equation, fixed) for equation in body.equations
    )


def _keeps_positions(equation: Equation, fixed: set[Var]) -> bool:
    op = equation.op
    if op.is_elementwise:
        return op.work is Work.LITTLE
    if op not in (dynamic_slice, slice_, broadcast_in_dim, reshape):
        return False
    moved = equation.inputs[0]
    return moved.type.size == 1 or moved in fixed
