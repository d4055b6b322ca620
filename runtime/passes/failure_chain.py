"""The chain of a Program's checks: whether each sees the error code that the one before it has set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program
from anabranch.runtime.ops.check import CODE, check
from anabranch.runtime.ops.structured import Branches, Loop, StructuredOp

_FINE = Literal(np.zeros((), CODE.dtype))


class UnchainedError(Exception):
    """Something else than a check sets the error code, as a handler does."""


def is_chained(program: Program) -> bool:
    """Return whether the checks in a Program and its sub-Programs are one chain.

    Where the code after one of them is 0, neither it nor any before it has failed.
    """
    try:
        _Codes(program)
    except UnchainedError:
        return False
    return True


def always_raises(program: Program) -> bool:
    """Return whether a check that fails makes a run raise, so that nothing else of the run is seen."""
    groups = program.groups
    if groups.effects.start != groups.effects.stop or groups.draws.start != groups.draws.stop or not _is_pure(program):
        return False
    codes = program.outputs[program.groups.failures]
    try:
        found = _Codes(program)
    except UnchainedError:
        return False
    return bool(codes) and found.last is not None and found.seen(codes[0]) is found.last


def _is_pure(program: Program) -> bool:
    return all(e.op.pure and all(map(_is_pure, e.programs())) for e in program.equations)


@frozen(eq=False)
class _Link:
    """The error code before and after an equation."""

    before: Atom
    after: Atom


class _Codes:
    """The error codes of one Program: before the first check and after the last, None where there is none.

    Raises `UnchainedError`.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.first: Atom | None = None
        self.last: Atom | None = None
        # Results of control flow that are an operand, whatever it does.
        self._same: dict[Atom, Atom] = {}
        for equation in program.equations:
            link = self._link(equation)
            if link is not None:
                self._follow(link)

    def seen(self, atom: Atom) -> Atom:
        """The value under the name that it had first."""
        return self._same.get(atom, atom)

    def leads(self, place: int, output: int) -> bool:
        """Return whether nothing but checks leads from an input to an output."""
        formal = self.program.inputs[place]
        last = self.last if self.last is not None and self.first is formal else formal
        return self.seen(self.program.outputs[output]) is last

    def begins(self, output: int) -> bool:
        """Return whether an output is the code after the checks, which are the first ones of all."""
        atom = self.seen(self.program.outputs[output])
        begun = atom if self.last is None else self.first
        return isinstance(begun, Literal) and not begun.value and (self.last is None or atom is self.last)

    def _follow(self, link: _Link) -> None:
        before = self.seen(link.before)
        if self.last is None:
            if not (before in self.program.inputs or (isinstance(before, Literal) and not before.value)):
                raise UnchainedError
            self.first = before
        elif before is not self.last:
            raise UnchainedError
        self.last = link.after

    def _link(self, equation: Equation) -> _Link | None:
        """The error codes of an equation; None where nothing fails in it."""
        if equation.op is check:
            return _Link(equation.inputs[0], equation.outputs[0])
        inside = [_Codes(p) for p in equation.programs()]
        op = equation.op
        results = op.results(equation.params) if isinstance(op, StructuredOp) else ()
        # Conditions of loops are no place to fail in.
        if any(c.last is not None and not any(c.program is r for r in results) for c in inside):
            raise UnchainedError
        if not isinstance(op, StructuredOp):
            return None
        return self._through(equation, op, [c for c in inside if any(c.program is r for r in results)])

    def _through(self, equation: Equation, op: StructuredOp, inside: Sequence[_Codes]) -> _Link | None:
        """The error codes before and after control flow, where that of each sub-Program comes from the same operand."""
        failing = [codes for codes in inside if codes.last is not None]
        link: _Link | None = None
        for entry in (slots := op.slots(equation)):
            if entry.operand is None or entry.formal is None or equation.inputs[entry.operand].type != CODE:
                continue
            for slot in [entry] if isinstance(op, Loop) else slots:
                if slot.result is None or slot.yielded is None or equation.outputs[slot.result].type != CODE:
                    continue
                if not all(codes.leads(entry.formal, slot.yielded) for codes in inside):
                    continue
                before, after = equation.inputs[entry.operand], equation.outputs[slot.result]
                if failing and all(codes.first is codes.program.inputs[entry.formal] for codes in failing):
                    link = _Link(before, after)
                elif all(codes.first is not codes.program.inputs[entry.formal] for codes in failing):
                    self._same[after] = self.seen(before)
        if failing and link is None and isinstance(op, Branches):
            for place, after in enumerate(equation.outputs):
                if after.type == CODE and all(codes.begins(place) for codes in inside):
                    link = _Link(_FINE, after)
        if failing and link is None:
            raise UnchainedError
        return link
