"""If-conversion: of small branches both sides are computed and the results selected.

In a loop over array elements a `cond` costs more than the few scalar operations in its branches, and keeps XLA from
fusing across it. Every op is total (a shift too wide, an integer division by zero have a value), so computing the side
that is not taken changes nothing. Branches that read or write arrays stay: they would do so at every step, and XLA
would copy the array to keep reads and writes materialize.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from anabranch.runtime.ir.program import Atom, Equation, Program, SourceLocation, Var
from anabranch.runtime.ops.table import OPS

_MOST_EQUATIONS = 24
_MOST_ELEMENTS = 16
CHEAP = {
    *("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "negative", "positive", "absolute", "fabs"),
    *("sign", "sqrt", "square", "floor", "ceil", "rint", "trunc", "maximum", "minimum", "fmax", "fmin", "conjugate"),
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isfinite", "isinf", "isnan"),
    *("logical_and", "logical_or", "logical_xor", "logical_not", "bitwise_and", "bitwise_or", "bitwise_xor", "invert"),
    *("left_shift", "right_shift", "select", "convert", "reshape", "broadcast_in_dim", "slice"),
    *("real", "imag", "complex", "undef"),
}


def convert_small_branches(program: Program) -> Program:
    """The Program with each small `cond` replaced by its branches' equations and selects, inside out."""
    equations: list[Equation] = []
    renamed: dict[Var, Atom] = {}
    for old in program.equations:
        equation = old.with_programs(convert_small_branches)
        if renamed:
            equation = dataclasses.replace(equation, inputs=tuple(_resolve(a, renamed) for a in old.inputs))
        if equation.op.name == "cond" and _is_small(equation):
            renamed.update(zip(equation.outputs, _flatten(equation, equations), strict=True))
        else:
            equations.append(equation)
    outputs = tuple(_resolve(a, renamed) for a in program.outputs)
    return dataclasses.replace(program, equations=tuple(equations), outputs=outputs)


def _resolve(atom: Atom, renamed: Mapping[Var, Atom]) -> Atom:
    return renamed.get(atom, atom) if isinstance(atom, Var) else atom


def _is_small(equation: Equation) -> bool:
    """Return whether both branches are a few cheap operations on scalars and tiny arrays."""
    branches = tuple(equation.programs())
    if sum(len(b.equations) for b in branches) > _MOST_EQUATIONS:
        return False
    for branch in branches:
        for e in branch.equations:
            atoms = (*e.inputs, *e.outputs)
            if e.op.name == "undef":
                continue
            if e.op.name not in CHEAP or any(a.type.size > _MOST_ELEMENTS for a in atoms):
                return False
        # An array that a branch only passes on must be the same one on both sides, or a select would copy it.
    pairs = zip(_given(equation, "on_true"), _given(equation, "on_false"), strict=True)
    free = _unspecified(e for b in branches for e in b.equations)
    return all(a is b or a in free or b in free or a.type.size <= _MOST_ELEMENTS for a, b in pairs)


def _unspecified(equations: Iterable[Equation]) -> set[Atom]:
    return {e.outputs[0] for e in equations if e.op.name == "undef"}


def _given(equation: Equation, side: str) -> list[Atom]:
    """A branch's outputs, with its inputs replaced by the operands."""
    program = equation.params[side]
    names = dict(zip(program.inputs, equation.inputs[1:], strict=True))
    return [_resolve(a, names) for a in program.outputs]


def _flatten(equation: Equation, equations: list[Equation]) -> list[Atom]:
    """Append the branches' equations and the selects; returns the atoms that stand for the outputs."""
    pred, *operands = equation.inputs
    start = len(equations)
    sides = [_inline(equation.params[s], operands, equations) for s in ("on_true", "on_false")]
    free = _unspecified(equations[start:])
    return [
        a if a is b or b in free else b if a in free else _select(pred, a, b, equations, equation.source)
        for a, b in zip(*sides, strict=True)
    ]


def _inline(program: Program, operands: list[Atom], equations: list[Equation]) -> list[Atom]:
    names: dict[Var, Atom] = dict(zip(program.inputs, operands, strict=True))
    for equation in program.equations:
        inputs = tuple(_resolve(a, names) for a in equation.inputs)
        outputs = tuple(Var(v.type) for v in equation.outputs)
        names.update(zip(equation.outputs, outputs, strict=True))
        equations.append(dataclasses.replace(equation, inputs=inputs, outputs=outputs))
    return [_resolve(a, names) for a in program.outputs]


def _select(pred: Atom, a: Atom, b: Atom, equations: list[Equation], source: SourceLocation | None) -> Var:
    if a.type.shape:
        pred = _emit("broadcast_in_dim", (pred,), equations, source, shape=a.type.shape, dims=())
    return _emit("select", (pred, a, b), equations, source)


def _emit(
    name: str, inputs: tuple[Atom, ...], equations: list[Equation], source: SourceLocation | None, **params: Any
) -> Var:
    op = OPS[name]
    (type,) = op.type(*(a.type for a in inputs), **params)
    var = Var(type)
    equations.append(Equation(op, inputs, params, (var,), source))
    return var
