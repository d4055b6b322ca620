"""The parts of Programs that each sweep of the range analysis asks for: equations of ints and bools, loops' carries."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.check import check
from anabranch.runtime.ops.structured import Branches, Loop, Slot, carries
from anabranch.runtime.passes.interval_rules import IntervalRule, rule_of
from anabranch.runtime.passes.known_ranges import ASKED_FOR

_LARGE = 2**32


@frozen(eq=False)
class Facts:
    """The equations of a Program that matter here."""

    # Those with integers, bools or sub-Programs, with the rules of those that have one, and their inputs that are
    # integers or bools.
    steps: list[tuple[Equation, IntervalRule | None, list[Atom]]]
    unset: list[Var]  # the values that no step is sure to define
    has_loops: bool  # whether one of them, or of the sub-Programs', is a loop


@frozen(eq=False)
class IntCarry:
    """A carry of a loop."""

    initial: Atom
    place: int  # among the inputs of the sub-Programs
    result: int
    formal: Var  # of the body
    after: Atom


class ProgramFacts:
    """The facts of a Program and its sub-Programs, found once."""

    def __init__(self) -> None:
        self.compared: set[int] = set()  # the constants that ints are compared with, as the sizes of arrays
        self._facts: dict[Program, Facts] = {}
        self._loops: dict[Equation, tuple[Sequence[Slot], Sequence[IntCarry]]] = {}

    def of(self, program: Program) -> Facts:
        """Those of a Program, which live as long as it does."""
        if program not in self._facts:
            steps: list[tuple[Equation, IntervalRule | None, list[Atom]]] = []
            unset: list[Var] = []
            has_loops = False
            for equation in program.equations:
                rule = rule_of(equation) if len(equation.outputs) == 1 else None
                is_structured = isinstance(equation.op, Branches | Loop)
                if rule is not None and equation.outputs[0].type.dtype == bool:
                    self.compared.update(_whole_numbers(equation))
                if rule is not None or equation.op is check or is_structured or equation.op in ASKED_FOR:
                    steps.append((equation, rule, [a for a in equation.inputs if a.type.dtype.kind in "biu"]))
                if is_structured or (rule is None and equation.op is not check):
                    unset += [out for out in equation.outputs if out.type.dtype.kind in "biu"]
                has_loops |= isinstance(equation.op, Loop) or any(
                    self.of(inner).has_loops for inner in equation.programs()
                )
            self._facts[program] = Facts(steps, unset, has_loops)
        return self._facts[program]

    def slots(self, equation: Equation) -> Sequence[Slot]:
        """The slots of a loop."""
        return self._loop(equation)[0]

    def carries(self, equation: Equation) -> Sequence[IntCarry]:
        """The carries of a loop that are integers or bools."""
        return self._loop(equation)[1]

    def _loop(self, equation: Equation) -> tuple[Sequence[Slot], Sequence[IntCarry]]:
        known = self._loops.get(equation)
        if known is None:
            assert isinstance(equation.op, Loop)
            slots, (body,) = equation.op.slots(equation), equation.op.results(equation.params)
            known = self._loops[equation] = (
                slots,
                [
                    IntCarry(initial, slot.formal, slot.result, body.inputs[slot.formal], body.outputs[slot.yielded])
                    for initial, slot in carries(equation)
                    if slot.formal is not None and slot.result is not None and slot.yielded is not None
                    if initial.type.dtype.kind in "biu"
                ],
            )
        return known


def _whole_numbers(equation: Equation) -> list[int]:
    """The constants among an equation's inputs that may be the size of an array, or its negative."""
    literals = [a for a in equation.inputs if isinstance(a, Literal) and not a.type.shape]
    return [int(a.value) for a in literals if a.type.dtype.kind in "iu" and abs(int(a.value)) < _LARGE]
