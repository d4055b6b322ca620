"""The op of a call that a function makes of itself, for as long as its body is being built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Equation, Program


class _RecursiveCall(Op):
    """`recur[results, function](*arguments)`: a call of the function whose body holds the equation.

    No finished Program has one: the body becomes the steps of a loop (`control/recursion/stack_machine.py`).
    """

    __slots__ = ()
    pure = False

    def type(self, *inputs: ArrayType, results: tuple[ArrayType, ...], function: object) -> tuple[ArrayType, ...]:
        return results

    def evaluate(self, *arrays: Any, **params: Any) -> tuple[Any, ...]:
        raise NotImplementedError("a recursive call has no value by itself")

    def lower(self, ctx: Any) -> Sequence[str]:
        raise NotImplementedError("a recursive call has no lowering by itself")


RECUR: Final = _RecursiveCall("recur")


def is_call(equation: Equation, function: object) -> bool:
    """Return whether an equation is a call that the function makes of itself."""
    return equation.op is RECUR and equation.params["function"] is function


def has_call(equation: Equation, function: object) -> bool:
    """Return whether an equation is, or holds, a call that the function makes of itself."""
    return is_call(equation, function) or any(holds_call(p, function) for p in equation.programs())


def holds_call(program: Program, function: object) -> bool:
    """Return whether a Program holds such a call."""
    return any(has_call(e, function) for e in program.equations)
