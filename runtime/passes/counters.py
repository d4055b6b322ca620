"""Sums and differences of loops' counters: where one ends bounds what it is added to, and what it is taken from.

`for i in range(a, b)` has a counter from 0 to `b - a`, which is added to `a`: the sum is less than `b`, of which more
may be known than of the difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom, Equation, Literal, Var
from anabranch.runtime.ops.elementwise.arithmetic import add, subtract
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.passes.interval_rules import of_dtype, within

if TYPE_CHECKING:
    from anabranch.runtime.passes.known_ranges import Ranges

# How many definitions back a sum is followed.
_DEEPEST: Final = 8


@frozen
class _End:
    """The end that a counter counts up to: its sum with `start + more` is `last` at most."""

    start: Atom
    more: int
    last: int


class Counters:
    """The counters of the loops that are looked through, and what is known of values by them."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges
        # The operands that inputs of sub-Programs stand for in each step, the trip counts that indices are below, and
        # what they count up to.
        self._operands: dict[Var, Atom] = {}
        self._trips: dict[Var, Atom] = {}
        self._ends: dict[Var, _End | None] = {}

    def stands_for(self, formal: Var, operand: Atom) -> None:
        """Take note that an input of a loop's body is this operand in each step."""
        self._operands[formal] = operand

    def runs_below(self, index: Var, trip: Atom) -> None:
        """Take note of the trip count of a loop, which the index is less than in each step."""
        self._trips[index] = trip
        self._ends[index] = self._end(trip)

    def ends(self, values: Iterable[Var]) -> list[_End | None]:
        """The ends that indices among these values count up to."""
        found = [self._made_by(var)[0] for var in values]
        return [self._ends.get(atom) if isinstance(atom, Var) else None for atom in found]

    def _end(self, trip: Atom) -> _End | None:
        """The end that a loop counts up to whose trip count is the difference of two numbers, or 0."""
        ranges = self._ranges
        with ranges.supposed():
            # Of two numbers that are the same but for wrapping around, both of which lie in the dtype.
            difference, beyond = self._sum(self._positive(trip, is_assumed=True), may_wrap=True)
            _, equation = self._made_by(difference)
            if equation is None or equation.op is not subtract or equation.outputs[0].type.shape:
                return None
            stop, start = equation.inputs
            a, b, every = ranges.of(stop), ranges.of(start), of_dtype(difference.type.dtype)
            if a is None or b is None or every is None or difference.type.dtype.kind == "b":
                return None
            if not within(a - b, every) or not within(a - b + Interval(beyond, beyond), every):
                return None
            return _End(*self._sum(start), a.high + beyond - 1)

    def total(self, equation: Equation, found: Interval) -> Interval:
        """The result of a sum, by what its operands' intervals make and by what a counter is added to."""
        for x, y in (equation.inputs, equation.inputs[::-1]):
            counter, ahead = self._sum(y)
            end = self._ends.get(counter) if isinstance(counter, Var) else None
            if end is None:
                continue
            base, more = self._sum(x)
            if base is end.start:
                last = end.last + ahead + more - end.more
                return Interval(found.low, max(found.low, min(found.high, last)))
        return found

    def difference(self, equation: Equation) -> Interval | None:
        """The result of a difference, by what is known of its operands and of a counter less what it counts up to."""
        x, y = equation.inputs
        a, b = self._ranges.of(x), self._ranges.of(y)
        if a is None or b is None or x.type.dtype.kind == "b":
            return None
        found = a - b
        (base, more), (counter, ahead) = self._sum(x), self._sum(y)
        if isinstance(counter, Var) and counter in self._trips:
            end, beyond = self._sum(self._positive(self._trips[counter]))
            if end is base:
                least = more - ahead - beyond + 1
                return Interval(min(max(found.low, least), found.high), found.high)
        return found

    def _sum(self, atom: Atom, may_wrap: bool = False) -> tuple[Atom, int]:
        """A value and a constant whose sum a value is, which may have been wrapped around."""
        total = 0
        for _ in range(_DEEPEST):
            atom, equation = self._made_by(atom)
            if equation is None or equation.op not in (add, subtract) or equation.outputs[0].type.shape:
                break
            x, y = equation.inputs
            if equation.op is add and isinstance(x, Literal):
                x, y = y, x
            known, every = self._ranges.of(x), of_dtype(atom.type.dtype)
            if not isinstance(y, Literal) or known is None or every is None or x.type.dtype.kind == "b":
                break
            by = int(y.value) if equation.op is add else -int(y.value)
            if not may_wrap and not within(known + Interval(by, by), every):
                break
            atom, total = x, total + by
        return atom, total

    def _made_by(self, atom: Atom) -> tuple[Atom, Equation | None]:
        """A value as it is called outside of the loops that only read it, and the equation that makes it."""
        while isinstance(atom, Var) and atom in self._operands:
            atom = self._operands[atom]
        equation, _ = self._ranges.makers.get(atom, (None, 0)) if isinstance(atom, Var) else (None, 0)
        return atom, equation

    def _positive(self, trip: Atom, is_assumed: bool = False) -> Atom:
        """The value that a trip count is where it is more than 0, which may be learned from."""
        trip, equation = self._made_by(trip)
        if equation is not None and equation.op is select:
            one, other = equation.inputs[1:]
            if isinstance(one, Literal) and not one.value.any():
                if is_assumed:
                    self._ranges.assume(equation.inputs[0], False)
                return other
        return trip
