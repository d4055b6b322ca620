"""Dead code elimination: of equations, results of branches, carries of loops, operands that no sub-Program reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.ops.structured import Slot, StructuredOp
from anabranch.runtime.passes.liveness import live_values


def eliminate_dead_code(program: Program) -> Program:
    """The Program without dead code, also inside sub-Programs."""
    return _narrowed(program, program.inputs, program.outputs, live_values(program))


def _narrowed(program: Program, inputs: Sequence[Var], outputs: Sequence[Atom], live: Container[Var]) -> Program:
    """The Program with these of its inputs and outputs, and the equations that they need."""
    kept = [_narrowed_equation(e, live) for e in program.equations if any(v in live for v in e.outputs)]
    same = len(outputs) == len(program.outputs) and len(inputs) == len(program.inputs)
    same = same and len(kept) == len(program.equations)
    if same and all(a is b for a, b in zip(kept, program.equations, strict=True)):
        return program
    return dataclasses.replace(program, inputs=tuple(inputs), equations=tuple(kept), outputs=tuple(outputs))


def _narrowed_equation(equation: Equation, live: Container[Var]) -> Equation:
    """The equation with narrower sub-Programs, without the slots that nothing needs."""
    op = equation.op
    if not isinstance(op, StructuredOp):
        return equation.with_programs(lambda p: _narrowed(p, p.inputs, p.outputs, live))
    programs, results = tuple(equation.programs()), op.results(equation.params)
    every = op.slots(equation)
    slots = [s for s in every if _is_live(s, equation, programs, live)]
    formals = [s.formal for s in slots if s.formal is not None]
    yields = [s.yielded for s in slots if s.yielded is not None]
    narrowed = []
    for program in programs:
        inputs = [program.inputs[i] for i in formals]
        outputs = [program.outputs[i] for i in yields] if any(program is r for r in results) else program.outputs
        narrowed.append(_narrowed(program, inputs, outputs, live))
    if len(slots) == len(every) and all(a is b for a, b in zip(narrowed, programs, strict=True)):
        return equation
    operands = sorted([*op.controls, *(s.operand for s in slots if s.operand is not None)])
    return dataclasses.replace(
        equation,
        inputs=tuple([equation.inputs[i] for i in operands]),
        outputs=tuple([equation.outputs[s.result] for s in slots if s.result is not None]),
        params=op.rebuilt(equation.params, narrowed, slots),
    )


def _is_live(slot: Slot, equation: Equation, programs: Sequence[Program], live: Container[Var]) -> bool:
    if slot.result is not None:
        return equation.outputs[slot.result] in live
    # An index has no operand, and stays.
    return slot.operand is None or any(p.inputs[slot.formal] in live for p in programs if slot.formal is not None)
