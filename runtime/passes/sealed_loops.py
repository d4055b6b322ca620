"""Loops that a pass leaves alone: those that become machine code, for a pass that makes up for what XLA cannot do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Equation, Program
from anabranch.runtime.ir.rewrite import with_equations
from anabranch.runtime.ops.structured import Loop, StructuredOp

# The most elements of an array that is computed as a whole in such a loop: it is in registers.
MOST_ELEMENTS = 16


class _Sealed(Op):
    """A loop of which a pass sees nothing but operands and results; it stands in a Program only while that runs."""

    __slots__ = ()

    def type(self, *inputs: ArrayType, loop: Equation) -> tuple[ArrayType, ...]:
        return tuple([v.type for v in loop.outputs])

    def evaluate(self, *arrays: Any, loop: Equation) -> tuple[Any, ...]:
        return loop.op.evaluate(*arrays, **loop.params)

    def lower(self, ctx: Any) -> Any:
        raise NotImplementedError


_SEALED = _Sealed("sealed")


def outside_element_loops(run: Callable[[Program], Program]) -> Callable[[Program], Program]:
    """The pass on what stands outside of the loops that work on single elements."""

    def passed(program: Program) -> Program:
        return _opened(run(_sealed(program)))

    return passed


def _sealed(program: Program) -> Program:
    return with_equations(program, map(_sealed_equation, program.equations))


def _sealed_equation(equation: Equation) -> Equation:
    if isinstance(equation.op, Loop) and all(map(_works_on_elements, equation.programs())):
        return dataclasses.replace(equation, op=_SEALED, params={"loop": equation})
    return equation.with_programs(_sealed)


def _opened(program: Program) -> Program:
    return with_equations(program, map(_opened_equation, program.equations))


def _opened_equation(equation: Equation) -> Equation:
    if equation.op is not _SEALED:
        return equation.with_programs(_opened)
    return dataclasses.replace(equation, op=equation.params["loop"].op, params=equation.params["loop"].params)


def _works_on_elements(program: Program) -> bool:
    """Return whether all that a Program computes is single elements and small arrays, but for arrays it writes to."""
    return all(_is_small(equation) for equation in program.equations)


def _is_small(equation: Equation) -> bool:
    if isinstance(equation.op, StructuredOp):
        return all(map(_works_on_elements, equation.programs()))
    if equation.op.update is not None:
        return equation.inputs[equation.op.update].type.size <= MOST_ELEMENTS
    if equation.op.is_view:
        return True
    outputs: Iterable[ArrayType] = (v.type for v in equation.outputs)
    return all(type.size <= MOST_ELEMENTS for type in outputs)
