"""Small Programs written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation, Literal, Program, Var
from anabranch.runtime.ops.table import OPS

F, I, B = (  # noqa: E741 - as in f64, i64, bool
    ArrayType((), np.dtype(t)) for t in (np.float64, np.int64, np.bool_)
)
V3 = ArrayType((3,), np.dtype(np.float64))


def literal(value: Any) -> Literal:
    return Literal(np.asarray(value))


def equation(name: str, inputs: tuple[Any, ...], outputs: tuple[Var, ...], **params: Any) -> Equation:
    return Equation(OPS[name], inputs, params, outputs)


def one(name: str, *inputs: Any, **params: Any) -> tuple[Var, Equation]:
    """An equation with one output of the op's own type, and that output."""
    (kind,) = OPS[name].type(*(a.type for a in inputs), **params)
    var = Var(kind)
    return var, equation(name, inputs, (var,), **params)


def unary(name: str, kind: ArrayType = F) -> Program:
    """`x -> op(x)`."""
    x = Var(kind)
    y, line = one(name, x)
    return Program((x,), (line,), (y,))


def every_equation(program: Program) -> Iterator[Equation]:
    for line in program.equations:
        yield line
        for inner in line.programs():
            yield from every_equation(inner)


def ops(program: Program) -> list[str]:
    return [e.op.name for e in every_equation(program)]
