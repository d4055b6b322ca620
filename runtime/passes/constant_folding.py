"""Constant folding: values computed from constants alone become constants, where they are small.

A table of `np.exp(-2j * np.pi * np.arange(n) / m)` would go into each kernel that reads it, and be compiled there
again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program
from anabranch.runtime.ir.rewrite import Block, rewrite

_MOST_ELEMENTS = 1024


def fold_constants(program: Program) -> Program:
    """The Program with constants in place of elementwise work on constants; sub-Programs are left as they are."""
    values: dict[Atom, np.ndarray] = {}

    def folded(equation: Equation, block: Block) -> Sequence[Atom] | None:
        inputs = _constants(equation, values)
        if inputs is None:
            return None
        with np.errstate(all="ignore"):
            (made,) = equation.op.evaluate(*inputs, **equation.params)
        value = values[equation.outputs[0]] = np.asarray(made)
        return None if equation.op.is_transparent else [_literal(value)]

    return rewrite(program, folded)


def _constants(equation: Equation, values: Mapping[Atom, np.ndarray]) -> list[np.ndarray] | None:
    """The inputs of an equation that can be computed now; None for another one."""
    if not (equation.op.is_elementwise or equation.op.is_transparent) or len(equation.outputs) != 1:
        return None
    if equation.outputs[0].type.size > _MOST_ELEMENTS:
        return None
    if not all(isinstance(a, Literal) or a in values for a in equation.inputs):
        return None
    return [a.value if isinstance(a, Literal) else values[a] for a in equation.inputs]


def _literal(value: np.ndarray) -> Literal:
    """A constant; one element for all where they are the same."""
    flat = np.ascontiguousarray(value).reshape(-1)
    first = flat[:1]
    if flat.size > 1 and flat.tobytes() == first.tobytes() * flat.size:
        return Literal(np.broadcast_to(first[0], value.shape))
    return Literal(value)
