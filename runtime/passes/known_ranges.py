"""Known ranges of the integers and bools of a Program at one point of it, and those that follow from a test there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TypeAlias

import numpy as np

from anabranch.runtime.ir.interval import Interval, exactly
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.control import COND
from anabranch.runtime.ops.elementwise.arithmetic import add, subtract
from anabranch.runtime.ops.elementwise.casts import convert_op, select
from anabranch.runtime.ops.elementwise.comparison import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    not_equal,
)
from anabranch.runtime.ops.elementwise.overflow import Overflow
from anabranch.runtime.ops.shape import reshape
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.passes.counters import Counters
from anabranch.runtime.passes.found_intervals import Intervals, Known
from anabranch.runtime.passes.interval_rules import NO, TRUTH, YES, hull, meet, of_dtype, rule_of, within

# How many definitions back a test is followed, and a refined value.
_DEEPEST = 8
# How many definitions back a side of a choice is computed again.
_SHALLOW = 4
_ZERO = Literal(np.zeros((), np.int64))


class Ranges:
    """Intervals of values, as far as they are narrower than their dtypes, and values that are known not to be 0."""

    def __init__(self, program: Program) -> None:
        self.makers: dict[Var, tuple[Equation, int]] = {}
        self._intervals: dict[Var, Interval] = {}
        self._nonzero: set[Var] = set()
        # What is known of each value that was asked for without looking at the Program: constants, and dtypes.
        self._widest: dict[Atom, Interval | None] = {}
        self.counters = Counters(self)
        self._before: list[_State] | None = None
        self._computed_from: dict[Var, Known] = {}
        # Bools that are assumed to be what the way that a run has taken says.
        self._assumed: set[Var] = set()
        self._define(program)

    def _define(self, program: Program) -> None:
        for equation in program.equations:
            self.makers.update((out, (equation, place)) for place, out in enumerate(equation.outputs))
            for inner in equation.programs():
                self._define(inner)

    def forget(self, values: Iterable[Var]) -> None:
        """Know nothing of these values."""
        for var in values:
            self._intervals.pop(var, None)
            self._nonzero.discard(var)

    def states(self, formals: Iterable[Var]) -> list[tuple[Interval | None, bool]]:
        """The arguments of `bind` with which these would be as they are."""
        intervals, nonzero = self._intervals, self._nonzero
        return [(intervals.get(var), var in nonzero) for var in formals]

    def intervals(self) -> Intervals:
        """All intervals that are narrower than their dtypes; of bools where they are known when they are computed."""
        found = {var: interval for var, interval in self._intervals.items() if var not in self._assumed}
        return Intervals(found, self._computed_from)

    def compute(self, equation: Equation) -> None:
        """Take note of the operands of an equation that is computed now."""
        if equation.op in ASKED_FOR:
            self._computed_from[equation.outputs[0]] = tuple(map(self.of, equation.inputs))

    # ---- single values -----------------------------------------------------------------------------------------------

    def of(self, atom: Atom) -> Interval | None:
        """The interval of a value; None where it is no integer."""
        known = self._intervals.get(atom)  # type: ignore[arg-type]
        if known is not None:
            return known
        try:
            return self._widest[atom]
        except KeyError:
            found = self._widest[atom] = of_dtype(atom.type.dtype) if isinstance(atom, Var) else _constants(atom.value)
            return found

    def define(self, var: Var, interval: Interval | None) -> None:
        """Give a value that is computed now its interval, which may have been wrapped around."""
        self._nonzero.discard(var)
        every = None if interval is None else of_dtype(var.type.dtype)
        if every is None or interval is None or interval.low < every.low or interval.high > every.high:
            self._intervals.pop(var, None)
        else:
            self._intervals[var] = interval

    def bind(self, formal: Var, known: tuple[Interval | None, bool]) -> None:
        """Give an input of a sub-Program what is known of the operand."""
        self.define(formal, known[0])
        if known[1]:
            self._nonzero.add(formal)

    def stands_for(self, formal: Var, operand: Atom) -> None:
        """Give an input of a loop's body what is known of the operand that it is in each step."""
        self.bind(formal, self.known(operand))
        self.counters.stands_for(formal, operand)

    def known(self, atom: Atom) -> tuple[Interval | None, bool]:
        """The arguments of `bind`."""
        return self.of(atom), atom in self._nonzero

    def supposed(self) -> _Supposed:
        """Forget afterwards what is learned within."""
        return _Supposed(self.suppose, self.bind)

    def suppose(self, before: list[_State] | None) -> list[_State] | None:
        """Note here what values are before something is learned of them; returns where that was noted until now."""
        outer, self._before = self._before, before
        return outer

    def _keep(self, var: Var) -> None:
        if self._before is not None:
            self._before.append((var, self._intervals.get(var), var in self._nonzero))

    # ---- what a test decides -----------------------------------------------------------------------------------------

    def decided(self, test: Atom, depth: int = 0) -> Interval:
        """The truth of a test by what is known now, which may be more than when it was computed."""
        known = self.of(test) or TRUTH
        if known != TRUTH or not isinstance(test, Var) or test not in self.makers or depth == _DEEPEST:
            return known
        equation = self.makers[test][0]
        if equation.op in (equal, not_equal) and self._differ(*equation.inputs):
            return NO if equation.op is equal else YES
        if equation.op in _LOGIC:
            inputs: list[Interval | None] = [self.decided(a, depth + 1) for a in equation.inputs]
        elif equation.op in _RELATIONS or isinstance(equation.op, Overflow):
            inputs = [self.of(a) for a in equation.inputs]
        else:
            return known
        rule, intervals = rule_of(equation), [i for i in inputs if i is not None]
        if rule is None or len(intervals) < len(inputs):
            return known
        return rule(equation, intervals) or known

    def _differ(self, a: Atom, b: Atom) -> bool:
        return (a in self._nonzero and self.of(b) == NO) or (b in self._nonzero and self.of(a) == NO)

    def chosen(self, equation: Equation) -> Interval | None:
        """The result of a choice between ints: each side by what its computation makes where it is chosen."""
        pred, *sides = equation.inputs
        known = self.of(pred)
        found = []
        for truth, side in zip((True, False), sides, strict=True):
            if known != (NO if truth else YES):
                with self.supposed():
                    self.assume(pred, truth)
                    found.append(self._computed(side, 0))
        return hull(found)

    def _computed(self, atom: Atom, depth: int) -> Interval | None:
        """The interval of a value by what is known now of the values that it is computed from."""
        known = self.of(atom)
        equation, _ = self.makers.get(atom, (None, 0)) if isinstance(atom, Var) else (None, 0)
        if known is None or equation is None or equation.op not in _COMPUTED or depth == _SHALLOW:
            return known
        rule = rule_of(equation)
        inputs = [one for a in equation.inputs if (one := self._computed(a, depth + 1)) is not None]
        found = rule(equation, inputs) if rule is not None and len(inputs) == len(equation.inputs) else None
        every = of_dtype(atom.type.dtype)
        return known if found is None or every is None or not within(found, every) else meet(known, found)

    # ---- what follows from a test ------------------------------------------------------------------------------------

    def assume(self, test: Atom, truth: bool, depth: int = 0) -> None:
        """Learn from the truth of a test, a bool scalar."""
        if not isinstance(test, Var) or depth == _DEEPEST or test.type.dtype != np.bool_:
            return
        self.refine(test, YES if truth else NO)
        equation, place = self.makers.get(test, (None, 0))
        if equation is None:
            return
        if equation.op is logical_not:
            self.assume(equation.inputs[0], not truth, depth + 1)
        elif equation.op in (logical_and, logical_or):
            self._assume_both(equation, truth, depth + 1)
        elif equation.op in _RELATIONS:
            _RELATIONS[equation.op][0 if truth else 1](self, *equation.inputs)
        elif equation.op is convert_op:
            (self.differ if truth else self.equal)(equation.inputs[0], _ZERO)
        elif equation.op is select or equation.op is COND:
            self._assume_side(equation, place, truth, depth + 1)

    def _assume_both(self, equation: Equation, truth: bool, depth: int) -> None:
        """From `a and b` that holds, or `a or b` that does not; else from one of them where the other is known."""
        one = equation.op is logical_and
        for test, other in (equation.inputs, equation.inputs[::-1]):
            if truth == one or self.decided(other, depth) == (YES if one else NO):
                self.assume(test, truth, depth)

    def _assume_side(self, equation: Equation, place: int, truth: bool, depth: int) -> None:
        """From a choice where only one side can be so."""
        wanted = YES if truth else NO
        pred = equation.inputs[0]
        programs = COND.results(equation.params) if equation.op is COND else ()
        sides = [p.outputs[place] for p in programs] if programs else equation.inputs[1:]
        chosen = self.of(pred)
        able = [
            i
            for i, side in enumerate(sides)
            if chosen != (NO, YES)[i] and ((known := self.of(side)) is None or meet(known, wanted))
        ]
        if len(able) != 1:
            return
        (side,) = able
        self.assume(pred, side == 0, depth)
        self.assume(sides[side], truth, depth)
        if programs:
            for formal, operand in zip(programs[side].inputs, equation.inputs[1:], strict=True):
                if (known := self._intervals.get(formal)) is not None:
                    self.refine(operand, known)

    def refine(self, atom: Atom, interval: Interval, depth: int = 0) -> None:
        """Learn that a value lies in an interval."""
        known = self.of(atom)
        if known is None or not isinstance(atom, Var):
            return
        narrow = meet(known, interval)
        if narrow is None or narrow == known:
            return
        self._keep(atom)
        self._intervals[atom] = narrow
        if atom.type.dtype == np.bool_:
            self._assumed.add(atom)
        equation, _ = self.makers.get(atom, (None, 0))
        if equation is None or depth == _DEEPEST:
            return
        if equation.op in (add, subtract):
            self._refine_terms(equation, narrow, depth + 1)
        elif equation.op in (convert_op, reshape):
            (x,) = equation.inputs
            given, every = self.of(x), of_dtype(atom.type.dtype)
            if given is not None and every is not None and within(given, every) and atom.type.dtype != np.bool_:
                self.refine(x, narrow, depth + 1)
        elif equation.op is select and atom.type.dtype != np.bool_:
            self._refine_chosen(equation, narrow, depth + 1)

    def _refine_chosen(self, equation: Equation, result: Interval, depth: int) -> None:
        """Of a choice between ints of which only one can be so."""
        able = [i for i in (1, 2) if (known := self.of(equation.inputs[i])) is None or meet(known, result)]
        if len(able) == 1:
            # What was chosen before may be what decides this choice.
            self.refine(equation.inputs[able[0]], result, depth)
            self.assume(equation.inputs[0], able == [1], depth)

    def _refine_terms(self, equation: Equation, result: Interval, depth: int) -> None:
        """Of a sum or difference that does not wrap."""
        x, y = equation.inputs
        a, b, every = self.of(x), self.of(y), of_dtype(equation.outputs[0].type.dtype)
        if a is None or b is None or every is None or x.type.dtype.kind == "b":
            return
        if equation.op is add and within(a + b, every):
            self.refine(x, result - b, depth)
            self.refine(y, result - a, depth)
        elif equation.op is subtract and within(a - b, every):
            self.refine(x, result + b, depth)
            self.refine(y, a - result, depth)

    def in_order(self, a: Atom, b: Atom, gap: int) -> None:
        """Learn that `a + gap <= b`."""
        low, high = self.of(a), self.of(b)
        if low is None or high is None:
            return
        self.refine(a, Interval(min(low.low, high.high - gap), high.high - gap))
        self.refine(b, Interval(low.low + gap, max(high.high, low.low + gap)))

    def equal(self, a: Atom, b: Atom) -> None:
        """Learn that two values are equal."""
        x, y = self.of(a), self.of(b)
        if x is not None and y is not None:
            self.refine(a, y)
            self.refine(b, x)

    def differ(self, a: Atom, b: Atom) -> None:
        """Learn that two values are not equal."""
        for x, other in ((a, self.of(b)), (b, self.of(a))):
            known = self.of(x)
            if known is None or other is None or other.low != other.high or not isinstance(x, Var):
                continue
            if other == NO:
                self._keep(x)
                self._nonzero.add(x)
            low, high = known.low + (known.low == other.low), known.high - (known.high == other.low)
            if low <= high:
                self.refine(x, Interval(low, high))


def _constants(values: np.ndarray) -> Interval | None:
    if values.dtype.kind not in "biu" or not values.size:
        return None
    if not values.ndim:
        return exactly(int(values))
    return Interval(int(values.min()), int(values.max()))


ASKED_FOR = frozenset(
    OPS[name] for name in ("left_shift", "right_shift", "floor_divide", "remainder", "fmod", "int_true_divide")
)
_COMPUTED = (add, subtract, OPS["negative"], OPS["floor_divide"])
_LOGIC = (logical_and, logical_or, logical_not)
_Learn: TypeAlias = Callable[[Ranges, Atom, Atom], None]


def _order(gap: int, swapped: bool = False) -> _Learn:
    """From `a + gap <= b`, or from `b + gap <= a`."""
    return lambda ranges, a, b: ranges.in_order(b, a, gap) if swapped else ranges.in_order(a, b, gap)


# By the op of a test: from its truth, and from its untruth.
_RELATIONS: dict[Op, tuple[_Learn, _Learn]] = {
    less: (_order(1), _order(0, swapped=True)),
    less_equal: (_order(0), _order(1, swapped=True)),
    greater: (_order(1, swapped=True), _order(0)),
    greater_equal: (_order(0, swapped=True), _order(1)),
    equal: (Ranges.equal, Ranges.differ),
    not_equal: (Ranges.differ, Ranges.equal),
}


# A value, and what was known of it: the arguments of `bind`.
_State: TypeAlias = tuple[Var, Interval | None, bool]


class _Supposed(AbstractContextManager["_Supposed"]):
    """A block after which what is learned within is forgotten; a generator would take some times as long.

    Parameters
    ----------
    suppose : callable
        Lets what is learned be kept in a list, with what was known before; returns the list that it was kept in.
    bind : callable
        Says again what was known of a value.
    """

    __slots__ = ("_before", "_bind", "_outer", "_suppose")

    def __init__(
        self,
        suppose: Callable[[list[_State] | None], list[_State] | None],
        bind: Callable[[Var, tuple[Interval | None, bool]], None],
    ) -> None:
        self._suppose, self._bind = suppose, bind
        self._before: list[_State] = []

    def __enter__(self) -> _Supposed:
        self._outer = self._suppose(self._before)
        return self

    def is_all(self) -> None:
        """Keep what is learned in the rest of the block."""
        self._suppose(self._outer)

    def __exit__(self, *_: object) -> None:
        for var, interval, nonzero in reversed(self._before):
            self._bind(var, (interval, nonzero))
        self._suppose(self._outer)
