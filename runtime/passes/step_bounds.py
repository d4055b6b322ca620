"""By how much one step of a loop changes a carry: a count that grows by one is bounded by the number of steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interval import Interval, exactly
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.control import For
from anabranch.runtime.ops.elementwise.arithmetic import add, subtract
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.structured import Branches, Loop, carries
from anabranch.runtime.passes.interval_rules import NO, hull
from anabranch.runtime.passes.known_ranges import Ranges

_INT64 = ArrayType((), np.dtype(np.int64))
# All loops together take no more steps: at a step per nanosecond this takes 36 years.
MOST_STEPS = 2**60


@frozen
class Change:
    """The change that a step of a loop makes."""

    each: Interval  # in each step
    # In all steps together beside that, by loops in them of which it is not known how many steps they take.
    in_all: Interval = NO
    # The numbers that may take the carry's place, whatever that was: a run of equal elements begins again at 1.
    anew: Interval | None = None

    def __add__(self, other: Change) -> Change:
        anew = [other.anew] if other.anew is not None else []
        if self.anew is not None:
            anew.append(self.anew + other.each)
        return Change(self.each + other.each, self.in_all + other.in_all, hull(anew))

    def after(self, steps: int) -> Change:
        """The change that a loop of so many such steps makes, or of fewer."""
        found = Interval(min(0, self.each.low * steps), max(0, self.each.high * steps))
        in_all, anew = self.in_all, None if self.anew is None else self.anew + found
        return Change(found, in_all, anew) if steps < MOST_STEPS else Change(NO, found + in_all, anew)


_NO_CHANGE = Change(NO)


def most_steps(trip: Atom, ranges: Ranges) -> int:
    """The most steps that a `for` runs."""
    known = ranges.of(trip)
    most = MOST_STEPS if known is None else max(known.high, 0)
    return most if isinstance(trip, Literal) else min(most, MOST_STEPS)


def after_steps(initial: Interval | None, change: Change | None, steps: int) -> Interval | None:
    """The interval of a carry after so many steps or fewer, none of which it was wrapped in; None where it may be."""
    if initial is None or change is None:
        return None
    made = change.after(steps)
    found = hull([initial + made.each] if made.anew is None else [initial + made.each, made.anew])
    found = None if found is None else found + made.in_all
    return found if found is not None and found.fits else None


class _Scope:
    """The knowledge of the values of one Program: of a loop's body, or of a branch in it."""

    def __init__(
        self,
        known: dict[Atom, Change | None],
        outputs: tuple[Atom, ...] = (),
        operands: Mapping[Atom, Atom] = MappingProxyType({}),
        outer: _Scope | None = None,
    ) -> None:
        # `known`: the values less the carry; None where that does not follow from anything.
        # `outputs`: those of a branch.
        # `operands`: what the inputs of a branch stand for, in the scope around it.
        # `outer`: that scope.
        self.known, self.outputs, self.operands, self.outer = known, outputs, operands, outer
        self._branches: dict[Equation, list[_Scope]] = {}

    def branches(self, equation: Equation) -> list[_Scope]:
        """The scopes of a choice's branches, the same ones for each of its results."""
        if equation not in self._branches:
            assert isinstance(equation.op, Branches)
            self._branches[equation] = [
                _Scope({}, program.outputs, dict(zip(program.inputs, equation.inputs[1:], strict=True)), self)
                for program in equation.op.results(equation.params)
            ]
        return self._branches[equation]


class StepBounds:
    """The changes that the steps of loops make, by what is known of a Program's values."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges
        self._changes: dict[Var, Change | None] = {}

    def change(self, body: Program, formal: Var, after: Atom) -> Change | None:
        """The change of a carry in a step, modulo the width of its dtype; None for other carries."""
        if formal.type != _INT64:
            return None
        if formal not in self._changes:
            self._changes[formal] = self._difference(after, _Scope({formal: _NO_CHANGE}))
        return self._changes[formal]

    def _difference(self, atom: Atom, scope: _Scope) -> Change | None:
        """A value less the carry, where that follows from the values for which it is known."""
        known = scope.known
        if atom not in known:
            known[atom] = None
            known[atom] = self._computed(atom, scope)
        return known[atom]

    def _computed(self, atom: Atom, scope: _Scope) -> Change | None:
        if not isinstance(atom, Var):
            return None
        if scope.outer is not None and atom in scope.operands:
            return self._difference(scope.operands[atom], scope.outer)
        if atom not in self._ranges.makers:
            return None
        equation, place = self._ranges.makers[atom]
        if equation.op in (add, subtract):
            x, y = equation.inputs
            base, other = self._difference(x, scope), self._ranges.of(y)
            if base is not None and other is not None:
                return base + Change(other if equation.op is add else NO - other)
            base, other = self._difference(y, scope), self._ranges.of(x)
            return base + Change(other) if equation.op is add and base is not None and other is not None else None
        if equation.op is select:
            return _either([self._way(a, scope) for a in equation.inputs[1:]])
        if isinstance(equation.op, Branches):
            return _either([self._way(s.outputs[place], s) for s in scope.branches(equation)])
        return self._after_loop(equation, place, scope) if isinstance(equation.op, Loop) else None

    def _way(self, atom: Atom, scope: _Scope) -> Change | None:
        """The same where it may be a constant as well, one way of several."""
        if isinstance(atom, Literal) and atom.type == _INT64:
            return Change(NO, NO, exactly(int(atom.value)))
        return self._difference(atom, scope)

    def _after_loop(self, equation: Equation, place: int, scope: _Scope) -> Change | None:
        assert isinstance(equation.op, Loop)
        (body,) = equation.op.results(equation.params)
        for initial, slot in carries(equation):
            if slot.result != place or slot.formal is None or slot.yielded is None:
                continue
            before = self._difference(initial, scope)
            change = self.change(body, body.inputs[slot.formal], body.outputs[slot.yielded])
            if before is None or change is None:
                return None
            steps = most_steps(equation.inputs[0], self._ranges) if isinstance(equation.op, For) else MOST_STEPS
            return before + change.after(steps)
        return None


def _either(found: Sequence[Change | None]) -> Change | None:
    """All that one of the changes may be; None where one is not known."""
    known = [one for one in found if one is not None]
    each, in_all = hull([one.each for one in known]), hull([one.in_all for one in known])
    anew = hull([one.anew for one in known if one.anew is not None])
    return None if each is None or in_all is None or len(known) < len(found) else Change(each, in_all | NO, anew)
