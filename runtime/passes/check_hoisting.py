"""Check hoisting: a loop whose index leaves its bounds at a known step ends before it, and the check stands after it.

`for i in range(n): a[i] += 1` runs `min(n, len(a))` steps without a check, and fails after them where `n` is more: with
the index of the step that would have failed. Nothing sees what that step would have left, as the failure leaves the
program: a call that raises writes nothing back.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.check import CODE, check
from anabranch.runtime.ops.control import FOR, FOR_UNTIL, For
from anabranch.runtime.ops.elementwise.arithmetic import add
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.elementwise.comparison import (
    greater,
    greater_equal,
    logical_and,
    logical_not,
    maximum,
    minimum,
    not_equal,
)
from anabranch.runtime.ops.structured import Slot
from anabranch.runtime.passes.failure_chain import always_raises

_ZERO = Literal(np.zeros((), np.int64))
# Sums of a step's index and less than this do not wrap.
_LARGE = 2**32


def hoist_checks(program: Program) -> Program:
    """The Program with checks that fail from a known step on after their loops, also inside sub-Programs."""
    if not always_raises(program):
        return program
    return in_sub_programs(lambda inner: rewrite(inner, _hoisted))(program)


def _hoisted(equation: Equation, block: Block) -> Sequence[Atom] | None:
    if not isinstance(equation.op, For) or equation.params["length"] is not None:
        return None
    pending: list[tuple[_First, Atom, Atom]] = []
    while (first := _first_check(equation)) is not None:
        trip = equation.inputs[0]
        steps = block.emit(maximum, block.emit(minimum, trip, first.limit), _ZERO)
        pending.append((first, steps, trip))
        equation = first.without(equation, steps)
    if not pending:
        return None
    loop, stopped = _unstopped(equation, block)
    block.append(loop)
    results: dict[Atom, Atom] = {}
    # The last one stops the loop first.
    for hoisted, last, trip in reversed(pending):
        more: Atom = block.emit(greater, trip, last)
        if stopped is not None:
            more = block.emit(logical_and, more, block.emit(logical_not, stopped))
        hoisted.check_after(last, more, results, block)
    if loop is not equation and stopped is not None:
        results[equation.outputs[0]] = stopped
    return [results.get(v, v) for v in equation.outputs]


@frozen(eq=False)
class _First:
    """The first check of a step, which fails from the step of number `limit` on."""

    check: Equation
    limit: Atom  # as a value around the loop
    # Values of the step around the loop; an int stands for the step's index and a constant.
    values: Mapping[Atom, Atom | int]
    carried: Sequence[Var]  # what becomes of the code and the kept details

    def without(self, equation: Equation, steps: Atom) -> Equation:
        """The loop with so many steps and without the check."""

        def dropped(one: Equation, block: Block) -> Sequence[Atom] | None:
            if one.outputs != self.check.outputs:
                return None
            code, _, _, *rest = one.inputs
            return [code, *rest[len(rest) // 2 :]]

        body = rewrite(equation.params["body"], dropped)
        params = {**equation.params, "body": body}
        return dataclasses.replace(equation, inputs=(steps, *equation.inputs[1:]), params=params)

    def check_after(self, steps: Atom, more: Atom, results: dict[Atom, Atom], block: Block) -> None:
        """Add the check of whether there are more steps than these."""
        _, _, number, *rest = self.check.inputs
        details: list[Atom] = []
        for atom in rest[: len(rest) // 2]:
            value = atom if isinstance(atom, Literal) else self.values[atom]
            if isinstance(value, int):
                value = block.emit(add, steps, Literal(np.asarray(value, np.int64)))
            details.append(value)
        code, *kept = [results.get(v, v) for v in self.carried]
        outputs = tuple([Var(v.type) for v in self.check.outputs])
        block.append(Equation(check, (code, more, number, *details, *kept), {}, outputs, self.check.source))
        results.update(zip(self.carried, outputs, strict=True))


def _first_check(equation: Equation) -> _First | None:
    """The first check of a step if it fails from a step on that is known before the loop."""
    assert isinstance(equation.op, For)
    body: Program = equation.params["body"]
    slots = equation.op.slots(equation)
    values: dict[Atom, Atom | int] = {}
    carried: dict[Atom, Var] = {}
    for slot in slots:
        if slot.formal is None:
            continue
        formal = body.inputs[slot.formal]
        if slot.operand is None:
            values[formal] = 0
        elif slot.result is None:
            values[formal] = equation.inputs[slot.operand]
        else:
            carried[formal] = equation.outputs[slot.result]
    makers: dict[Atom, Equation] = {e.outputs[0]: e for e in body.equations if e.outputs}
    for one in body.equations:
        if one.op is add and isinstance(one.inputs[1], Literal) and isinstance(values.get(one.inputs[0]), int):
            values[one.outputs[0]] = _sum(values[one.inputs[0]], one.inputs[1])
    found = next((e for e in body.equations if e.op is check and e.inputs[0] in carried), None)
    test = None if found is None else makers.get(found.inputs[1])
    if found is None or test is None or test.op is not greater_equal or test.inputs[0].type.shape:
        return None
    offset, limit = values.get(test.inputs[0]), _outside(test.inputs[1], values)
    rest = found.inputs[3:]
    details, kept = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    known = all(isinstance(a, Literal) or a in values for a in details) and all(a in carried for a in kept)
    if not isinstance(offset, int) or abs(offset) >= _LARGE or limit is None or not known:
        return None
    if isinstance(limit, Literal):
        limit = Literal(np.asarray(int(limit.value) - offset, np.int64))
    elif offset:
        return None
    return _First(found, limit, values, [carried[a] for a in (found.inputs[0], *kept)])


def _sum(offset: Atom | int, more: Literal) -> int:
    assert isinstance(offset, int)
    return offset + int(more.value)


def _outside(atom: Atom, values: Mapping[Atom, Atom | int]) -> Atom | None:
    """A value of a step that is a constant below `_LARGE`, or an operand, around the loop."""
    if isinstance(atom, Literal):
        return atom if abs(int(atom.value)) < _LARGE else None
    found = values.get(atom)
    return None if isinstance(found, int) else found


def _unstopped(equation: Equation, block: Block) -> tuple[Equation, Atom | None]:
    """The loop without the carry that says whether it has stopped, where no step decides that; and what it says."""
    if equation.op is not FOR_UNTIL:
        return equation, None
    body: Program = equation.params["body"]
    slots = equation.op.slots(equation)
    first = next(s for s in slots if s.result == 0)
    assert first.operand is not None
    assert first.formal is not None
    formal, stopped = body.inputs[first.formal], equation.inputs[first.operand]
    read = any(formal in e.inputs for e in body.equations) or formal in body.outputs
    if read or not _says_of_failures(body, slots):
        return equation, equation.outputs[0]
    loop = dataclasses.replace(equation.op.with_slots(equation, [s for s in slots if s is not first]), op=FOR)
    if not isinstance(stopped, Literal) or stopped.value:
        steps = block.emit(select, stopped, _ZERO, loop.inputs[0])
        loop = dataclasses.replace(loop, inputs=(steps, *loop.inputs[1:]))
    return loop, stopped


def _says_of_failures(body: Program, slots: Sequence[Slot]) -> bool:
    """Return whether a loop stops where something has failed, and nothing fails in a step."""
    stop = next((e for e in body.equations if e.outputs == (body.outputs[0],)), None)
    if stop is None or stop.op is not not_equal or stop.inputs[0].type != CODE:
        return False
    code, zero = stop.inputs
    kept = [s for s in slots if s.is_carry and s.formal is not None and body.inputs[s.formal] is code]
    unchanged = all(s.yielded is not None and body.outputs[s.yielded] is code for s in kept)
    return bool(kept) and unchanged and isinstance(zero, Literal) and not zero.value
