"""Range analysis: intervals of the integers and bools of a Program, and which of its checks cannot fail.

Abstract interpretation of the Program and its sub-Programs together: each sweep visits every equation once at most,
with the carries of loops as the sweeps before have left them. The first sweeps widen carries until none changes, the
last ones narrow them again. The number of sweeps has a limit, however deep loops stand within loops, so the time grows
with the size of the Program. A sub-Program in which nothing has changed is left out for as long as its inputs are the
same.

What a check refuses does not hold after it, as far as later checks are concerned: they ask only where nothing has
failed. That needs the checks to be one chain (`failure_chain`); where they are not, checks teach nothing.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from anabranch.runtime.ir.interval import FULL, Interval, exactly
from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.ops.check import check
from anabranch.runtime.ops.control import COND, FOR_UNTIL, SWITCH, WHILE
from anabranch.runtime.ops.elementwise.arithmetic import add, subtract
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.structured import Branches, Loop
from anabranch.runtime.passes.failure_chain import is_chained
from anabranch.runtime.passes.found_intervals import Intervals
from anabranch.runtime.passes.interval_rules import NO, YES, IntervalRule, hull, meet, of_dtype, within
from anabranch.runtime.passes.known_ranges import Ranges
from anabranch.runtime.passes.range_facts import IntCarry, ProgramFacts
from anabranch.runtime.passes.step_bounds import MOST_STEPS, StepBounds, after_steps, most_steps

# Sweeps before carries are widened, before those that still change may be anything, and of narrowing. How often a
# carry is widened before it is to the ends of its dtype.
_PLAIN, _PATIENT, _NARROWING, _MARKED = 2, 12, 3, 2

_Known: TypeAlias = Interval | None


def impossible_failures(program: Program) -> set[Var]:
    """The error codes of the checks whose predicates are false wherever nothing has failed before."""
    return _Analysis(program).run()


# A Program that turns out to have no form as a whole is asked about again, for its loops.
@functools.lru_cache(maxsize=1)
def value_ranges(program: Program) -> Intervals:
    """The intervals of the integers and bools of a Program and its sub-Programs that are narrower than their dtypes."""
    analysis = _Analysis(program)
    analysis.run()
    return analysis.ranges.intervals()


def ranges_without_failure(
    program: Program,
    known: Mapping[Var, Interval],
    leaving: Callable[[Equation, Program], bool],
    is_code: Callable[[Atom], bool],
) -> Intervals:
    """The intervals, where what comes after a failure does not run; those of the inputs are known.

    A Program is asked whether a choice in it is one between what tells of a failure and what was known before, and a
    value whether it is an error code: loops that begin with one do not run where it is set.
    """
    analysis = _Analysis(program, known, leaving, is_code)
    analysis.run()
    return analysis.ranges.intervals()


class _Analysis:
    """The sweeps over one Program."""

    def __init__(
        self,
        program: Program,
        known: Mapping[Var, Interval] = MappingProxyType({}),
        leaving: Callable[[Equation, Program], bool] = lambda _, __: False,
        is_code: Callable[[Atom], bool] = lambda _: False,
    ) -> None:
        self.program, self.known = program, known
        self.leaving, self.is_code = leaving, is_code
        self.ranges = Ranges(program)
        self.chained = is_chained(program)
        self.narrowing = self.changed = False
        self.sweeps = 0
        self.impossible: set[Var] = set()
        # What carries are when a step begins, and what is known of an index after the steps before.
        self.entries: dict[Var, _Known] = {}
        self.indices: dict[Var, Interval] = {}
        self.bounds = StepBounds(self.ranges)
        self._facts = ProgramFacts()
        self._settled: dict[Program, tuple[object, list[tuple[_Known, bool]]]] = {}
        self._visited: set[Program] = set()
        self._widened: collections.Counter[Var] = collections.Counter()

    def run(self) -> set[Var]:
        """The codes of checks that cannot fail."""
        while self._sweep() and self.sweeps <= _PATIENT:
            pass
        if self.changed:
            # Still true of everything, but of little use.
            self.entries = dict.fromkeys(self.entries)
        self.narrowing = True
        for _ in range(_NARROWING):
            if not self._sweep():
                break
        return self.impossible

    def _sweep(self) -> bool:
        self.sweeps += 1
        self.changed = False
        for var in self.program.inputs:
            self.ranges.define(var, self.known.get(var))
        self.bounds = StepBounds(self.ranges)
        self._walk(self.program)
        return self.changed

    def _walk(self, program: Program) -> None:
        """Visit the equations, unless all that they depend on is as it was when nothing in them changed."""
        ranges, facts = self.ranges, self._facts.of(program)
        given = self.narrowing and facts.has_loops, ranges.states(program.inputs), ranges.counters.ends(program.inputs)
        before, left = self._settled.get(program, (None, []))
        if before == given:
            self._bind(program.inputs, left)
            return
        changed, self.changed = self.changed, False
        self._visited.add(program)
        ranges.forget(facts.unset)
        self._visit(facts.steps, program)
        if self.changed:
            self._settled.pop(program, None)
        else:
            # A check teaches something of the inputs for what comes after it.
            self._settled[program] = given, ranges.states(program.inputs)
        self.changed |= changed

    def _leave_out(self, program: Program) -> None:
        """Know nothing of what does not run."""
        if program in self._visited:
            self._visited.remove(program)
            self._settled.pop(program, None)
            self.ranges.forget(program.inputs)
            for equation in program.equations:
                self.ranges.forget(equation.outputs)
                self.impossible.difference_update(equation.outputs)
                for inner in equation.programs():
                    self._leave_out(inner)

    def _visit(self, steps: Sequence[tuple[Equation, IntervalRule | None, list[Atom]]], program: Program) -> None:
        ranges = self.ranges
        of, define = ranges.of, ranges.define
        for equation, rule, integers in steps:
            op = equation.op
            if op is select and self.leaving(equation, program):
                define(equation.outputs[0], of(equation.inputs[2]))
                ranges.assume(equation.inputs[0], False)
            elif op is select and not equation.outputs[0].type.shape:
                define(equation.outputs[0], ranges.chosen(equation))
            elif op is subtract:
                define(equation.outputs[0], ranges.counters.difference(equation))
            elif rule is not None:
                ranges.compute(equation)
                inputs = [known for a in integers if (known := of(a)) is not None]
                found = rule(equation, inputs) if len(inputs) == len(integers) else None
                define(equation.outputs[0], ranges.counters.total(equation, found) if found and op is add else found)
            elif op is check:
                self._check(equation)
            elif isinstance(equation.op, Branches):
                self._branches(equation, equation.op)
            elif isinstance(equation.op, Loop):
                with ranges.supposed() as supposed:
                    for code in filter(self.is_code, equation.inputs):
                        ranges.refine(code, NO)
                    supposed.is_all()
                    (self._while if equation.op is WHILE else self._for)(equation)
            else:
                ranges.compute(equation)

    def _check(self, equation: Equation) -> None:
        code, pred, number, *rest = equation.inputs
        ranges, count = self.ranges, len(rest) // 2
        if ranges.decided(pred) == NO:
            self.impossible.add(equation.outputs[0])
        else:
            self.impossible.discard(equation.outputs[0])
        # Where nothing has failed, the outputs are what they were before.
        fails = [] if self.chained else [number, *rest[:count]]
        for place, (out, before) in enumerate(zip(equation.outputs, [code, *rest[count:]], strict=True)):
            ranges.define(out, hull([ranges.of(a) for a in (before, *fails[place : place + 1])]))
        if self.chained:
            ranges.assume(pred, False)

    def _branches(self, equation: Equation, op: Branches) -> None:
        ranges, chooser = self.ranges, equation.inputs[0]
        programs = op.results(equation.params)
        found: list[list[_Known]] = []
        for place, program in enumerate(programs):
            if not self._may_run(equation, place):
                self._leave_out(program)
                continue
            with ranges.supposed():
                if op is COND:
                    ranges.assume(chooser, place == 0)
                elif op is SWITCH and 0 < place < len(programs) - 1:
                    ranges.refine(chooser, exactly(place))
                known = [ranges.known(a) for a in equation.inputs[1:]]
            self._bind(program.inputs, known)
            self._walk(program)
            found.append([ranges.of(a) for a in program.outputs])
        for place, out in enumerate(equation.outputs):
            ranges.define(out, hull([outputs[place] for outputs in found]))

    def _may_run(self, equation: Equation, place: int) -> bool:
        chooser = self.ranges.of(equation.inputs[0])
        if chooser is None:
            return True
        if equation.op is COND:
            return chooser != (NO if place == 0 else YES)
        last = len(equation.params["branches"]) - 1
        return (place == 0 or chooser.high >= place) and (place == last or chooser.low <= place)

    def _bind(self, formals: Sequence[Var], known: Sequence[tuple[_Known, bool]]) -> None:
        for formal, one in zip(formals, known, strict=True):
            self.ranges.bind(formal, one)

    # ---- loops -------------------------------------------------------------------------------------------------------

    def _begin(self, key: Var, initial: _Known) -> _Known:
        """The interval of a carry when a step begins, whose initial value may have changed since the last sweep."""
        if key not in self.entries:
            self.entries[key] = initial
            self.changed = True
        elif not self.narrowing:
            self._widen(key, initial)
        return self.entries[key]

    def _widen(self, key: Var, found: _Known) -> None:
        """Let a carry be this, too."""
        old, every = self.entries[key], of_dtype(key.type.dtype)
        if old is None or every is None:
            return
        new = every if found is None else old | found
        if new == old:
            return
        self.changed = True
        if self.sweeps > _PLAIN:
            wide = self._marked(key, new, every)
            new = Interval(old.low if new.low == old.low else wide.low, old.high if new.high == old.high else wide.high)
        self.entries[key] = new

    def _marked(self, key: Var, known: Interval, every: Interval) -> Interval:
        """An interval that goes on to what ints are compared with: a test that a loop goes on by may end there.

        To the next of these numbers at first, and to the last one then.
        """
        self._widened[key] += 1
        if self._widened[key] > _MARKED:
            return every
        lows = [mark for mark in self._facts.compared if every.low < mark <= known.low]
        highs = [mark for mark in self._facts.compared if known.high <= mark < every.high]
        low, high = (max, min) if self._widened[key] < _MARKED else (min, max)
        return Interval(low(lows, default=every.low), high(highs, default=every.high))

    def _end(self, key: Var, initial: _Known, after: _Known) -> None:
        """Note what a step leaves."""
        if not self.narrowing:
            self._widen(key, after)
        else:
            self._narrow(key, hull([initial, after]))

    def _narrow(self, key: Var, found: _Known) -> None:
        old = self.entries[key] or of_dtype(key.type.dtype)
        if found is not None and old is not None:
            new = meet(old, found) or old
            self.changed = self.changed or new != self.entries[key]
            self.entries[key] = new

    def _after(self, key: Var, carry: IntCarry, body: Program, steps: int) -> _Known:
        """The interval of a carry after a step; a wider one where it stays within that which the step began with."""
        after, entry = self.ranges.of(carry.after), self.entries[key]
        if not self.narrowing and (entry is None or (after is not None and within(after, entry))):
            return after
        return _narrower(after, self._bound(carry, body, steps))

    def _bound(self, carry: IntCarry, body: Program, steps: int) -> _Known:
        """The interval of a carry after so many steps, where each changes it by no more than a constant."""
        change = self.bounds.change(body, carry.formal, carry.after)
        return after_steps(self.ranges.of(carry.initial), change, steps)

    def _for(self, equation: Equation) -> None:
        ranges, trip, body = self.ranges, equation.inputs[0], equation.params["body"]
        every, trips = self._facts.carries(equation), ranges.of(trip)
        initial = [ranges.of(c.initial) for c in every]
        stops = equation.op is FOR_UNTIL
        results, stacked = list(initial), [s for s in self._facts.slots(equation) if s.operand is None]
        if trips is None or trips.high > 0:
            self._bind_read(equation, body)
            for slot in stacked:
                if slot.formal is not None:
                    self._define_index(body.inputs[slot.formal], trips)
                    ranges.counters.runs_below(body.inputs[slot.formal], trip)
            for carry, before in zip(every, initial, strict=True):
                ranges.define(carry.formal, self._begin(carry.formal, before))
            if stops:
                ranges.define(every[0].formal, NO)
            self._walk(body)
            most = most_steps(trip, ranges)
            for place, (carry, before) in enumerate(zip(every, initial, strict=True)):
                after = ranges.of(carry.after)
                self._end(carry.formal, before, self._after(carry.formal, carry, body, max(most - 1, 0)))
                results[place] = after if trips is not None and trips.low > 0 and not stops else hull([before, after])
                if self.narrowing:
                    self._narrow(carry.formal, self._bound(carry, body, max(most - 1, 0)))
                    results[place] = _narrower(results[place], self._bound(carry, body, most))
            for slot in stacked:
                if slot.formal is not None and (last := ranges.of(body.inputs[slot.formal])) is not None:
                    self._note_index(body.inputs[slot.formal], Interval(0, last.high + 1))
                elif slot.result is not None and slot.yielded is not None:
                    ranges.define(equation.outputs[slot.result], ranges.of(body.outputs[slot.yielded]))
        else:
            self._leave_out(body)
        self._define_results(equation, every, results)

    def _note_index(self, index: Var, known: Interval) -> None:
        """Keep what is known of an index after a step, for the next sweep."""
        self.changed = self.changed or (self.narrowing and self.indices.get(index) != known)
        self.indices[index] = known

    def _define_index(self, index: Var, trips: _Known) -> None:
        """An index follows one for which no check has failed."""
        known = Interval(0, (trips or FULL).high - 1)
        self.ranges.define(index, _narrower(known, self.indices.get(index)) if self.narrowing else known)

    def _while(self, equation: Equation) -> None:
        ranges, test, body = self.ranges, equation.params["test"], equation.params["body"]
        every, (verdict,) = self._facts.carries(equation), test.outputs
        initial = [ranges.of(c.initial) for c in every]
        tested = [test.inputs[c.place] for c in every]
        self._bind_read(equation, test)
        for formal, before in zip(tested, initial, strict=True):
            ranges.define(formal, self._begin(formal, before))
        self._walk(test)
        with ranges.supposed():
            ranges.assume(verdict, False)
            results = [ranges.of(formal) for formal in tested]
        with ranges.supposed():
            ranges.assume(verdict, True)
            known = [ranges.known(formal) for formal in test.inputs]
        if ranges.decided(verdict) != NO:
            self._bind(body.inputs, known)
            # A carry may itself say whether another step runs, and more follows from how it was computed.
            said = next((c for c, formal in zip(every, tested, strict=True) if formal is verdict), None)
            if said is not None:
                for carry, before in zip(every, self._where(said.initial, [c.initial for c in every]), strict=True):
                    entry = self._begin(carry.formal, before)
                    ranges.define(carry.formal, _narrower(ranges.of(carry.formal), entry))
            self._walk(body)
            for carry, formal, before in zip(every, tested, initial, strict=True):
                self._end(formal, before, self._after(formal, carry, body, MOST_STEPS))
                if self.narrowing:
                    self._narrow(formal, self._bound(carry, body, MOST_STEPS))
            if said is not None:
                befores = self._where(said.initial, [c.initial for c in every])
                for carry, before, after in zip(
                    every, befores, self._where(said.after, [c.after for c in every]), strict=True
                ):
                    self._end(carry.formal, before, after)
        else:
            self._leave_out(body)
        self._define_results(equation, every, results)

    def _where(self, test: Atom, values: Sequence[Atom]) -> list[_Known]:
        """The intervals of values where a test holds."""
        with self.ranges.supposed():
            self.ranges.assume(test, True)
            return [self.ranges.of(a) for a in values]

    def _bind_read(self, equation: Equation, program: Program) -> None:
        """Give the inputs that no step changes what is known of the operands; of others nothing is known yet."""
        self.ranges.forget(program.inputs)
        for slot in self._facts.slots(equation):
            if slot.result is None and slot.operand is not None and slot.formal is not None:
                formal, operand = program.inputs[slot.formal], equation.inputs[slot.operand]
                self.ranges.stands_for(formal, operand)

    def _define_results(self, equation: Equation, every: Sequence[IntCarry], results: Sequence[_Known]) -> None:
        for carry, result in zip(every, results, strict=True):
            self.ranges.define(equation.outputs[carry.result], result)


def _narrower(known: _Known, other: _Known) -> _Known:
    """The integers in both intervals; the first interval where there are none, as in code that never runs."""
    return known if known is None or other is None else meet(known, other) or known
