"""Propagation of undefined values: large ones become the loop's own carry, or the value of the other branch.

An alternative that is not chosen (the array that an early `return` would give, in every step that does not return) has
an unspecified value. Making one costs a write of the whole array in each step; passing on the carry costs nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.ir.rewrite import substitute
from anabranch.runtime.ops.buffers import undef
from anabranch.runtime.ops.structured import Branches, Loop, carries

# Small ones cost nothing, and are worth more unspecified: a select with one is its other side.
_LEAST_ELEMENTS = 17


def propagate_undef(program: Program) -> Program:
    """The Program with each large unspecified output of a branch or a loop's step replaced, if there is a stand-in."""
    return _filled(program, [None] * len(program.outputs))


def _filled(program: Program, hints: Sequence[Atom | None]) -> Program:
    """The Program in which an unspecified output may be the hint, which is one of the Program's inputs."""
    wanted: dict[Atom, Atom] = {}

    def want(atom: Atom, hint: Atom | None) -> None:
        if isinstance(atom, Var) and hint is not None and atom is not hint and atom.type.size >= _LEAST_ELEMENTS:
            wanted.setdefault(atom, hint)

    for output, hint in zip(program.outputs, hints, strict=True):
        want(output, hint)
    equations: list[Equation] = []
    names: dict[Atom, Atom] = {}
    for equation in reversed(program.equations):
        if equation.op is undef and equation.outputs[0] in wanted:
            names[equation.outputs[0]] = wanted[equation.outputs[0]]
            continue
        if isinstance(equation.op, Branches):
            equation = _branches(equation, [wanted.get(v) for v in equation.outputs])
        elif isinstance(equation.op, Loop):
            for initial, slot in carries(equation):
                want(initial, None if slot.result is None else wanted.get(equation.outputs[slot.result]))
            equation = _loop(equation)
        equations.append(equation)
    return dataclasses.replace(
        program,
        equations=tuple([substitute(e, names) for e in reversed(equations)]),
        outputs=tuple([names.get(a, a) for a in program.outputs]),
    )


def _loop(equation: Equation) -> Equation:
    """A loop whose step passes on the carry in place of an unspecified output."""
    assert isinstance(equation.op, Loop)
    (body,) = equation.op.results(equation.params)
    hints: list[Atom | None] = [None] * len(body.outputs)
    for _, slot in carries(equation):
        if slot.yielded is not None and slot.formal is not None:
            hints[slot.yielded] = body.inputs[slot.formal]
    return equation.with_programs(lambda p: _filled(p, hints) if p is body else propagate_undef(p))


def _branches(equation: Equation, hints: Sequence[Atom | None]) -> Equation:
    """Branches that return the wanted value, or the one that the others pass on, in place of an unspecified output."""
    operands = equation.inputs[1:]
    programs = tuple(equation.programs())
    chosen = [
        (hint or _passed_on(programs, operands, j)) if any(_is_unspecified(p, j) for p in programs) else None
        for j, hint in enumerate(hints)
    ]
    extra = tuple(dict.fromkeys(a for a in chosen if a is not None and a not in operands))
    inputs = (*equation.inputs, *extra)

    def filled(program: Program) -> Program:
        wider = dataclasses.replace(program, inputs=(*program.inputs, *(Var(a.type) for a in extra)))
        inner = dict(zip(inputs[1:], wider.inputs, strict=True))
        return _filled(wider, [None if a is None else inner[a] for a in chosen])

    return dataclasses.replace(equation.with_programs(filled), inputs=inputs)


def _is_unspecified(program: Program, index: int) -> bool:
    """Return whether a path of the Program gives a large unspecified value as this output."""
    return _is_undefined(program.outputs[index], program)


def _is_undefined(value: Atom, program: Program) -> bool:
    if not isinstance(value, Var) or value.type.size < _LEAST_ELEMENTS:
        return False
    for equation in program.equations:
        if value not in equation.outputs:
            continue
        place = equation.outputs.index(value)
        if isinstance(equation.op, Branches):
            return any(_is_unspecified(p, place) for p in equation.programs())
        if isinstance(equation.op, Loop):
            return any(_is_undefined(initial, program) for initial, slot in carries(equation) if slot.result == place)
        return equation.op is undef
    return False


def _passed_on(programs: Sequence[Program], operands: Sequence[Atom], index: int) -> Atom | None:
    """The operand that each branch with a specified value returns as this output, if it is one and the same."""
    given: set[Atom | None] = set()
    for program in programs:
        if not _is_unspecified(program, index):
            names: dict[Atom, Atom] = dict(zip(program.inputs, operands, strict=True))
            given.add(names.get(program.outputs[index]))
    return given.pop() if len(given) == 1 else None
