"""Small arrays that loops keep in memory, though they would find room in registers.

An element at a position that is known at run time cannot be picked from registers: each access would bring the whole
array to memory, and each change would bring it back.
"""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.native.llvm_types import is_lazy, is_memory
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.ops.indexing import dynamic_slice, dynamic_update_slice
from anabranch.runtime.ops.structured import Loop, StructuredOp
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS


def in_memory(memory: Memory, equation: Equation, names: Sequence[str]) -> list[str]:
    """The names of a loop's operands, of which those are brought to memory that it takes at run-time positions.

    Those are arrays that it changes, and others that it reads.
    """
    found = list(names)
    assert isinstance(equation.op, Loop)
    (body,) = equation.op.results(equation.params)
    for slot in equation.op.slots(equation):
        if slot.operand is None or slot.formal is None or slot.formal >= len(body.inputs):
            continue
        operand, name = equation.inputs[slot.operand], names[slot.operand]
        if not 1 < operand.type.size <= MOST_ELEMENTS or is_memory(name) or is_lazy(name):
            continue
        if not _is_taken(body, {body.inputs[slot.formal]}, dynamic_update_slice if slot.is_carry else dynamic_slice):
            continue
        if isinstance(operand, Literal) and not slot.is_carry:
            found[slot.operand] = memory.constant(operand.value)
        else:
            found[slot.operand] = memory.spilled(name, operand.type)
    return found


def _is_taken(program: Program, own: set[Atom], by: Op) -> bool:
    """Return whether an op takes an array, which gets all its states, at a position that only a run tells."""
    found = False
    for equation in program.equations:
        if own.isdisjoint(equation.inputs):
            continue
        if isinstance(equation.op, StructuredOp):
            found |= _is_taken_within(equation, equation.op, own, by)
        elif equation.op in (dynamic_slice, dynamic_update_slice) and equation.inputs[0] in own:
            own.update(equation.outputs if equation.op is dynamic_update_slice else ())
            starts = equation.inputs[1 if equation.op is dynamic_slice else 2 :]
            found |= equation.op is by and any(isinstance(start, Var) for start in starts)
    return found


def _is_taken_within(equation: Equation, op: StructuredOp, own: set[Atom], by: Op) -> bool:
    found, slots = False, op.slots(equation)
    for program in equation.programs():
        inside: set[Atom] = {
            program.inputs[slot.formal]
            for slot in slots
            if slot.operand is not None and slot.formal is not None and equation.inputs[slot.operand] in own
        }
        found |= _is_taken(program, inside, by)
        is_result = any(program is result for result in op.results(equation.params))
        for slot in slots if is_result else ():
            if slot.result is not None and slot.yielded is not None and program.outputs[slot.yielded] in inside:
                own.add(equation.outputs[slot.result])
    return found
