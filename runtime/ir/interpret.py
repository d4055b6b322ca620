"""The interpreter of Programs: each op's NumPy evaluation, one after the other."""

from __future__ import annotations

import contextvars
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from anabranch.base.context_values import having
from anabranch.runtime.ir.program import Atom, Literal, Program, Var


class TooLongError(Exception):
    """An evaluation has come to more equations than it may."""


# How many equations may still be evaluated; None where there is no limit.
_left: contextvars.ContextVar[list[int] | None] = contextvars.ContextVar("left", default=None)


def limited(equations: int) -> AbstractContextManager[object]:
    """Raise `TooLongError` within where sub-Programs have more equations to evaluate, with each step of a loop."""
    return having(_left, [equations])


def evaluate(program: Program, *arguments: Any) -> tuple[np.ndarray, ...]:
    """Run a Program with each op's NumPy evaluation; the oracle of the tests.

    Raises `TypeError` when the number of arguments, or a shape or dtype, is not the Program's.
    """
    if len(arguments) != len(program.inputs):
        raise TypeError(f"{program.name} takes {len(program.inputs)} inputs, {len(arguments)} given")
    left = _left.get()
    if left is not None:
        left[0] -= 1 + len(program.equations)
        if left[0] < 0:
            raise TooLongError
    env: dict[Var, np.ndarray] = {}

    def read(atom: Atom) -> np.ndarray:
        return atom.value if isinstance(atom, Literal) else env[atom]

    def write(var: Var, value: object) -> None:
        array = np.asarray(value)
        if array.shape != var.type.shape or array.dtype != var.type.dtype:
            raise TypeError(f"{program.name}: a value of {array.dtype}{list(array.shape)} for {var.type}")
        env[var] = array

    for var, argument in zip(program.inputs, arguments, strict=True):
        write(var, argument)
    with np.errstate(all="ignore"):
        for equation in program.equations:
            results = equation.op.evaluate(*map(read, equation.inputs), **equation.params)
            for var, result in zip(equation.outputs, results, strict=True):
                write(var, result)
    return tuple(map(read, program.outputs))
