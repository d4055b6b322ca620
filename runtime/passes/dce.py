"""Dead code elimination: of equations, results of branches, carries of loops, operands that no sub-Program reads."""

from __future__ import annotations

from collections.abc import Container, Sequence

from anabranch.runtime.ir.program import Equation, Program, Var
from anabranch.runtime.ir.rewrite import with_equations
from anabranch.runtime.ops.structured import Slot, StructuredOp
from anabranch.runtime.passes.liveness import live_values


def eliminate_dead_code(program: Program) -> Program:
    """The Program without dead code, also inside sub-Programs."""
    return _narrowed(program, live_values(program))


def _narrowed(program: Program, live: Container[Var]) -> Program:
    """The Program with the equations that compute live values."""
    needed = (e for e in program.equations if any(v in live for v in e.outputs))
    return with_equations(program, [_narrowed_equation(e, live) for e in needed])


def _narrowed_equation(equation: Equation, live: Container[Var]) -> Equation:
    """The equation with narrower sub-Programs, without the slots that nothing needs."""
    if isinstance(equation.op, StructuredOp):
        programs, every = tuple(equation.programs()), equation.op.slots(equation)
        slots = [s for s in every if _is_live(s, equation, programs, live)]
        if len(slots) < len(every):
            equation = equation.op.with_slots(equation, slots)
    return equation.with_programs(lambda p: _narrowed(p, live))


def _is_live(slot: Slot, equation: Equation, programs: Sequence[Program], live: Container[Var]) -> bool:
    if slot.result is not None:
        return equation.outputs[slot.result] in live
    # An index has no operand, and stays.
    return slot.operand is None or any(p.inputs[slot.formal] in live for p in programs if slot.formal is not None)
