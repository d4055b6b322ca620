"""Forwarding of invariants: readers get the operand that a result of control flow is in any case, and constants.

Where nothing in a loop fails any more, its error code is such a carry, and the loop's condition no longer asks for it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, are_same
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite, substitute, with_equations
from anabranch.runtime.ops.control import FOR_UNTIL
from anabranch.runtime.ops.structured import Branches, Slot, StructuredOp, constants


def forward_invariants(program: Program) -> Program:
    """The Program without carries that no step changes, and without scalar constants as operands of control flow."""
    before = None
    while program is not before:
        before, program = program, _with_constants(_forward_results(program))
    return program


@in_sub_programs
def _forward_results(program: Program) -> Program:
    """The Program without results that are an operand or a constant, whatever control flow does."""
    return rewrite(program, _forwarded)


def _forwarded(equation: Equation, block: Block) -> Sequence[Atom] | None:
    op = equation.op
    if not isinstance(op, StructuredOp):
        return None
    programs, slots = op.results(equation.params), op.slots(equation)
    same: dict[int, Atom] = {}
    for slot in slots:
        found = _invariant(equation, programs, slot)
        if slot.result is not None and found is not None:
            same[slot.result] = found
    if equation.op is FOR_UNTIL:
        same.pop(0, None)  # says whether the loop has stopped
    if not same:
        return None
    read = [Slot(operand=s.operand, formal=s.formal) for s in slots if s.is_carry and s.result in same]
    kept = [s for s in slots if s.result not in same]
    first = constants(kept)
    block.append(op.with_slots(equation, [*kept[:first], *read, *kept[first:]]))
    return [same.get(place, out) for place, out in enumerate(equation.outputs)]


def _invariant(equation: Equation, programs: Sequence[Program], slot: Slot) -> Atom | None:
    """The atom that a result is in any case; None for other results."""
    if slot.yielded is None:
        return None
    given = [p.outputs[slot.yielded] for p in programs]
    if isinstance(equation.op, Branches):
        places = [p.inputs.index(a) if a in p.inputs else None for p, a in zip(programs, given, strict=True)]
        atoms = [a if i is None else equation.inputs[1 + i] for i, a in zip(places, given, strict=True)]
        first = atoms[0] if places[0] is not None or isinstance(given[0], Literal) else None
        return first if all(are_same(first, a) for a in atoms) else None
    if slot.operand is None or slot.formal is None:
        return None
    initial = equation.inputs[slot.operand]
    return initial if given[0] is programs[0].inputs[slot.formal] or are_same(initial, given[0]) else None


def _with_constants(program: Program) -> Program:
    """The Program with scalar constants in sub-Programs where an operand is one, from the outermost inwards."""
    return with_equations(program, [_constants_inside(e) for e in program.equations])


def _constants_inside(equation: Equation) -> Equation:
    op = equation.op
    if not isinstance(op, StructuredOp):
        return equation.with_programs(_with_constants)
    slots, known = op.slots(equation), {}
    for slot in slots:
        if slot.result is None and slot.operand is not None and slot.formal is not None:
            operand = equation.inputs[slot.operand]
            if isinstance(operand, Literal) and not operand.type.shape:
                known[slot.formal] = operand
    if known:
        equation = equation.with_programs(lambda p: _substituted(p, {p.inputs[i]: a for i, a in known.items()}))
        equation = op.with_slots(equation, [s for s in slots if s.formal not in known])
    return equation.with_programs(_with_constants)


def _substituted(program: Program, names: Mapping[Atom, Atom]) -> Program:
    return dataclasses.replace(
        program,
        equations=tuple([substitute(e, names) for e in program.equations]),
        outputs=tuple([names.get(a, a) for a in program.outputs]),
    )
