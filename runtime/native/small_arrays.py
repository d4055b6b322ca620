"""Small arrays that loops keep in memory, though they would find room in registers.

An element at a position that is known at run time cannot be picked from registers: each access would bring the whole
array to memory, and each change would bring it back.
"""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.values import is_lazy, is_memory
from anabranch.runtime.ops.indexing import dynamic_update_slice
from anabranch.runtime.ops.structured import StructuredOp, carries
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS


def in_memory(memory: Memory, equation: Equation, names: Sequence[str]) -> list[str]:
    """The names of a loop's operands, of which those are brought to memory that it changes at run-time positions."""
    found = list(names)
    for initial, slot in carries(equation):
        assert slot.operand is not None
        assert slot.formal is not None
        name = names[slot.operand]
        if not 1 < initial.type.size <= MOST_ELEMENTS or is_memory(name) or is_lazy(name):
            continue
        body: Program = equation.params["body"]
        if _changes(body, {body.inputs[slot.formal]}):
            found[slot.operand] = memory.spilled(name, initial.type)
    return found


def _changes(program: Program, own: set[Atom]) -> bool:
    """Return whether an array, which gets all its states, is changed at a position that only a run tells."""
    found = False
    for equation in program.equations:
        if own.isdisjoint(equation.inputs):
            continue
        if isinstance(equation.op, StructuredOp):
            found |= _changes_within(equation, equation.op, own)
        elif equation.op is dynamic_update_slice and equation.inputs[0] in own:
            own.update(equation.outputs)
            found |= any(isinstance(start, Var) for start in equation.inputs[2:])
    return found


def _changes_within(equation: Equation, op: StructuredOp, own: set[Atom]) -> bool:
    found, slots = False, op.slots(equation)
    for program in equation.programs():
        inside: set[Atom] = {
            program.inputs[slot.formal]
            for slot in slots
            if slot.operand is not None and slot.formal is not None and equation.inputs[slot.operand] in own
        }
        found |= _changes(program, inside)
        is_result = any(program is result for result in op.results(equation.params))
        for slot in slots if is_result else ():
            if slot.result is not None and slot.yielded is not None and program.outputs[slot.yielded] in inside:
                own.add(equation.outputs[slot.result])
    return found
