"""Loop sinking: a large carry that no step reads is computed after the loop, from what the last step knew.

`for i in range(n): if a[i] > t: return a * i` carries the array that it returns, which only the last step decides. Here
it carries whether that step returned, and `i`, and the product stands after the loop: the steps touch little memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, renamed, rewrite
from anabranch.runtime.ops.buffers import undef
from anabranch.runtime.ops.control import FOR, is_pure
from anabranch.runtime.ops.structured import Loop, carries
from anabranch.runtime.passes.dce import eliminate_dead_code

T = TypeVar("T")

# Smaller values are carried as they are.
_LEAST_ELEMENTS = 17


@in_sub_programs
def sink_carries(program: Program) -> Program:
    """The Program with large carries that no step reads computed after their loops, also inside sub-Programs."""
    used: set[Atom] = {a for e in program.equations for a in e.inputs}.union(program.outputs)
    unspecified: set[Atom] = {e.outputs[0] for e in program.equations if e.op is undef}

    def sunk(equation: Equation, block: Block) -> Sequence[Atom] | None:
        if not isinstance(equation.op, Loop):
            return None
        found = [c for c in _carried(equation) if c.result in used and c.result.type.size >= _LEAST_ELEMENTS]
        if not _surely_runs(equation):
            found = [c for c in found if c.initial in unspecified]
        read = _read(equation) if found else set()
        return _sunk(equation, [c for c in found if c.formal not in read], block)

    return rewrite(program, sunk)


@frozen(eq=False)
class _Carry:
    """A carry of a loop under each of its names."""

    initial: Atom
    formal: Var
    yielded: Atom
    result: Var


def _carried(equation: Equation) -> list[_Carry]:
    body = _body(equation)
    return [
        _Carry(initial, body.inputs[s.formal], body.outputs[s.yielded], equation.outputs[s.result])
        for initial, s in carries(equation)
        if s.formal is not None and s.yielded is not None and s.result is not None
    ]


def _body(equation: Equation) -> Program:
    assert isinstance(equation.op, Loop)
    (body,) = equation.op.results(equation.params)
    return body


def _surely_runs(equation: Equation) -> bool:
    """Return whether there is a last step."""
    trip = equation.inputs[0] if equation.op is FOR else None
    return isinstance(trip, Literal) and int(trip.value) > 0


def _read(equation: Equation) -> set[Atom]:
    """The values that a step or a test reads or passes on."""
    programs = tuple(equation.programs())
    read: set[Atom] = {a for p in programs for e in p.equations for a in e.inputs}
    return read.union(*(p.outputs for p in programs))


def _sunk(equation: Equation, found: Sequence[_Carry], block: Block) -> Sequence[Atom] | None:
    """Add a loop to a block, and after it what computes these carries; None where it computes none of them."""
    if not found:
        return None
    slice_ = _Slice(equation, found)
    parts = [(c, part) for c in found if (part := slice_.of(c.yielded)) is not None]
    if not parts:
        return None
    needed = {e for _, part in parts for e in part.equations}
    extra = list(dict.fromkeys(v for _, part in parts for v in part.inputs if v not in slice_.after))
    loop, results = _with_carries(equation, extra)
    block.append(loop)
    names: dict[Atom, Atom] = {**slice_.after, **dict(zip(extra, results, strict=True))}
    equations = tuple([e for e in slice_.program.equations if e in needed])
    sunk = Program(tuple(v for v in names if isinstance(v, Var)), equations, tuple(c.yielded for c, _ in parts))
    outputs = block.inline(renamed(sunk), [names[v] for v in sunk.inputs])
    instead = dict(zip((c.result for c, _ in parts), outputs, strict=True))
    return [instead.get(v, v) for v in equation.outputs]


@frozen(eq=False)
class _Part:
    """The equations that compute a value from a step's small ones, and those."""

    equations: frozenset[Equation]
    inputs: Sequence[Var]


class _Slice:
    """The part of a loop's body that computes some of its carries."""

    def __init__(self, equation: Equation, found: Iterable[_Carry]) -> None:
        assert isinstance(equation.op, Loop)
        body, wanted = _body(equation), tuple(c.yielded for c in found)
        self.program = eliminate_dead_code(dataclasses.replace(body, outputs=wanted))
        # Values of a last step that are known after the loop: constants and carries.
        self.after: Mapping[Atom, Atom] = {
            **{
                c.yielded: c.result
                for c in _carried(equation)
                if isinstance(c.yielded, Var) and c.yielded not in wanted
            },
            **{
                body.inputs[s.formal]: equation.inputs[s.operand]
                for s in equation.op.slots(equation)
                if s.formal is not None
                and s.operand is not None
                and s.result is None
                and body.inputs[s.formal].type == equation.inputs[s.operand].type
            },
        }
        self._makers = {v: e for e in self.program.equations for v in e.outputs}

    def of(self, value: Atom) -> _Part | None:
        """The part for one value; None where it takes more than what is small or known after the loop."""
        equations: set[Equation] = set()
        inputs: dict[Var, None] = {}
        pending, seen = [value], set[Atom]()
        while pending:
            atom = pending.pop()
            if isinstance(atom, Literal) or atom in seen:
                continue
            seen.add(atom)
            if atom in self.after:
                continue
            if atom.type.size < _LEAST_ELEMENTS:
                inputs[atom] = None
                continue
            maker = self._makers.get(atom)
            if maker is None or not is_pure(maker):
                return None
            equations.add(maker)
            pending += maker.inputs
        return _Part(frozenset(equations), tuple(inputs))


def _with_carries(equation: Equation, values: Sequence[Var]) -> tuple[Equation, Sequence[Var]]:
    """The loop that also carries values of its step, which it does not read; and these after it."""
    if not values:
        return equation, ()
    op, body = equation.op, _body(equation)
    assert isinstance(op, Loop)
    slots = op.slots(equation)
    last = [s for s in slots if s.is_carry][-1]
    operand, formal, yielded, result = map(_after, (last.operand, last.formal, last.yielded, last.result))
    programs = []
    for program in equation.programs():
        inputs = _inserted(program.inputs, formal, [Var(v.type) for v in values])
        outputs = _inserted(program.outputs, yielded, values) if program is body else program.outputs
        programs.append(dataclasses.replace(program, inputs=inputs, outputs=outputs))
    initial = [Literal(np.zeros(v.type.shape, v.type.dtype)) for v in values]
    results = [Var(v.type) for v in values]
    loop = dataclasses.replace(
        equation,
        inputs=_inserted(equation.inputs, operand, initial),
        outputs=_inserted(equation.outputs, result, results),
        params=op.rebuilt(equation.params, programs, [*slots, *[last] * len(values)]),
    )
    return loop, results


def _after(place: int | None) -> int:
    assert place is not None
    return place + 1


def _inserted(items: Sequence[T], place: int, more: Sequence[T]) -> tuple[T, ...]:
    return (*items[:place], *more, *items[place:])
