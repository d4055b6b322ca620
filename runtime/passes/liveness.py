"""Liveness: the values of a Program and its sub-Programs that the outputs are computed from.

Failures, writes and the count of effects are outputs.

The live values are found for the Program and all its sub-Programs together, with one worklist: a carry of a loop leads
to what the step computes it from, an input of a branch to the operand. So each value is visited once, however deep
loops stand within loops.
"""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.ops.check import check_of_value
from anabranch.runtime.ops.structured import Slot, StructuredOp


def live_values(program: Program) -> set[Var]:
    """The values that the outputs need; a carry of a loop is among them under each of its names, or under none."""
    return _Liveness(program).values


class _Liveness:
    """The search for live values."""

    def __init__(self, program: Program) -> None:
        self.values: set[Var] = set()
        self._makers: dict[Var, list[tuple[Equation, int]]] = {}
        # Where sub-Programs stand: what their inputs are is known by the equation that holds them.
        self._holders: dict[Var, list[tuple[Equation, int]]] = {}
        self._slots: dict[Equation, _Slots] = {}
        self._walked: set[Program] = set()
        self._live: set[Equation] = set()
        self._pending: list[Atom] = []
        self._checks: dict[Atom, list[Atom]] = {}  # by the values that they are of, their predicates
        self._walk(program)
        self._pending += program.outputs
        while self._pending:
            self._look(self._pending.pop())

    def _walk(self, program: Program) -> None:
        programs = [program]
        for inner in programs:
            if inner in self._walked:
                continue
            self._walked.add(inner)
            for equation in inner.equations:
                if equation.op is check_of_value:
                    self._checks.setdefault(equation.inputs[-1], []).append(equation.inputs[1])
                for place, output in enumerate(equation.outputs):
                    self._makers.setdefault(output, []).append((equation, place))
                for held in equation.programs():
                    programs.append(held)
                    for place, formal in enumerate(held.inputs):
                        self._holders.setdefault(formal, []).append((equation, place))

    def _look(self, atom: Atom) -> None:
        if not isinstance(atom, Var) or atom in self.values:
            return
        self.values.add(atom)
        self._pending += self._checks.get(atom, ())
        for equation, place in self._makers.get(atom, ()):
            if equation not in self._live:
                self._live.add(equation)
                self._pending += self._always(equation)
            if isinstance(equation.op, StructuredOp):
                self._pending += self._slots_of(equation).names(place, result=True)
        for equation, place in self._holders.get(atom, ()):
            if isinstance(equation.op, StructuredOp):
                self._pending += self._slots_of(equation).names(place, result=False)

    def _always(self, equation: Equation) -> Sequence[Atom]:
        """The values that an equation needs whenever it runs."""
        if isinstance(equation.op, StructuredOp):
            return equation.op.deciding(equation)
        if equation.op is check_of_value:
            return (equation.inputs[0], *equation.inputs[2:-1])
        return [*equation.inputs, *(a for p in equation.programs() for a in p.outputs)]

    def _slots_of(self, equation: Equation) -> _Slots:
        if equation not in self._slots:
            self._slots[equation] = _Slots(equation)
        return self._slots[equation]


class _Slots:
    """The slots of one equation by their places."""

    def __init__(self, equation: Equation) -> None:
        assert isinstance(equation.op, StructuredOp)
        self.equation = equation
        self.formals = [program.inputs for program in equation.programs()]
        self.yields = [program.outputs for program in equation.op.results(equation.params)]
        slots = equation.op.slots(equation)
        self.by_result = {s.result: s for s in slots if s.result is not None}
        self.by_formal = {s.formal: s for s in slots if s.formal is not None}

    def names(self, place: int, *, result: bool) -> Sequence[Atom]:
        """The values that are live with a live result, or with a live input of a sub-Program."""
        slot: Slot = (self.by_result if result else self.by_formal)[place]
        found = [] if slot.operand is None else [self.equation.inputs[slot.operand]]
        if slot.is_carry or result:
            found += [outputs[slot.yielded] for outputs in self.yields if slot.yielded is not None]
        if slot.is_carry:
            found += [inputs[slot.formal] for inputs in self.formals if slot.formal is not None]
            if slot.result is not None:
                found.append(self.equation.outputs[slot.result])
        return found
