"""Failures in a loop nest: where nothing else is seen of a run that fails, they are ways out of the nest."""

from __future__ import annotations

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.structured import Loop, StructuredOp

CODE = 0


@frozen
class Failure:
    """A place that fails.

    Attributes
    ----------
    choices : tuple of Equation
        Those between what is told of this failure and what was known before, under one predicate.
    """

    choices: tuple[Equation, ...]

    @property
    def predicate(self) -> Atom:
        """The bool that says that it fails."""
        return self.choices[0].inputs[0]


class FailureValues:
    """The values that are the error code, or tell of a failure: each by the number of the output that they lead to.

    There are none where more is seen of a run that fails.
    """

    def __init__(self, program: Program) -> None:
        self._chains: dict[Atom, int] = {}
        self._names: dict[str, int] = {}
        self._choices: dict[Program, dict[Atom, list[Equation]]] = {}
        if program.failures_leave:
            for number, atom in enumerate(program.outputs[program.groups.failures]):
                _Chain(self._chains, number).follow(program, atom)

    def note(self, name: str, var: Var) -> None:
        """Take note that a name is that of a value of the Program."""
        if var in self._chains:
            self._names[name] = self._chains[var]

    def number(self, name: str) -> int | None:
        """The number of the output that the value with a name leads to."""
        return self._names.get(name)

    def is_code(self, atom: Atom) -> bool:
        """Return whether a value is an error code."""
        return self._chains.get(atom) == CODE

    def chain(self, var: Atom) -> int:
        """The number of the output that a value leads to, which is one of these."""
        return self._chains[var]

    def leaves(self, equation: Equation, program: Program) -> bool:
        """Return whether an equation of a Program is a choice between what tells of a failure and what did before."""
        if equation.op is not select:
            return False
        return any(equation is choice for choice in self._choices_of(program).get(equation.inputs[0], ()))

    def at(self, equation: Equation, program: Program) -> Failure | None:
        """The place that fails by an equation of a Program, which is the first of its choices."""
        if equation.op is not select:
            return None
        choices = self._choices_of(program).get(equation.inputs[0], ())
        return Failure(tuple(choices)) if choices and choices[0] is equation else None

    def _choices_of(self, program: Program) -> dict[Atom, list[Equation]]:
        """The choices of failures, by their predicates."""
        if program not in self._choices:
            found: dict[Atom, list[Equation]] = {}
            for equation in program.equations:
                if equation.op is select and equation.outputs[0] in self._chains:
                    found.setdefault(equation.inputs[0], []).append(equation)
            self._choices[program] = {pred: row for pred, row in found.items() if self._sets_code(row)}
        return self._choices[program]

    def _sets_code(self, choices: list[Equation]) -> bool:
        codes = [e.inputs[1] for e in choices if self._chains[e.outputs[0]] == CODE]
        return len(codes) == 1 and isinstance(codes[0], Literal) and bool(codes[0].value)


class _Chain:
    """The walk from an output back through the choices and the control flow that make it."""

    def __init__(self, found: dict[Atom, int], number: int) -> None:
        self._found = found
        self._number = number
        self._makers: dict[Program, dict[Atom, tuple[Equation, int]]] = {}

    def follow(self, program: Program, atom: Atom) -> None:
        """Walk from a value of a Program."""
        pending = [atom]
        while pending:
            atom = pending.pop()
            if isinstance(atom, Literal) or atom in self._found:
                continue
            self._found[atom] = self._number
            equation, place = self._maker(program, atom)
            if equation is None:
                continue
            if equation.op is select:
                pending += equation.inputs[1:]
            elif isinstance(equation.op, StructuredOp):
                pending += self._through(equation, equation.op, place)

    def _maker(self, program: Program, atom: Atom) -> tuple[Equation | None, int]:
        if program not in self._makers:
            self._makers[program] = {v: (e, i) for e in program.equations for i, v in enumerate(e.outputs)}
        return self._makers[program].get(atom, (None, 0))

    def _through(self, equation: Equation, op: StructuredOp, place: int) -> list[Atom]:
        """Walk through control flow; returns the operands that it leads to."""
        slots = op.slots(equation)
        programs = op.results(equation.params)
        for slot in slots:
            if slot.result == place and slot.yielded is not None:
                for program in programs:
                    self.follow(program, program.outputs[slot.yielded])
                    if isinstance(op, Loop) and slot.formal is not None:
                        self.follow(program, program.inputs[slot.formal])
        return [
            equation.inputs[slot.operand]
            for slot in slots
            if slot.operand is not None and slot.formal is not None
            if any(program.inputs[slot.formal] in self._found for program in programs)
        ]
