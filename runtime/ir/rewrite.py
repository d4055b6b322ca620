"""Rewriting of Programs: substitution, inlining, and the walk that passes share."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Program, SourceLocation, Var


def substitute(equation: Equation, names: Mapping[Atom, Atom]) -> Equation:
    """The equation with other inputs for those that `names` has; itself where it has none."""
    if names.keys().isdisjoint(equation.inputs):
        return equation
    return dataclasses.replace(equation, inputs=tuple([names.get(a, a) for a in equation.inputs]))


class Block:
    """The equations of a Program under construction, and the atoms that stand for values of an older one."""

    def __init__(self) -> None:
        self.equations: list[Equation] = []
        self.names: dict[Atom, Atom] = {}

    def read(self, atom: Atom) -> Atom:
        """The atom that stands for a value of the older Program."""
        return self.names.get(atom, atom)

    def append(self, equation: Equation) -> None:
        """Add an equation as it is."""
        self.equations.append(equation)

    def emit(self, op: Op, *inputs: Atom, source: SourceLocation | None = None, **params: Any) -> Var:
        """Add an equation of an op with one output, and return that."""
        (type,) = op.type(*(a.type for a in inputs), **params)
        output = Var(type)
        self.append(Equation(op, inputs, params, (output,), source))
        return output

    def inline(self, program: Program, operands: Sequence[Atom]) -> tuple[Atom, ...]:
        """Add the equations of a sub-Program, with values of their own, and return its outputs."""
        names: dict[Atom, Atom] = dict(zip(program.inputs, operands, strict=True))
        for equation in program.equations:
            outputs = tuple([Var(v.type) for v in equation.outputs])
            self.append(dataclasses.replace(substitute(equation, names), outputs=outputs))
            names.update(zip(equation.outputs, outputs, strict=True))
        return tuple([names.get(a, a) for a in program.outputs])

    def replaces(self, program: Program) -> Program:
        """The older Program with these equations; itself where they are the same."""
        same = len(self.equations) == len(program.equations)
        if same and all(a is b for a, b in zip(self.equations, program.equations, strict=True)):
            return program
        outputs = tuple(map(self.read, program.outputs))
        return dataclasses.replace(program, equations=tuple(self.equations), outputs=outputs)


def renamed(program: Program) -> Program:
    """The Program with variables of its own, also in its sub-Programs."""
    block, inputs = Block(), tuple([Var(v.type) for v in program.inputs])
    outputs = block.inline(program, inputs)
    return Program(inputs, tuple([e.with_programs(renamed) for e in block.equations]), outputs, program.name)


# Given an equation and the block, a rule returns None where the equation stays, or the atoms that stand for its
# outputs, which may be these very outputs; it adds to the block what computes them.
Rule: TypeAlias = Callable[[Equation, Block], Sequence[Atom] | None]


def rewrite(program: Program, rule: Rule) -> Program:
    """The Program after a rule was applied to each equation in turn; the Program itself where it never was."""
    block = Block()
    for old in program.equations:
        equation = substitute(old, block.names)
        instead = rule(equation, block)
        if instead is None:
            block.append(equation)
        else:
            pairs = zip(equation.outputs, instead, strict=True)
            block.names.update((out, atom) for out, atom in pairs if out is not atom)
    return block.replaces(program)


def with_equations(program: Program, equations: Iterable[Equation]) -> Program:
    """The Program with other equations of the same outputs; itself where they are the same."""
    block = Block()
    block.equations += equations
    return block.replaces(program)


def in_sub_programs(run: Callable[[Program], Program]) -> Callable[[Program], Program]:
    """A pass that works on the sub-Programs first, the innermost before those around them."""

    @functools.wraps(run)
    def whole(program: Program) -> Program:
        return run(with_equations(program, [equation.with_programs(whole) for equation in program.equations]))

    return whole
