"""Simplification of selects of scalars.

Small branches in a row, and failures in a row, leave chains of selects in which one value stands on several sides: the
exit that was taken, what a name holds by then. XLA's analysis of signs visits both sides of a select, so each link of
such a chain would double the time that it takes to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, SourceLocation, Var, are_same
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.elementwise.comparison import equal, logical_and, logical_not, logical_or


@in_sub_programs
def simplify_selects(program: Program) -> Program:
    """The Program with selects of scalars that read no value twice, also inside sub-Programs."""
    simplifier = _SelectSimplifier()
    return rewrite(program, simplifier.rule)


# How many selects are looked at for a value that both sides of another one may be.
_WIDEST = 64
# What else uses the selects on the way keeps them: there may be twice as many equations as before, and so many more.
_SPARE = 32


class _SelectSimplifier:
    """One Program under way: the scalars computed so far."""

    def __init__(self) -> None:
        self._block = Block()
        self._made: dict[Atom, Equation] = {}  # scalars, by the output
        self._source: SourceLocation | None = None
        self._seen = 0

    def rule(self, equation: Equation, block: Block) -> list[Atom] | None:
        """The value that stands for a scalar choice, negation, conjunction or comparison."""
        self._seen += 1
        self._block, self._source = block, equation.source
        rule = _RULES.get(equation.op)
        if rule is None or equation.outputs[0].type.shape or not _is_logic(equation):
            return None
        found = rule(self, *equation.inputs)
        if found is None and equation.op in _LOOKED_AT:
            self._made[equation.outputs[0]] = equation
        return None if found is None else [found]

    def select(self, pred: Atom, a: Atom, b: Atom) -> Atom:
        """`a if pred else b`, in which no choice that both sides may be is asked for twice."""
        while (again := self._simpler(pred, a, b)) is not None:
            if len(again) == 1:
                return again[0]
            pred, a, b = again
        if a.type.dtype == np.bool_ and isinstance(a, Literal) and isinstance(b, Literal):
            return pred if a.value else self.negation(pred)
        return self._emit(select, pred, a, b)

    def _simpler(self, pred: Atom, a: Atom, b: Atom) -> tuple[Atom] | tuple[Atom, Atom, Atom] | None:
        """Return a simpler form of a select: one value, or another select; None where there is none."""
        if isinstance(pred, Literal):
            return (a if pred.value else b,)
        if are_same(a, b):
            return (a,)
        if (inner := self._operands(pred, logical_not)) is not None:
            return inner[0], b, a
        if (inner := self._operands(a, select)) is not None and inner[0] is pred:
            return pred, inner[1], b
        if (inner := self._operands(b, select)) is not None and inner[0] is pred:
            return pred, a, inner[2]
        if len(self._block.equations) > 2 * self._seen + _SPARE:
            return None
        first, second = self._ways(a), self._ways(b)
        common = next((value for value in first if value in second), None)
        if common is None:
            return None
        if common is a:
            return self.both(self.negation(pred), self._taken(second[common])), self._own(second[common]), a
        if common is b:
            return self.both(pred, self._taken(first[common])), self._own(first[common]), b
        taken = self.select(pred, self._taken(first[common]), self._taken(second[common]))
        return taken, self.select(pred, self._own(first[common]), self._own(second[common])), common

    def _ways(self, value: Atom) -> dict[Atom, _Way]:
        """The values that a choice may be, each with what is chosen instead on the way to it."""
        found: dict[Atom, _Way] = {value: ()}
        pending = [value]
        for above in pending:
            choice = self._operands(above, select)
            if choice is None or len(found) > _WIDEST:
                continue
            pred, a, b = choice
            for side, turn in ((b, (pred, a, False)), (a, (pred, b, True))):
                if isinstance(side, Var) and side not in found:
                    found[side] = (*found[above], turn)
                    pending.append(side)
        return found

    def _taken(self, way: _Way) -> Atom:
        """Emit whether one of the values beside a way is chosen."""
        taken: Atom = Literal(np.asarray(False))
        for pred, _, negated in way:
            taken = self.either(taken, self.negation(pred) if negated else pred)
        return taken

    def _own(self, way: _Way) -> Atom:
        """Emit the value that is chosen then."""
        *rest, (_, own, _) = way
        for pred, value, negated in reversed(rest):
            own = self.select(pred, own, value) if negated else self.select(pred, value, own)
        return own

    def equal(self, x: Atom, y: Atom) -> Atom | None:
        """Return `x == y` of a select between two constants and a third one, by the select's predicate; else None."""
        for value, constant in ((x, y), (y, x)):
            if not isinstance(constant, Literal) or constant.type.dtype.kind not in "iub":
                continue
            if isinstance(value, Literal):
                return Literal(np.asarray(bool(value.value == constant.value)))
            choice = self._operands(value, select)
            if choice is None or not (isinstance(choice[1], Literal) and isinstance(choice[2], Literal)):
                continue
            first, second = (bool(side.value == constant.value) for side in choice[1:] if isinstance(side, Literal))
            return self.select(choice[0], Literal(np.asarray(first)), Literal(np.asarray(second)))
        return None

    def _operands(self, atom: Atom, op: Op) -> tuple[Atom, ...] | None:
        made = self._made.get(atom)
        return made.inputs if made is not None and made.op is op else None

    def negation(self, x: Atom) -> Atom:
        """`not x`."""
        if isinstance(x, Literal):
            return Literal(np.asarray(not x.value))
        inner = self._operands(x, logical_not)
        return self._emit(logical_not, x) if inner is None else inner[0]

    def both(self, x: Atom, y: Atom) -> Atom:
        """`x and y`."""
        return self._joined(logical_and, x, y, True)

    def either(self, x: Atom, y: Atom) -> Atom:
        """`x or y`."""
        return self._joined(logical_or, x, y, False)

    def _joined(self, op: Op, x: Atom, y: Atom, neutral: bool) -> Atom:
        for one, other in ((x, y), (y, x)):
            if isinstance(one, Literal):
                return other if one.value == neutral else one
        return x if x is y else self._emit(op, x, y)

    def _emit(self, op: Op, *inputs: Atom) -> Atom:
        made = self._block.emit(op, *inputs, source=self._source)
        if op in _LOOKED_AT:
            self._made[made] = self._block.equations[-1]
        return made


# What is chosen instead: where `pred` holds, or where it does not.
_Way: TypeAlias = tuple[tuple[Atom, Atom, bool], ...]

# The ops whose operands are looked at when a later value is simplified.
_LOOKED_AT = (select, logical_not)
_RULES: dict[Op, Callable[..., Atom | None]] = {
    select: _SelectSimplifier.select,
    equal: _SelectSimplifier.equal,
    logical_not: _SelectSimplifier.negation,
    logical_and: _SelectSimplifier.both,
    logical_or: _SelectSimplifier.either,
}


def _is_logic(equation: Equation) -> bool:
    """Return whether an equation's logic, if it is any, is that of bools."""
    return equation.op in (select, equal) or all(a.type.dtype == np.bool_ for a in equation.inputs)
