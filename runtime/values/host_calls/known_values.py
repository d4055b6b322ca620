"""Values that run-time values have in the call that a function is traced for, as far as NumPy can tell them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Var
from anabranch.runtime.ops.host_call import host_call
from anabranch.runtime.ops.structured import Loop
from anabranch.runtime.tracing.builder import Builder, tracing_nothing


def values_of(builder: Builder, atoms: Sequence[Atom]) -> list[np.ndarray | None]:
    """The values of atoms; None for one that loops decide, or steps of a loop."""
    memo = builder.trace.host_calls.values
    with tracing_nothing(), np.errstate(all="ignore"):
        _find(builder, [atom for atom in atoms if isinstance(atom, Var)], memo)
    return [atom.value if isinstance(atom, Literal) else memo.get(atom) for atom in atoms]


def _find(builder: Builder, wanted: Sequence[Var], memo: dict[Var, np.ndarray]) -> None:
    """Evaluate what some values of a builder need."""
    needed = {var for var in wanted if var not in memo}
    plan: list[Equation] = []
    for equation in reversed(builder.equations):
        if not needed.isdisjoint(equation.outputs):
            plan.append(equation)
            needed.update(a for a in equation.inputs if isinstance(a, Var) and a not in memo)
    _from_outside(builder, needed, memo)
    for equation in reversed(plan):
        if not _can_be_told(equation):
            continue
        inputs = [a.value if isinstance(a, Literal) else memo.get(a) for a in equation.inputs]
        if any(x is None for x in inputs):
            continue
        try:
            made = equation.op.evaluate(*inputs, **equation.params)
        except Exception:  # of values that the program would have left before
            continue
        memo.update(zip(equation.outputs, map(np.asarray, made), strict=True))


def _from_outside(builder: Builder, needed: set[Var], memo: dict[Var, np.ndarray]) -> None:
    """Find the values of a builder's inputs."""
    parent = builder.parent
    if parent is None:
        known = builder.trace.outside.input_values()
        for formal, value in zip(builder.formals, known, strict=False):
            if formal in needed and value is not None:
                memo[formal] = np.asarray(value, formal.type.dtype).reshape(formal.type.shape)
        return
    outer: dict[Var, Any] = {}
    for var in needed:
        if var in builder.origins:
            outer[var] = builder.origins[var]
        elif var in builder.memories:
            outer[var] = parent.read(builder.memories[var])
    _find(parent, [atom for atom in outer.values() if isinstance(atom, Var)], memo)
    for var, atom in outer.items():
        value = atom.value if isinstance(atom, Literal) else memo.get(atom)
        if value is not None:
            memo[var] = value


def _can_be_told(equation: Equation) -> bool:
    """Return whether an equation is evaluated at once, without effects."""
    if equation.op is host_call:
        return not equation.params["call"].is_ordered
    if not equation.op.pure or isinstance(equation.op, Loop):
        return False
    return all(_can_be_told(inner) for program in equation.programs() for inner in program.equations)
