"""Invariant hoisting: what a loop would compute anew at each step, from all of large arrays, is computed before it.

`b = a[a > 0]` is a under a mask, and `b[i]` reads the position of the element among all positions that the mask
selects. In a loop these are computed once. An elementwise value stays in the loop, where XLA computes only the elements
that are read; it is computed before the loop, too, where something needs all of it there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from anabranch.runtime.ir.op import Work
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, renamed, rewrite
from anabranch.runtime.ops.control import is_pure
from anabranch.runtime.ops.structured import Branches, Loop, StructuredOp, constants

# What reads fewer elements is computed at each step.
_LEAST_ELEMENTS = 17


@in_sub_programs
def hoist_invariants(program: Program) -> Program:
    """The Program with invariant work on large arrays before the loops, also inside sub-Programs."""

    def hoisted(equation: Equation, block: Block) -> Sequence[Atom] | None:
        if not isinstance(equation.op, Loop):
            return None
        changed = _without_invariants(equation, _Before(block), speculates=False)
        if changed is equation:
            return None
        block.append(changed)
        return changed.outputs

    return rewrite(program, hoisted)


class _Scope(Protocol):
    """The surroundings of an equation."""

    block: Block

    def is_invariant(self, atom: Atom) -> bool:
        """Return whether a value can be computed before the loop."""

    def before(self, atom: Atom) -> Atom:
        """The atom that stands for an invariant before the loop."""

    def here(self, value: Atom) -> Atom:
        """The atom that stands for a value from before the loop."""


class _Before:
    """The Program in which the loop stands."""

    def __init__(self, block: Block) -> None:
        self.block = block

    def is_invariant(self, atom: Atom) -> bool:
        return True

    def before(self, atom: Atom) -> Atom:
        return atom

    def here(self, value: Atom) -> Atom:
        return value


def _without_invariants(equation: Equation, scope: _Scope, *, speculates: bool) -> Equation:
    """The equation of control flow, with operands for what its sub-Programs no longer compute."""
    op = equation.op
    assert isinstance(op, StructuredOp)
    first = constants(op.slots(equation))
    read = [(i, a) for i, a in enumerate(equation.inputs[len(op.controls) :][:first]) if scope.is_invariant(a)]
    insides = [
        _Inside(program, {program.inputs[i]: a for i, a in read}, scope, speculates=speculates)
        for program in equation.programs()
    ]
    values = dict.fromkeys(value for inside in insides for value in inside.taken)
    if not values:
        return equation
    programs = [inside.with_inputs(values) for inside in insides]
    return op.with_operands(equation, [scope.here(value) for value in values], programs)


class _Inside:
    """A sub-Program of a loop, or of a branch in one, without what is computed before the loop.

    Parameters
    ----------
    given
        The inputs that are invariant, each with its operand.
    around
        The scope of the equation that has the sub-Program.
    speculates
        It does not run at each step: only what takes one pass over arrays is computed in any case.
    """

    def __init__(self, program: Program, given: Mapping[Var, Atom], around: _Scope, *, speculates: bool) -> None:
        self.program, self.given, self.around, self.block = program, given, around, around.block
        self.speculates = speculates
        self.taken: dict[Atom, Var] = {}  # values from before the loop, and the inputs that they become
        self._before: dict[Atom, Atom] = {}
        self._makers: dict[Atom, Equation] = {}
        self._equations: list[Equation] = []
        for equation in program.equations:
            self._look(equation)

    def with_inputs(self, values: Iterable[Atom]) -> tuple[Program, Sequence[Var]]:
        """The sub-Program that is left, and its inputs for values from before the loop."""
        program = dataclasses.replace(self.program, equations=tuple(self._equations))
        return program, [self.taken.get(value) or Var(value.type) for value in values]

    def is_invariant(self, atom: Atom) -> bool:
        return isinstance(atom, Literal) or any(atom in known for known in (self.given, self._before, self._makers))

    def before(self, atom: Atom) -> Atom:
        if isinstance(atom, Literal):
            return atom
        if atom not in self._before:
            if atom in self.given:
                self._before[atom] = self.around.before(self.given[atom])
            else:
                self._compute(self._makers[atom])
        return self._before[atom]

    def here(self, value: Atom) -> Atom:
        return self.taken.setdefault(value, Var(value.type))

    def _look(self, equation: Equation) -> None:
        """Move an equation before the loop, or leave it."""
        if all(map(self.is_invariant, equation.inputs)) and self._may_move(equation):
            if _takes_long(equation):
                self._compute(equation)
                self.taken.update((self._before[output], output) for output in equation.outputs)
                return
            self._makers.update(dict.fromkeys(equation.outputs, equation))
        elif isinstance(equation.op, Branches):
            equation = _without_invariants(equation, self, speculates=True)
        self._equations.append(equation)

    def _may_move(self, equation: Equation) -> bool:
        return _is_one_pass(equation) if self.speculates else is_pure(equation)

    def _compute(self, equation: Equation) -> None:
        """Add an equation to what is computed before the loop."""
        inputs = tuple(map(self.before, equation.inputs))
        outputs = tuple([Var(v.type) for v in equation.outputs])
        self.block.append(dataclasses.replace(equation, inputs=inputs, outputs=outputs).with_programs(renamed))
        self._before.update(zip(equation.outputs, outputs, strict=True))


def _is_one_pass(equation: Equation) -> bool:
    """Return whether an equation takes little work for each element of its inputs and outputs, and no more."""
    op = equation.op
    if not op.pure or op.whole_work is Work.MUCH or isinstance(op, StructuredOp):
        return False
    return not op.is_elementwise or op.work is Work.LITTLE


def _takes_long(equation: Equation) -> bool:
    """Return whether even one element of the results takes a loop or many elements."""
    if isinstance(equation.op, Loop):
        return True
    if any(True for _ in equation.programs()):
        return any(_takes_long(e) for p in equation.programs() for e in p.equations)
    return equation.op.whole_work is not None and sum(a.type.size for a in equation.inputs) >= _LEAST_ELEMENTS
