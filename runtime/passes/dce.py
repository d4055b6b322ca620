"""Dead code elimination: of equations, results of branches, carries of loops, operands that no sub-Program reads.

Failures, writes and the count of effects are outputs.

The live values are found first, for the Program and all its sub-Programs together, with one worklist: a carry of a loop
leads to what the step computes it from, an input of a branch to the operand. So each value is visited once, however
deep loops stand within loops.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from anabranch.runtime.ir.program import Atom, Equation, Program, Var

T = TypeVar("T")


def eliminate_dead_code(program: Program) -> Program:
    """The Program without dead code, also inside sub-Programs."""
    return _narrowed(program, program.outputs, _Needed(program).values)


class _Needed:
    """The values of a Program and its sub-Programs that its outputs are computed from.

    Attributes
    ----------
    values : set of Var
        A carry of a loop is among them under each of its names, or under none.
    """

    def __init__(self, program: Program) -> None:
        self.values: set[Var] = set()
        self._makers: dict[Var, list[tuple[Equation, int]]] = {}
        # Where sub-Programs stand: what their inputs are is known by the equation that holds them.
        self._holders: dict[Var, list[tuple[Equation, int]]] = {}
        self._walked: set[int] = set()
        self._live: set[int] = set()  # equations
        self._pending: list[Atom] = []
        self._walk(program)
        self._pending += program.outputs
        while self._pending:
            self._look(self._pending.pop())

    def _walk(self, program: Program) -> None:
        programs = [program]
        for inner in programs:
            if id(inner) in self._walked:
                continue
            self._walked.add(id(inner))
            for equation in inner.equations:
                for place, output in enumerate(equation.outputs):
                    self._makers.setdefault(output, []).append((equation, place))
                for held in equation.programs():
                    programs.append(held)
                    for place, given in enumerate(held.inputs):
                        self._holders.setdefault(given, []).append((equation, place))

    def _look(self, atom: Atom) -> None:
        if not isinstance(atom, Var) or atom in self.values:
            return
        self.values.add(atom)
        for equation, place in self._makers.get(atom, ()):
            rule = _READS.get(equation.op.name)
            if id(equation) not in self._live:
                self._live.add(id(equation))
                self._pending += equation.inputs if rule is None else rule.always(equation)
                if rule is None:  # all of it is needed as it is
                    self._pending += [a for p in equation.programs() for a in p.outputs]
            if rule is not None:
                self._pending += rule.output(equation, place)
        for equation, place in self._holders.get(atom, ()):
            rule = _READS.get(equation.op.name)
            if rule is not None:
                self._pending += rule.input(equation, place)


@dataclasses.dataclass(frozen=True)
class _Reads:
    """Further atoms that an equation with sub-Programs needs: whenever it runs, for one output, for an inner input."""

    always: Callable[[Equation], Iterable[Atom]]
    output: Callable[[Equation, int], Iterable[Atom]]
    input: Callable[[Equation, int], Iterable[Atom]]


def _of_branches(equation: Equation, place: int) -> list[Atom]:
    return [p.outputs[place] for p in equation.programs()]


def _of_while(equation: Equation, carry: int) -> list[Atom]:
    """One carry: where it comes from, and its other names."""
    place = equation.params["consts"] + carry
    test, body = equation.params["test"], equation.params["body"]
    return [equation.inputs[place], test.inputs[place], body.inputs[place], body.outputs[carry]]


def _into_while(equation: Equation, place: int) -> list[Atom]:
    consts = equation.params["consts"]
    return [equation.inputs[place]] if place < consts else [equation.outputs[place - consts]]


def _of_for(equation: Equation, place: int) -> list[Atom]:
    """One carry, or one stacked output."""
    body, consts = equation.params["body"], equation.params["consts"]
    if place >= equation.params["carries"]:
        return [body.outputs[place]]
    return [equation.inputs[1 + consts + place], body.inputs[1 + consts + place], body.outputs[place]]


def _into_for(equation: Equation, place: int) -> list[Atom]:
    consts, carries = equation.params["consts"], equation.params["carries"]
    if place == consts:  # the index
        return []
    if consts < place <= consts + carries:
        return [equation.outputs[place - consts - 1]]
    # The trip count stands before the constants, the index after them.
    return [equation.inputs[place + (place < consts)]]


_READS = {
    "cond": _Reads(lambda e: e.inputs[:1], _of_branches, lambda e, place: [e.inputs[1 + place]]),
    "while": _Reads(lambda e: e.params["test"].outputs, _of_while, _into_while),
    "for": _Reads(lambda e: e.inputs[:1], _of_for, _into_for),
}
_READS["switch"] = _READS["cond"]


def _narrowed(program: Program, outputs: Sequence[Atom], needed: set[Var]) -> Program:
    """The Program with these of its outputs, and what they need."""
    kept = []
    for equation in program.equations:
        if not needed.isdisjoint(equation.outputs):
            kept.append(_NARROWED.get(equation.op.name, _as_it_is)(equation, needed))
    whole = len(outputs) == len(program.outputs) and len(kept) == len(program.equations)
    if whole and all(a is b for a, b in zip(kept, program.equations, strict=True)):
        return program
    return dataclasses.replace(program, equations=tuple(kept), outputs=tuple(outputs))


def _as_it_is(equation: Equation, needed: set[Var]) -> Equation:
    return equation.with_programs(lambda p: _narrowed(p, p.outputs, needed))


def _branches(equation: Equation, needed: set[Var]) -> Equation:
    """A `cond` or `switch` without the results that are not needed, and the operands that no branch reads."""
    live = [v in needed for v in equation.outputs]
    read = [any(v in needed for v in row) for row in zip(*(p.inputs for p in equation.programs()), strict=True)]
    narrowed = equation.with_programs(lambda p: _with_inputs(_narrowed(p, _chosen(p.outputs, live), needed), read))
    if all(live) and all(read):
        return narrowed
    inputs = (equation.inputs[0], *_chosen(equation.inputs[1:], read))
    return dataclasses.replace(narrowed, inputs=inputs, outputs=_chosen(equation.outputs, live))


def _while(equation: Equation, needed: set[Var]) -> Equation:
    """A `while` without the carries that are not needed, and the constants that are not read."""
    test, body, consts = (equation.params[name] for name in ("test", "body", "consts"))
    live = [v in needed for v in equation.outputs]
    read = [a in needed or b in needed for a, b in zip(test.inputs[:consts], body.inputs[:consts], strict=True)]
    test = _narrowed(test, test.outputs, needed)
    body = _narrowed(body, _chosen(body.outputs, live), needed)
    every = [*read, *live]
    if all(every):
        return _with_params(equation, test=test, body=body)
    params = {
        **equation.params,
        "test": _with_inputs(test, every),
        "body": _with_inputs(body, every),
        "consts": sum(read),
    }
    inputs, outputs = _chosen(equation.inputs, every), _chosen(equation.outputs, live)
    return dataclasses.replace(equation, inputs=inputs, outputs=outputs, params=params)


def _for(equation: Equation, needed: set[Var]) -> Equation:
    """A `for` without the carries and stacked outputs that are not needed, and the operands that are not read."""
    body, consts, carries = (equation.params[name] for name in ("body", "consts", "carries"))
    live = [v in needed for v in equation.outputs]
    read = [v in needed for v in body.inputs[:consts]]
    rows = [v in needed for v in body.inputs[consts + 1 + carries :]]
    body = _narrowed(body, _chosen(body.outputs, live), needed)
    # In the equation the trip count stands before the constants, in the body the index after them.
    operands, inner = [True, *read, *live[:carries], *rows], [*read, True, *live[:carries], *rows]
    if all(operands) and all(live):
        return _with_params(equation, body=body)
    params = {
        **equation.params,
        "body": _with_inputs(body, inner),
        "consts": sum(read),
        "carries": sum(live[:carries]),
    }
    inputs, outputs = _chosen(equation.inputs, operands), _chosen(equation.outputs, live)
    return dataclasses.replace(equation, inputs=inputs, outputs=outputs, params=params)


def _with_inputs(program: Program, which: Sequence[bool]) -> Program:
    if all(which):
        return program
    return dataclasses.replace(program, inputs=_chosen(program.inputs, which))


def _with_params(equation: Equation, **programs: Program) -> Equation:
    if all(equation.params[name] is program for name, program in programs.items()):
        return equation
    return dataclasses.replace(equation, params={**equation.params, **programs})


def _chosen(items: Sequence[T], which: Sequence[bool]) -> tuple[T, ...]:
    return tuple([item for item, is_chosen in zip(items, which, strict=True) if is_chosen])


_NARROWED = {"cond": _branches, "switch": _branches, "while": _while, "for": _for}
