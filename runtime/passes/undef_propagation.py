"""Propagation of undefined values: large ones become the loop's own carry, or the value of the other branch.

An alternative that is not chosen (the array that an early `return` would give, in every step that does not return) has
an unspecified value. Making one costs a write of the whole array in each step; passing on the carry costs nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program, Var

# Small ones cost nothing, and are worth more unspecified: a select with one is its other side.
_LEAST_ELEMENTS = 17
_BRANCHES = ("cond", "switch")
_LOOPS = ("while", "for")


def propagate_undef(program: Program) -> Program:
    """The Program with each large unspecified output of a branch or a loop's step replaced, if there is a stand-in."""
    return _filled(program, [None] * len(program.outputs))


def _filled(program: Program, hints: Sequence[Atom | None]) -> Program:
    """The Program in which an unspecified output may be the hint, which is one of the Program's inputs."""
    wanted: dict[Var, Atom] = {}

    def want(atom: Atom, hint: Atom | None) -> None:
        if isinstance(atom, Var) and hint is not None and atom is not hint and atom.type.size >= _LEAST_ELEMENTS:
            wanted.setdefault(atom, hint)

    for output, hint in zip(program.outputs, hints, strict=True):
        want(output, hint)
    equations: list[Equation] = []
    renamed: dict[Var, Atom] = {}
    for equation in reversed(program.equations):
        name = equation.op.name
        if name == "undef" and equation.outputs[0] in wanted:
            renamed[equation.outputs[0]] = wanted[equation.outputs[0]]
            continue
        if name in _BRANCHES:
            equation = _branches(equation, [wanted.get(v) for v in equation.outputs])
        elif name in _LOOPS:
            carries = _carries(equation)
            for init, output in zip(carries, equation.outputs, strict=False):
                want(init, wanted.get(output))
            equation = _loop(equation, len(carries))
        equations.append(equation)
    return dataclasses.replace(
        program,
        equations=tuple(_with_inputs(e, renamed) for e in reversed(equations)),
        outputs=tuple(_renamed(a, renamed) for a in program.outputs),
    )


def _carries(equation: Equation) -> tuple[Atom, ...]:
    """The initial values of a loop's carries."""
    start = equation.params["consts"] + (equation.op.name == "for")
    end = start + equation.params["carries"] if equation.op.name == "for" else None
    return equation.inputs[start:end]


def _loop(equation: Equation, carries: int) -> Equation:
    """A loop whose step passes on the carry in place of an unspecified output."""
    body, consts = equation.params["body"], equation.params["consts"]
    first = consts + (equation.op.name == "for")
    hints = [*body.inputs[first : first + carries], *[None] * (len(body.outputs) - carries)]
    params = {**equation.params, "body": _filled(body, hints)}
    if "test" in params:
        params["test"] = propagate_undef(params["test"])
    return dataclasses.replace(equation, params=params)


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
    filled = []
    for program in programs:
        wider = dataclasses.replace(program, inputs=(*program.inputs, *(Var(a.type) for a in extra)))
        inner = dict(zip(inputs[1:], wider.inputs, strict=True))
        filled.append(_filled(wider, [None if a is None else inner[a] for a in chosen]))
    if equation.op.name == "cond":
        on_true, on_false = filled
        return dataclasses.replace(equation, inputs=inputs, params={"on_true": on_true, "on_false": on_false})
    return dataclasses.replace(equation, inputs=inputs, params={**equation.params, "branches": tuple(filled)})


def _is_unspecified(program: Program, index: int) -> bool:
    """Return whether a path of the Program gives a large unspecified value as this output."""
    output = program.outputs[index]
    if not isinstance(output, Var) or output.type.size < _LEAST_ELEMENTS:
        return False
    for equation in program.equations:
        if output not in equation.outputs:
            continue
        place, name = equation.outputs.index(output), equation.op.name
        if name in _BRANCHES:
            return any(_is_unspecified(p, place) for p in equation.programs())
        if name in _LOOPS:
            carries = _carries(equation)
            return place < len(carries) and _is_unspecified(dataclasses.replace(program, outputs=(carries[place],)), 0)
        return name == "undef"
    return False


def _passed_on(programs: Sequence[Program], operands: Sequence[Atom], index: int) -> Atom | None:
    """The operand that each branch with a specified value returns as this output, if it is one and the same."""
    given: set[Atom | None] = set()
    for program in programs:
        if not _is_unspecified(program, index):
            given.add(dict(zip(program.inputs, operands, strict=True)).get(program.outputs[index]))  # type: ignore[arg-type]
    return given.pop() if len(given) == 1 else None


def _renamed(atom: Atom, names: Mapping[Var, Atom]) -> Atom:
    return names.get(atom, atom) if isinstance(atom, Var) else atom


def _with_inputs(equation: Equation, names: Mapping[Var, Atom]) -> Equation:
    if not any(a in names for a in equation.inputs):
        return equation
    return dataclasses.replace(equation, inputs=tuple(_renamed(a, names) for a in equation.inputs))
