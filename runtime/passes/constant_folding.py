"""Constant folding: values computed from constants alone become constants, where they are small.

A table of `np.exp(-2j * np.pi * np.arange(n) / m)` would go into each kernel that reads it, and be compiled there
again.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program
from anabranch.runtime.ops.elementwise.ufunc import Ufunc

_MOST_ELEMENTS = 1024
# These tell XLA more than their values would, and cost nothing: they stay, and what is computed of them goes.
_FORMS = frozenset({"iota", "broadcast_in_dim", "reshape", "convert", "slice", "transpose", "concatenate"})


def fold_constants(program: Program) -> Program:
    """The Program with constants in place of elementwise work on constants; sub-Programs are left as they are."""
    values: dict[Atom, np.ndarray] = {}
    computed: dict[Atom, Atom] = {}
    equations: list[Equation] = []
    for equation in program.equations:
        if _is_constant(equation, values):
            inputs = [a.value if isinstance(a, Literal) else values[a] for a in equation.inputs]
            with np.errstate(all="ignore"):
                (made,) = equation.op.evaluate(*inputs, **equation.params)
            out = equation.outputs[0]
            values[out] = np.asarray(made)
            if isinstance(equation.op, Ufunc):
                computed[out] = _literal(values[out])
                continue
        if any(a in computed for a in equation.inputs):
            equation = dataclasses.replace(equation, inputs=tuple(computed.get(a, a) for a in equation.inputs))
        equations.append(equation)
    if not computed:
        return program
    outputs = tuple(computed.get(a, a) for a in program.outputs)
    return dataclasses.replace(program, equations=tuple(equations), outputs=outputs)


def _is_constant(equation: Equation, values: dict[Atom, np.ndarray]) -> bool:
    if not (isinstance(equation.op, Ufunc) or equation.op.name in _FORMS) or len(equation.outputs) != 1:
        return False
    if equation.outputs[0].type.size > _MOST_ELEMENTS:
        return False
    return all(isinstance(a, Literal) or a in values for a in equation.inputs)


def _literal(value: np.ndarray) -> Literal:
    """A constant; one element for all where they are the same."""
    flat = np.ascontiguousarray(value).reshape(-1)
    first = flat[:1]
    if flat.size > 1 and flat.tobytes() == first.tobytes() * flat.size:
        return Literal(np.broadcast_to(first[0], value.shape))
    return Literal(value)
