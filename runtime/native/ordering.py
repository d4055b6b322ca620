"""The order of a Program's equations in which what reads an array comes before what writes to its memory."""

from __future__ import annotations

import collections
from collections.abc import Iterator, Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.ops.structured import Loop, StructuredOp

_OF_ANGLES = ("sin", "cos")


def written_inputs(equation: Equation) -> list[Var]:
    """The arrays among an equation's inputs whose memory it may write to."""
    op = equation.op
    if op.overwritten is not None:
        return [*_arrays([equation.inputs[op.overwritten]])]
    if not isinstance(op, StructuredOp):
        return []
    found: list[Var] = []
    # Once for each sub-Program, and not for each of its inputs: these hold others.
    programs = [(program, _written_formals(program)) for program in op.results(equation.params)]
    for slot in op.slots(equation):
        if slot.operand is None or slot.formal is None:
            continue
        for program, written in programs:
            formal = program.inputs[slot.formal]
            moved = isinstance(op, Loop) and slot.yielded is not None and program.outputs[slot.yielded] is not formal
            if moved or formal in written:
                found += _arrays([equation.inputs[slot.operand]])
                break
    return found


def _arrays(atoms: list[Atom]) -> Iterator[Var]:
    return (a for a in atoms if isinstance(a, Var) and a.type.size > 1)


def _written_formals(program: Program) -> set[Var]:
    """The arrays among a Program's inputs whose memory an equation may write to."""
    formals: dict[Atom, Var] = {v: v for v in _arrays([*program.inputs])}
    found: set[Var] = set()
    for equation in program.equations:
        found.update(formals[v] for v in written_inputs(equation) if v in formals)
        if equation.op.is_view and equation.inputs[0] in formals:
            formals.update(dict.fromkeys(equation.outputs, formals[equation.inputs[0]]))
    return found


def ordered(program: Program) -> list[Equation]:
    """The equations, each after those that it needs, and where that is possible after all that read what it writes."""
    if not any(written_inputs(e) for e in program.equations):
        return _paired(program.equations)
    return _paired(_Ordering(program).run())


def _paired(equations: Sequence[Equation]) -> list[Equation]:
    """The equations with the sine and the cosine of a number side by side: LLVM has one call for both."""
    angles: dict[Atom, list[Equation]] = {}
    for equation in equations:
        if equation.op.name in _OF_ANGLES and equation.outputs[0].type.size == 1:
            angles.setdefault(equation.inputs[0], []).append(equation)
    found: dict[Equation, None] = {}
    for equation in equations:
        pair = angles.get(equation.inputs[0], ()) if equation.op.name in _OF_ANGLES else ()
        found |= dict.fromkeys([equation, *pair])
    return list(found)


class _Ordering:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._made = {v: i for i, e in enumerate(program.equations) for v in e.outputs}
        self._readers: dict[Var, list[int]] = {}
        for i, equation in enumerate(program.equations):
            for atom in equation.inputs:
                if isinstance(atom, Var):
                    self._readers.setdefault(atom, []).append(i)
        self._done: dict[int, bool] = {}  # False while the equations before it are placed
        self._order: list[Equation] = []

    def run(self) -> list[Equation]:
        for i in range(len(self._program.equations)):
            self._place(i)
        return self._order

    def _place(self, i: int) -> None:
        if i in self._done:
            return
        self._done[i] = False
        equation = self._program.equations[i]
        for atom in equation.inputs:
            if isinstance(atom, Var) and atom in self._made:
                self._place(self._made[atom])
        for written in written_inputs(equation):
            for reader in self._readers_of(written):
                if reader != i and not self._waits(reader):
                    self._place(reader)
        self._done[i] = True
        self._order.append(equation)

    def _readers_of(self, var: Var) -> list[int]:
        found = list(self._readers.get(var, ()))
        for reader in self._readers.get(var, ()):
            equation = self._program.equations[reader]
            if equation.op.is_view:
                for output in equation.outputs:
                    found += self._readers_of(output)
        return found

    def _waits(self, reader: int) -> bool:
        """Return whether an equation needs, directly or through others, a result of one that is being placed."""
        pending, seen = [reader], {reader}
        while pending:
            for atom in self._program.equations[pending.pop()].inputs:
                made = self._made.get(atom) if isinstance(atom, Var) else None
                if made is None or made in seen:
                    continue
                if self._done.get(made) is False:
                    return True
                if made not in self._done:
                    seen.add(made)
                    pending.append(made)
        return False


class LastUses:
    """The arrays in memory that are needed after each equation of a Program.

    `equations` and `outputs`: the Program's.
    """

    def __init__(self, equations: Sequence[Equation], outputs: Sequence[Atom]) -> None:
        self._last: dict[Atom, int] = {a: i for i, e in enumerate(equations) for a in e.inputs}
        self._last |= dict.fromkeys(outputs, len(equations))
        self._until: dict[int, int] = {}
        self._counts = collections.Counter([*(a for e in equations for a in e.inputs), *outputs])

    def count(self, var: Var) -> int:
        """The number of uses of a value."""
        return self._counts[var]

    def note(self, place: int, var: Var) -> None:
        """Take note of the array that a value is in."""
        self._until[place] = max(self._until.get(place, -1), self._last.get(var, -1))

    def after(self, equation: int) -> frozenset[int]:
        """The arrays that are needed after an equation."""
        return frozenset(place for place, last in self._until.items() if last > equation)
