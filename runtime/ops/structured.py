"""Ops with structured control flow: how the values of their sub-Programs correspond to their own."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Program, Var

Params: TypeAlias = Mapping[str, Any]


@frozen
class Slot:
    """One value of an equation, by its places outside and at the borders of the sub-Programs."""

    operand: int | None = None  # the place among the equation's inputs
    formal: int | None = None  # the place among the inputs of each sub-Program
    yielded: int | None = None  # the place among the outputs of the sub-Programs that compute results
    result: int | None = None  # the place among the equation's outputs

    @property
    def is_carry(self) -> bool:
        """Return whether it is one value from step to step, which has an initial value."""
        return self.operand is not None and self.result is not None


class StructuredOp(Op):
    """An op that runs sub-Programs: `cond`, `switch`, `while`, `for`, `for_until`."""

    __slots__ = ()
    is_materialized = True
    controls: tuple[int, ...] = ()  # the inputs that say what runs

    @abc.abstractmethod
    def slots(self, equation: Equation) -> Sequence[Slot]:
        """Every value that goes in or out, each once."""

    @abc.abstractmethod
    def results(self, params: Params) -> Sequence[Program]:
        """The sub-Programs whose outputs are the slots' `yielded`."""

    def deciding(self, equation: Equation) -> Sequence[Atom]:
        """The values that say what runs; a result stands for the carry that it is."""
        return [equation.inputs[i] for i in self.controls]

    @abc.abstractmethod
    def rebuilt(self, params: Params, programs: Sequence[Program], slots: Sequence[Slot]) -> Params:
        """The params with these sub-Programs, in the order of `Equation.programs`, where only these slots are left."""

    def with_slots(self, equation: Equation, slots: Sequence[Slot]) -> Equation:
        """An equation of this op where only these slots are left; nothing else reads those that are gone."""
        results, programs = self.results(equation.params), []
        for program in equation.programs():
            inputs = tuple([program.inputs[s.formal] for s in slots if s.formal is not None])
            outputs = program.outputs
            if any(program is result for result in results):
                outputs = tuple([outputs[s.yielded] for s in slots if s.yielded is not None])
            programs.append(dataclasses.replace(program, inputs=inputs, outputs=outputs))
        operands = [*self.controls, *(s.operand for s in slots if s.operand is not None)]
        return dataclasses.replace(
            equation,
            inputs=tuple([equation.inputs[i] for i in operands]),
            outputs=tuple([equation.outputs[s.result] for s in slots if s.result is not None]),
            params=self.rebuilt(equation.params, programs, slots),
        )

    def with_operands(
        self, equation: Equation, values: Sequence[Atom], programs: Sequence[tuple[Program, Sequence[Var]]]
    ) -> Equation:
        """An equation of this op with more operands, and these sub-Programs, each with its inputs for them."""
        slots = self.slots(equation)
        first = constants(slots)
        operand = len(self.controls) + first
        widened = [dataclasses.replace(p, inputs=(*p.inputs[:first], *more, *p.inputs[first:])) for p, more in programs]
        more = [Slot(operand=operand, formal=first)] * len(values)
        return dataclasses.replace(
            equation,
            inputs=(*equation.inputs[:operand], *values, *equation.inputs[operand:]),
            params=self.rebuilt(equation.params, widened, [*slots[:first], *more, *slots[first:]]),
        )


class Branches(StructuredOp):
    """An op that runs one of its sub-Programs: `cond`, `switch`."""

    __slots__ = ()
    controls = (0,)

    def slots(self, equation: Equation) -> Sequence[Slot]:
        """The operands, then the results."""
        operands = [Slot(operand=1 + i, formal=i) for i in range(len(equation.inputs) - 1)]
        return [*operands, *(Slot(yielded=i, result=i) for i in range(len(equation.outputs)))]


class Loop(StructuredOp):
    """An op that runs a sub-Program, its body, in a row: `while`, `for`, `for_until`."""

    __slots__ = ()

    def results(self, params: Params) -> Sequence[Program]:
        """The body."""
        return (params["body"],)


def constants(slots: Sequence[Slot]) -> int:
    """Return how many of the slots, at their beginning, are operands that the sub-Programs only read."""
    return next((i for i, s in enumerate(slots) if s.operand is None or s.is_carry), len(slots))


def carries(equation: Equation) -> list[tuple[Atom, Slot]]:
    """The carries of a loop, each with its initial value."""
    op = equation.op
    assert isinstance(op, Loop)
    return [(equation.inputs[s.operand], s) for s in op.slots(equation) if s.is_carry and s.operand is not None]
