"""Failures in a loop nest: where nothing else is seen of a run that fails, they are ways out of the nest."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Collection, Iterator

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.buffers import materialize
from anabranch.runtime.ops.check import CODE
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.elementwise.comparison import equal, logical_and, not_equal
from anabranch.runtime.ops.structured import Loop, StructuredOp
from anabranch.runtime.passes.found_intervals import Intervals
from anabranch.runtime.passes.range_analysis import ranges_without_failure


@frozen
class Failure:
    """A place that fails."""

    # Those between what is told of this failure and what was known before, under one predicate.
    choices: tuple[Equation, ...]
    # Bools that all hold where it fails. The first is one that several failures have in common: where it does not hold,
    # none of them is asked about.
    conditions: tuple[Atom, ...]


class FailureValues:
    """The values of a Program that are its error code, or tell of a failure.

    There are none where more is seen of a run that fails.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._codes: set[Atom] = set()
        self._values: set[Atom] = set()
        self._places: set[Atom] = set()
        self._choices: dict[Program, dict[Atom, list[Equation]]] = {}
        self._conjunctions: dict[Program, dict[Atom, Equation]] = {}
        self._shared: dict[Program, collections.Counter[Atom]] = {}
        self._predicates: dict[Program, set[Atom]] = {}
        if program.failures_leave:
            code, *told = program.outputs[program.groups.failures]
            chain = _Chain(self._codes)
            chain.follow(program, code)
            self._places = chain.places
            self._values |= self._codes
            for atom in told:
                _Chain(self._values, self._is_at_place).follow(program, atom)

    @functools.cached_property
    def ranges(self) -> Intervals:
        """The intervals of the ints in nests that begin with an error code: none runs where one is set."""
        return ranges_without_failure(self._program, {}, self.leaves, self.is_code)

    @functools.cached_property
    def failed(self) -> frozenset[Atom]:
        """The bools that say that something has failed, also where more is seen of a run that fails."""
        codes = _Chain(set())
        for code in self._program.outputs[self._program.groups.failures][:1]:
            codes.follow(self._program, code)
        return frozenset(_told(self._program, codes.found)) if codes.found else frozenset()

    def is_code(self, atom: Atom) -> bool:
        """Return whether a value is an error code."""
        return atom in self._codes

    def tells(self, atom: Atom) -> bool:
        """Return whether a value is an error code, or told of a failure."""
        return atom in self._values

    def leaves(self, equation: Equation, program: Program) -> bool:
        """Return whether an equation of a Program is a choice between what tells of a failure and what did before."""
        if equation.op is not select:
            return False
        return any(equation is choice for choice in self._choices_of(program).get(equation.inputs[0], ()))

    def chain(self, program: Program, atom: Atom) -> _Chain:
        """The walk back from a value that is an error code, or tells of a failure."""
        chain = _Chain(set(), self._is_at_place)
        chain.follow(program, atom)
        return chain

    def _is_at_place(self, program: Program, equation: Equation) -> bool:
        """Return whether a choice is under the predicate of a place that fails."""
        if program not in self._predicates:
            self._predicates[program] = {
                e.inputs[0] for e in program.equations if e.op is select and e.outputs[0] in self._places
            }
        return equation.inputs[0] in self._predicates[program]

    def at(self, equation: Equation, program: Program) -> Failure | None:
        """The place that fails by an equation of a Program, which is the first of its choices."""
        if equation.op is not select:
            return None
        choices = self._choices_of(program).get(equation.inputs[0], ())
        if not choices or choices[0] is not equation:
            return None
        return Failure(tuple(choices), self._conditions(program, equation.inputs[0]))

    def _conditions(self, program: Program, predicate: Atom) -> tuple[Atom, ...]:
        """The bools that hold where a predicate does: those that begin several predicates, and the rest as one."""
        if program not in self._conjunctions:
            both = [e for e in program.equations if e.op is logical_and]
            self._conjunctions[program] = {e.outputs[0]: e for e in both}
            self._shared[program] = collections.Counter(e.inputs[0] for e in both)
        first = predicate
        while (conjunction := self._conjunctions[program].get(first)) is not None:
            first = conjunction.inputs[0]
            if self._shared[program][first] > 1:
                return first, predicate
        return (predicate,)

    def _choices_of(self, program: Program) -> dict[Atom, list[Equation]]:
        """The choices of failures, by their predicates."""
        if program not in self._choices:
            found: dict[Atom, list[Equation]] = {}
            for equation in program.equations:
                if equation.op is select and equation.outputs[0] in self._values:
                    found.setdefault(equation.inputs[0], []).append(equation)
            self._choices[program] = {pred: row for pred, row in found.items() if self._sets_code(row)}
        return self._choices[program]

    def _sets_code(self, choices: list[Equation]) -> bool:
        codes = [e for e in choices if e.outputs[0] in self._codes]
        return len(codes) == 1 and codes[0].outputs[0] in self._places


def _told(program: Program, codes: Collection[Atom]) -> Iterator[Atom]:
    """The bools in a Program that say that an error code is not 0."""
    for equation in program.equations:
        if equation.op is not_equal and equation.inputs[0] in codes:
            yield equation.outputs[0]
        for inner in equation.programs():
            yield from _told(inner, codes)


class NestFailures:
    """The failures in one nest, and the carries of its outermost loop that tell of them.

    `nest`: the outermost loop.
    """

    def __init__(self, values: FailureValues, nest: Equation) -> None:
        self.values = values
        self._names: dict[str, Var] = {}
        # Whether the nest is left where something fails. Else it goes on, with an error code that is set.
        self.end_the_nest = True
        # The choices that a carry may come of, by the carry's name in a step.
        self._sources: dict[Var, set[Atom]] = {}
        op = nest.op
        assert isinstance(op, Loop)
        (body,) = op.results(nest.params)
        for slot in op.slots(nest):
            if slot.formal is not None and slot.yielded is not None and values.tells(body.inputs[slot.formal]):
                chain = values.chain(body, body.outputs[slot.yielded])
                self._sources[body.inputs[slot.formal]] = chain.found
                self.end_the_nest &= values.is_code(body.inputs[slot.formal]) or self._is_told_at_once(chain)

    def _is_told_at_once(self, chain: _Chain) -> bool:
        """Return whether a carry is what places that fail tell, each where it fails; passes may have joined choices."""
        return all(self.values.leaves(choice, program) for program, choice in chain.choices)

    def at(self, equation: Equation, program: Program) -> Failure | None:
        """The place that fails by an equation of a Program, which is the first of its choices."""
        return self.values.at(equation, program) if self.end_the_nest else None

    def leaves(self, equation: Equation, program: Program) -> bool:
        """Return whether an equation of a Program is a choice that is made by leaving the nest."""
        return self.end_the_nest and self.values.leaves(equation, program)

    def note(self, name: str, var: Var) -> None:
        """Take note that a name is that of a value of the Program."""
        if var in self._sources:
            self._names[name] = var

    def is_code(self, name: str) -> bool:
        """Return whether a carry of the outermost loop is the error code."""
        return name in self._names and self.values.is_code(self._names[name])

    def told(self, failure: Failure, name: str) -> Atom | None:
        """The value of a carry of the outermost loop after a failure; None where that tells nothing in it."""
        sources = self._sources[self._names[name]] if name in self._names else ()
        return next((choice.inputs[1] for choice in failure.choices if choice.outputs[0] in sources), None)


class _Chain:
    """The walk from an output back through the choices and the control flow that make it.

    Parameters
    ----------
    found : set of Atom
        Where the walk has been.
    is_at_place : callable, optional
        Returns whether a choice of a Program is made where a place fails: its first value is what that tells.
    """

    def __init__(
        self, found: set[Atom], is_at_place: Callable[[Program, Equation], bool] = lambda program, equation: False
    ) -> None:
        self.found = found  # the values on the way
        self._is_at_place = is_at_place
        # The error codes after places that fail, which nothing takes back: no choice after them goes another way.
        self.places: set[Atom] = set()
        self.choices: list[tuple[Program, Equation]] = []
        self._makers: dict[Program, dict[Atom, tuple[Equation, int]]] = {}

    def follow(self, program: Program, atom: Atom, certain: bool = True) -> None:
        """Walk from a value of a Program; one is `certain` that is the output in any case."""
        while not (isinstance(atom, Literal) or atom in self.found):
            self.found.add(atom)
            equation, place = self._maker(program, atom)
            if equation is None:
                return
            if equation.op is materialize:
                atom = equation.inputs[place]
                continue
            if equation.op is select:
                self.choices.append((program, equation))
            if equation.op is select and self._fails(program, equation):
                if certain:
                    self.places.add(atom)
            elif equation.op is select:
                certain = False
                if not self._tells(program, equation):
                    self.follow(program, equation.inputs[1], certain)
            elif isinstance(equation.op, StructuredOp):
                for operand in self._through(equation, equation.op, place, certain):
                    self.follow(program, operand, certain)
                return
            else:
                return
            atom = equation.inputs[2]

    def _tells(self, program: Program, equation: Equation) -> bool:
        """Return whether a choice is between what a place tells, by a value of the user's, and what was told before."""
        told, _ = self._maker(program, equation.inputs[1])
        is_joined = told is not None and told.op is select and self._is_at_place(program, told)
        return self._is_at_place(program, equation) and not is_joined

    def _fails(self, program: Program, equation: Equation) -> bool:
        """Return whether a choice sets the error code, where that is 0."""
        pred, number, code = equation.inputs
        if not isinstance(number, Literal) or not number.value or number.type != CODE:
            return False
        if isinstance(code, Literal):
            return not code.value
        return self._holds_if_fine(program, pred, code)

    def _holds_if_fine(self, program: Program, test: Atom, code: Atom) -> bool:
        """Return whether a test, or one of those that it is the conjunction of, is that an error code is 0."""
        equation, _ = self._maker(program, test)
        if equation is None:
            return False
        if equation.op is logical_and:
            return any(self._holds_if_fine(program, each, code) for each in equation.inputs)
        if equation.op is not equal or equation.inputs[0] is not code:
            return False
        zero = equation.inputs[1]
        return isinstance(zero, Literal) and not zero.value.any()

    def _maker(self, program: Program, atom: Atom) -> tuple[Equation | None, int]:
        if program not in self._makers:
            self._makers[program] = {v: (e, i) for e in program.equations for i, v in enumerate(e.outputs)}
        return self._makers[program].get(atom, (None, 0))

    def _through(self, equation: Equation, op: StructuredOp, place: int, certain: bool) -> list[Atom]:
        """Walk through control flow; returns the operands that it leads to."""
        slots = op.slots(equation)
        programs = op.results(equation.params)
        for slot in slots:
            if slot.result == place and slot.yielded is not None:
                for program in programs:
                    self.follow(program, program.outputs[slot.yielded], certain)
                    if isinstance(op, Loop) and slot.formal is not None:
                        self.follow(program, program.inputs[slot.formal], certain)
        return [
            equation.inputs[slot.operand]
            for slot in slots
            if slot.operand is not None and slot.formal is not None
            if any(program.inputs[slot.formal] in self.found for program in programs)
        ]
