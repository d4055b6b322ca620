"""Equations that are computed while tracing: those of known numbers, and loops over a few of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir import interpret
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Var
from anabranch.runtime.ops.host_callback import effects
from anabranch.runtime.ops.op import PartOp
from anabranch.runtime.ops.structured import Loop, StructuredOp

# Of up to so many known ints or bools an equation is computed while tracing.
_FEW = 16
# Loops are computed of larger tables, if their steps evaluate no more equations, which takes a tenth of a second:
# compiled code takes a hundredth of the time for others.
_TABLE = 64
_MOST_EVALUATED = 2**15
# How many definitions back a table is followed to the numbers that it is made of.
_DEEPEST = 4

Maker = Callable[[Var], Equation | None]


def folded(
    op: Op, atoms: Sequence[Atom], types: Sequence[ArrayType], params: Mapping[str, Any], maker: Maker
) -> Sequence[Any] | None:
    """The results of an equation that is computed while tracing; None for another one.

    Parameters
    ----------
    op, atoms, params
        The equation.
    types
        Of its results.
    maker
        The equation that computes a value, where that is known.
    """
    if not (op.pure and atoms and isinstance(atoms[0], Literal)):
        return None
    values = _values(op, atoms, types, maker)
    if values is None or any(effects((Equation(op, tuple(atoms), params, ()),))):
        return None
    with np.errstate(all="ignore"):
        if not isinstance(op, StructuredOp):
            return op.evaluate(*values, **params)
        try:
            with interpret.limited(_MOST_EVALUATED):
                return op.evaluate(*values, **params)
        except interpret.TooLongError:
            return None


def _values(op: Op, atoms: Sequence[Atom], types: Sequence[ArrayType], maker: Maker) -> Sequence[np.ndarray] | None:
    """The inputs of an equation that is small enough.

    Arrays of a few ints and bools are among them, as shapes are computed: `np.array(x.shape) // 2`.
    """
    if all(isinstance(a, Literal) for a in atoms):
        few = all(t.dtype.kind in "iub" and t.size <= _FEW for t in (*types, *(a.type for a in atoms)))
        part = isinstance(op, PartOp) and all(t.size <= _FEW for t in types)
        if few or part or all(t.size == 1 for t in types):
            return [a.value for a in atoms if isinstance(a, Literal)]
    if not isinstance(op, Loop) or any(t.size > _TABLE for t in types):
        return None
    found = [_table(a, maker, 0) for a in atoms]
    known = [value for value in found if value is not None]
    return known if len(known) == len(found) else None


def _table(atom: Atom, maker: Maker, depth: int) -> np.ndarray | None:
    """The value of a small array that is made of known numbers; None for another one."""
    if atom.type.size > _TABLE:
        return None
    if isinstance(atom, Literal):
        return atom.value
    equation = maker(atom) if depth < _DEEPEST else None
    if equation is None or not (equation.op.is_elementwise or equation.op.is_transparent):
        return None
    inputs = [_table(a, maker, depth + 1) for a in equation.inputs]
    if any(value is None for value in inputs):
        return None
    (made,) = equation.op.evaluate(*inputs, **equation.params)
    return np.asarray(made)
