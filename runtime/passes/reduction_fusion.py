"""Reduction fusion: reductions in small loops become windowed ones, which compute only the elements of a window.

`A[i, :j] @ A[j, :j]` is a product of two rows under a mask. XLA would make both rows first, and then go over all of
them one element after the other; a windowed reduction reads the elements below j in place.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops import cost
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.ops.windowed_reduce import is_short
from anabranch.runtime.passes.copy_insertion import insert_copies
from anabranch.runtime.passes.cse import eliminate_common_subexpressions
from anabranch.runtime.passes.dce import eliminate_dead_code
from anabranch.runtime.passes.def_use import DefUse
from anabranch.runtime.passes.elementwise_slice import BackwardSlice, is_elementwise
from anabranch.runtime.passes.update_fusion import fused_update
from anabranch.runtime.passes.window_analysis import Bounds, Windows

_COMBINES = {
    "reduce_sum": "add",
    "reduce_prod": "multiply",
    "reduce_min": "minimum",
    "reduce_max": "maximum",
    "reduce_any": "or",
    "reduce_all": "and",
    "dot_general": "add",
    "argmax": "minimum",
}


def fuse_reductions(program: Program) -> Program:
    """The Program with windowed reductions in the loops that become outlined functions."""
    return _ReductionFusion().program(program, outlined=False)


class _ReductionFusion:
    """One run of the pass: the results tried for a loop that turned out too large are kept for the loops in it."""

    def __init__(self) -> None:
        # By the sub-Program's identity, with the sub-Program itself, which lives on so that it stays its own.
        self._outlined: dict[int, tuple[Program, Program]] = {}

    def program(self, program: Program, outlined: bool) -> Program:
        equations: list[Equation] = []
        defs = DefUse(program)
        for at, equation in enumerate(program.equations):
            if any(True for _ in equation.programs()):
                equations.append(self._nested(equation, outlined))
            else:
                equations += (_changed(equation, defs, at) if outlined else None) or [equation]
        return dataclasses.replace(program, equations=tuple(equations))

    def _nested(self, equation: Equation, outlined: bool) -> Equation:
        """An equation with sub-Programs; a loop that is small with its reductions fused is an outlined function."""
        if equation.op.name in ("for", "while") and not outlined:
            # Equations that only the reductions needed count no more.
            fused = equation.with_programs(lambda p: eliminate_dead_code(self._inside(p, True)))
            inner = tuple(fused.programs())
            if all(map(cost.is_small, inner)) and all(cost.is_small(insert_copies(p)) for p in inner):
                return fused
        return equation.with_programs(lambda p: self._inside(p, outlined))

    def _inside(self, program: Program, outlined: bool) -> Program:
        if not outlined:
            return self.program(eliminate_common_subexpressions(program), outlined)
        if id(program) not in self._outlined:
            self._outlined[id(program)] = program, self.program(eliminate_common_subexpressions(program), outlined)
        return self._outlined[id(program)][1]


def _changed(equation: Equation, defs: DefUse, at: int) -> list[Equation] | None:
    return (
        _fused_reduction(equation, defs, at) or _single_element(equation, defs, at) or fused_update(equation, defs, at)
    )


def _fused_reduction(equation: Equation, defs: DefUse, at: int) -> list[Equation] | None:
    """The equations that stand for a reduction of a vector; None where it stays."""
    name, vector = equation.op.name, equation.inputs[0] if equation.inputs else None
    if name not in _COMBINES or vector is None or len(vector.type.shape) != 1 or not _takes(equation):
        return None
    (length,), combine = vector.type.shape, _COMBINES[name]
    windows = Windows(defs, combine)
    bounds = _windowed(equation, windows)
    slice_ = BackwardSlice(defs, windows, at, length, bounds)
    elements = _elements(equation, slice_)
    body = slice_.program(*elements)
    if is_short(body, length):
        return None
    inputs = (*slice_.limits(bounds), *slice_.operands())
    params = {"body": body, "strips": slice_.shapes(), "combine": combine, "length": length}
    op = OPS["windowed_reduce"]
    out = equation.outputs[0] if name != "argmax" else Var(elements[0].type)
    fused = Equation(op, inputs, params, (out,), equation.source)
    return [*slice_.before, fused, *(_first(out, equation, length) if name == "argmax" else [])]


def _single_element(equation: Equation, defs: DefUse, at: int) -> list[Equation] | None:
    """The equations of one element of a computed vector, which is computed alone; None for anything else."""
    if equation.op.name != "dynamic_slice" or equation.params["sizes"] != (1,):
        return None
    vector, index = equation.inputs
    maker = defs.maker(vector)
    if maker is None or not is_elementwise(maker) or vector.type.size == 1:
        return None
    (length,) = vector.type.shape
    slice_ = BackwardSlice(defs, Windows(defs, "add"), at, length, ())
    return slice_.element(vector, index, equation)


def _takes(equation: Equation) -> bool:
    """Return whether `windowed_reduce` has a reduction of this kind and dtype."""
    name, dtype = equation.op.name, equation.inputs[0].type.dtype
    if name in ("argmax", "reduce_any", "reduce_all"):
        return bool(dtype == np.bool_)
    if dtype.kind not in "iuf" or (dtype.kind == "f" and dtype.itemsize < 4):
        return False
    if name == "dot_general":
        return bool(equation.params["contract"] == ((0,), (0,)) and len(equation.inputs[1].type.shape) == 1)
    return bool(equation.params["axes"])


def _windowed(equation: Equation, windows: Windows) -> Bounds:
    """The bounds outside of which elements are neutral."""
    if equation.op.name == "argmax":
        return windows.where(equation.inputs[0])
    if equation.op.name == "dot_general":
        first, second = map(windows.of, equation.inputs)
        return {key: bound for key, bound in first.items() if key in second}
    return windows.of(equation.inputs[0])


def _elements(equation: Equation, slice_: BackwardSlice) -> list[Atom]:
    """Return the operand of the reduction at one index; two factors of it for a dot product."""
    lanes = [slice_.lane(a) for a in equation.inputs]
    if equation.op.name == "argmax":
        nowhere = Literal(np.asarray(np.iinfo(np.int64).max))
        return [slice_.emit("select", lanes[0], slice_.position, nowhere)]
    return lanes


def _first(found: Var, equation: Equation, length: int) -> list[Equation]:
    """`argmax` of what is nowhere true is 0."""
    limit, zero, inside = Literal(np.asarray(length)), Literal(np.asarray(0)), Var(_BOOL_TYPE)
    return [
        Equation(OPS["less"], (found, limit), {}, (inside,), equation.source),
        Equation(OPS["select"], (inside, found, zero), {}, equation.outputs, equation.source),
    ]


_BOOL_TYPE = Literal(np.zeros((), np.bool_)).type
