"""Check elimination: a check whose predicate an earlier check has found to be false goes.

`if a[i] > 0: a[i] += 1` reads and writes the same element: the index is in bounds in the branch because it was when the
condition was computed. The error code tells which checks came before: it leads from each check to the one before it,
into branches and bodies of loops, and out of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import Block, rewrite
from anabranch.runtime.ops.check import CODE, check
from anabranch.runtime.ops.structured import Branches, Loop, Slot, StructuredOp
from anabranch.runtime.passes.def_use import parameters_key


def eliminate_checks(program: Program) -> Program:
    """The Program without checks that an earlier one makes needless, also inside sub-Programs."""
    return _Elimination().run(program, _Scope(program, {}))


class _Chain:
    """Checks one after the other, by the numbers of their predicates.

    A code stands at a position of a chain: the predicates up to there are false where nothing has failed.
    """

    def __init__(self, before: _Position | None = None) -> None:
        self.before = before
        self.length = 0
        self.positions: dict[int, int] = {}


@frozen(eq=False)
class _Position:
    chain: _Chain
    number: int

    def knows(self, pred: int) -> bool:
        """Return whether a predicate is false where nothing has failed by now."""
        at: _Position | None = self
        while at is not None:
            if at.chain.positions.get(pred, at.number + 1) <= at.number:
                return True
            at = at.chain.before
        return False

    def after(self, pred: int) -> _Position:
        """The position after one more check; branches go on from the same one, each with a chain of its own."""
        if self.number != self.chain.length:
            return _Position(_Chain(self), 0).after(pred)
        self.chain.length += 1
        self.chain.positions.setdefault(pred, self.chain.length)
        return _Position(self.chain, self.chain.length)


class _Scope:
    """A Program where it stands: its inputs may be values of the Program around it."""

    def __init__(self, program: Program, outer: Mapping[Var, tuple[_Scope, Atom]]) -> None:
        self.outer = outer  # values of the Program around it by the inputs that they are, each with its scope
        self.positions: dict[Atom, _Position] = {}  # error codes, with the checks that come before them
        self.makers = {out: (e, i) for e in program.equations for i, out in enumerate(e.outputs)}
        self.numbers: dict[Atom, int] = {}

    def position(self, code: Atom) -> _Position:
        """The checks before an error code."""
        if code not in self.positions:
            self.positions[code] = _Position(_Chain(), 0)
        return self.positions[code]


class _Elimination:
    """One run of the pass: numbers of values, equal for values that are surely equal, in whatever scope."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._fresh: Iterator[int] = itertools.count()
        self._sources: dict[tuple[Equation, int], int | None] = {}

    def run(self, program: Program, scope: _Scope) -> Program:
        """The Program, standing in a scope, without needless checks."""

        def eliminated(equation: Equation, block: Block) -> Sequence[Atom] | None:
            # What its inputs were before the walk has replaced some: the scope knows values by these.
            original = scope.makers[equation.outputs[0]][0] if equation.outputs else equation
            if equation.op is check:
                return self._check(original, equation, scope)
            if isinstance(equation.op, StructuredOp):
                inner = iter([self._inside(original, p, scope) for p in original.programs()])
                block.append(equation.with_programs(lambda _: next(inner)))
                self._leave(original, scope)
                return equation.outputs
            return None

        return rewrite(program, eliminated)

    def _check(self, original: Equation, equation: Equation, scope: _Scope) -> list[Atom] | None:
        code, pred = original.inputs[:2]
        at = scope.position(code)
        number = self._number(pred, scope)
        if at.knows(number) or (isinstance(pred, Literal) and not pred.value):
            scope.positions[original.outputs[0]] = at
            kept = equation.inputs[3 + len(equation.inputs[3:]) // 2 :]
            return [equation.inputs[0], *kept]
        scope.positions[original.outputs[0]] = at.after(number)
        return None

    def _inside(self, equation: Equation, program: Program, scope: _Scope) -> Program:
        """A sub-Program of an equation without needless checks."""
        assert isinstance(equation.op, StructuredOp)
        outer: dict[Var, tuple[_Scope, Atom]] = {}
        slots = equation.op.slots(equation)
        inside = _Scope(program, outer)
        for slot in slots:
            if slot.operand is None or slot.formal is None:
                continue
            value, formal = equation.inputs[slot.operand], program.inputs[slot.formal]
            if slot.result is None and value.type == formal.type:
                outer[formal] = scope, value
            if value in scope.positions and (
                slot.result is None or self._source(equation, slot.result) == slot.operand
            ):
                inside.positions[formal] = scope.positions[value]
        return self.run(program, inside)

    def _leave(self, equation: Equation, scope: _Scope) -> None:
        """Let the results of control flow stand where the codes that they come from do."""
        for place, result in enumerate(equation.outputs):
            source = self._source(equation, place)
            if source is not None and equation.inputs[source] in scope.positions:
                scope.positions[result] = scope.positions[equation.inputs[source]]

    # ---- where codes come from ---------------------------------------------------------------------------------------

    def _source(self, equation: Equation, place: int) -> int | None:
        """The operand that a result is, after nothing but checks; None for other results."""
        key = (equation, place)
        if key not in self._sources:
            self._sources[key] = None
            self._sources[key] = self._found_source(equation, place)
        return self._sources[key]

    def _found_source(self, equation: Equation, place: int) -> int | None:
        op = equation.op
        if not isinstance(op, StructuredOp) or equation.outputs[place].type != CODE:
            return None
        slots = op.slots(equation)
        (slot,) = [s for s in slots if s.result == place]
        results = op.results(equation.params)
        if isinstance(op, Loop):
            if slot.formal is None or slot.yielded is None:
                return None
            (body,) = results
            return slot.operand if self._leads(body, body.outputs[slot.yielded], body.inputs[slot.formal]) else None
        assert isinstance(op, Branches)
        for operand in slots:
            if operand.formal is not None and self._passed_on(results, operand, slot):
                return operand.operand
        return None

    def _passed_on(self, branches: Sequence[Program], operand: Slot, result: Slot) -> bool:
        if operand.formal is None or result.yielded is None:
            return False
        return all(self._leads(p, p.outputs[result.yielded], p.inputs[operand.formal]) for p in branches)

    def _leads(self, program: Program, code: Atom, first: Var) -> bool:
        """Return whether a code comes from this input by nothing but checks."""
        if code.type != first.type or not isinstance(code, Var):
            return False
        makers = {out: (e, i) for e in program.equations for i, out in enumerate(e.outputs)}
        while code is not first:
            if not isinstance(code, Var) or code not in makers:
                return False
            equation, place = makers[code]
            if equation.op is check:
                if place:
                    return False
                code = equation.inputs[0]
                continue
            source = self._source(equation, place)
            if source is None:
                return False
            code = equation.inputs[source]
        return True

    # ---- equal values ------------------------------------------------------------------------------------------------

    def _number(self, atom: Atom, scope: _Scope) -> int:
        if isinstance(atom, Var) and atom in scope.outer:
            return self._number(scope.outer[atom][1], scope.outer[atom][0])
        if atom not in scope.numbers:
            form = self._form(atom, scope)
            scope.numbers[atom] = next(self._fresh) if form is None else self._numbered(form)
        return scope.numbers[atom]

    def _numbered(self, form: Hashable) -> int:
        if form not in self._numbers:
            self._numbers[form] = next(self._fresh)
        return self._numbers[form]

    def _form(self, atom: Atom, scope: _Scope) -> Hashable:
        """A key that two values share only where they are surely equal; None for one of its own."""
        if isinstance(atom, Literal):
            return atom.key
        maker, place = scope.makers.get(atom, (None, 0))
        params = None if maker is None else parameters_key(maker)
        if maker is None or params is None:
            return None
        return maker.op, place, params, tuple([self._number(a, scope) for a in maker.inputs])
