"""The verifier of Programs, run on every Program in the tests, and the part of it that traces ask for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Equation, Program, Var

_NUMBER = ArrayType((), np.dtype(np.int32))


class MalformedProgramError(AssertionError):
    """A Program that breaks a rule; always a fault of the project's own, never of the user's."""


def check(program: Program) -> None:
    """Raise unless every Var is defined once and before its use, and every equation's types are its op's.

    Raises `MalformedProgramError` with the equation and what is wrong with it.
    """
    defined: set[Var] = set()

    def define(var: Var, where: object) -> None:
        if var in defined:
            raise MalformedProgramError(f"{program.name}: a variable is defined twice, in {where}")
        defined.add(var)

    def use(atom: Atom, where: object) -> None:
        if isinstance(atom, Var) and atom not in defined:
            raise MalformedProgramError(
                f"{program.name}: a variable of {atom.type} is used before it is defined, in {where}"
            )

    for var in program.inputs:
        define(var, "the inputs")
    for equation in program.equations:
        name = equation.op.name
        for atom in equation.inputs:
            use(atom, name)
        for inner in equation.programs():
            check(inner)
        try:
            types = equation.op.type(*(a.type for a in equation.inputs), **equation.params)
        except TypeError as error:
            raise MalformedProgramError(f"{program.name}: {name}: {error}") from error
        given = tuple(v.type for v in equation.outputs)
        if types != given:
            wanted = ", ".join(map(str, types))
            raise MalformedProgramError(f"{program.name}: {name} gives {wanted}, bound to {', '.join(map(str, given))}")
        for var in equation.outputs:
            define(var, name)
    for atom in program.outputs:
        use(atom, "the outputs")
    _check_groups(program)


def _check_groups(program: Program) -> None:
    """Raise unless each output is in one group, in order, and counts and error codes are such."""
    count, end, groups = len(program.outputs), 0, program.groups
    for name, places in groups.named(range(count)):
        if places and places[0] != end:
            raise MalformedProgramError(f"{program.name}: the {name} do not follow the group before")
        end += len(places)
    if end != count:
        raise MalformedProgramError(f"{program.name}: {end} of {count} outputs are in groups")
    for numbers in (program.out_types[groups.effect_count], program.out_types[groups.failures][:1]):
        if numbers not in ((), (_NUMBER,)):
            raise MalformedProgramError(f"{program.name}: {numbers[0]} for a count of effects, or an error code")


def is_closed(equations: Sequence[Equation], inputs: Sequence[Var]) -> bool:
    """Return whether equations read nothing but their inputs and what equations before them make."""
    known = set(inputs)
    for equation in equations:
        if any(isinstance(x, Var) and x not in known for x in equation.inputs):
            return False
        for program in equation.programs():
            inside = {*program.inputs, *(v for e in program.equations for v in e.outputs)}
            if not is_closed(program.equations, program.inputs):
                return False
            if any(isinstance(x, Var) and x not in inside for x in program.outputs):
                return False
        known.update(equation.outputs)
    return True
