"""Reduction fusion: reductions in small loops become windowed ones, which compute only the elements of a window.

`A[i, :j] @ A[j, :j]` is a product of two rows under a mask. XLA would make both rows first, and then go over all of
them one element after the other; a windowed reduction reads the elements below j in place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import Block, rewrite, with_equations
from anabranch.runtime.ops import cost
from anabranch.runtime.ops.dot_general import dot_general
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.elementwise.comparison import less
from anabranch.runtime.ops.indexing import dynamic_slice
from anabranch.runtime.ops.op import BOOL, scalar
from anabranch.runtime.ops.reduction import argmax, reduce_all, reduce_any
from anabranch.runtime.ops.structured import Loop
from anabranch.runtime.ops.windowed_reduce import is_short, windowed_reduce
from anabranch.runtime.passes.def_use import DefUse
from anabranch.runtime.passes.elementwise_slice import BackwardSlice, is_elementwise
from anabranch.runtime.passes.liveness import live_values
from anabranch.runtime.passes.overlap_analysis import any_overlaps
from anabranch.runtime.passes.update_fusion import fused_update
from anabranch.runtime.passes.window_analysis import Bounds, Windows


def fuse_reductions(program: Program) -> Program:
    """The Program with windowed reductions in the loops that become outlined functions."""
    return _ReductionFusion().outside(program)


class _ReductionFusion:
    """One run of the pass: the results tried for a loop that turned out too large are kept for the loops in it."""

    def __init__(self) -> None:
        self._outlined: dict[Program, Program] = {}

    def outside(self, program: Program) -> Program:
        """A Program that is no part of an outlined function."""

        def nested(equation: Equation) -> Equation:
            if isinstance(equation.op, Loop):
                fused = equation.with_programs(self.outlined)
                if all(map(_is_outlined, fused.programs())):
                    return fused
            return equation.with_programs(self.outside)

        return with_equations(program, map(nested, program.equations))

    def outlined(self, program: Program) -> Program:
        """A Program within an outlined function."""
        if program not in self._outlined:
            self._outlined[program] = self._fused(program)
        return self._outlined[program]

    def _fused(self, program: Program) -> Program:
        defs = DefUse(program)

        def fused(equation: Equation, block: Block) -> Sequence[Atom] | None:
            if any(True for _ in equation.programs()):
                block.append(equation.with_programs(self.outlined))
                return equation.outputs
            at = defs.made[equation.outputs[0]] if equation.outputs else 0
            changed = (
                _fused_reduction(equation, defs, at)
                or _single_element(equation, defs, at)
                or fused_update(equation, defs, at)
            )
            if changed is None:
                return None
            block.equations += changed
            return equation.outputs

        return rewrite(program, fused)


def _is_outlined(program: Program) -> bool:
    """Return whether a loop with this sub-Program becomes an outlined function once its dead code is gone."""
    live = live_values(program)
    return cost.is_small(program, live) and not any_overlaps(program, live)


def _fused_reduction(equation: Equation, defs: DefUse, at: int) -> list[Equation] | None:
    """The equations that stand for a reduction of a vector; None where it stays."""
    vector, combine = equation.inputs[0] if equation.inputs else None, _combine(equation.op)
    if combine is None or vector is None or len(vector.type.shape) != 1 or not _takes(equation):
        return None
    (length,) = vector.type.shape
    windows = Windows(defs, combine)
    bounds = _windowed(equation, windows)
    slice_ = BackwardSlice(defs, windows, at, length, bounds)
    elements = _elements(equation, slice_)
    body = slice_.program(*elements)
    if is_short(body, length):
        return None
    inputs = (*slice_.limits(bounds), *slice_.operands())
    params = {"body": body, "strips": slice_.shapes(), "combine": combine, "length": length}
    out = equation.outputs[0] if equation.op is not argmax else Var(elements[0].type)
    fused = Equation(windowed_reduce, inputs, params, (out,), equation.source)
    rest = _first(out, equation, length) if equation.op is argmax else []
    return [*slice_.before.equations, fused, *rest]


def _combine(op: Op) -> str | None:
    """The ufunc that combines elements; of `argmax` of bools, positions where one is true."""
    return "minimum" if op is argmax else op.combine


def _single_element(equation: Equation, defs: DefUse, at: int) -> list[Equation] | None:
    """The equations of one element of a computed vector, which is computed alone; None for anything else."""
    if equation.op is not dynamic_slice or equation.params["sizes"] != (1,):
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
    op, dtype = equation.op, equation.inputs[0].type.dtype
    if op in (argmax, reduce_any, reduce_all):
        return bool(dtype == np.bool_)
    if dtype.kind not in "iuf" or (dtype.kind == "f" and dtype.itemsize < 4):
        return False
    if op is dot_general:
        return bool(equation.params["contract"] == ((0,), (0,)) and len(equation.inputs[1].type.shape) == 1)
    return bool(equation.params["axes"])


def _windowed(equation: Equation, windows: Windows) -> Bounds:
    """The bounds outside of which elements are neutral."""
    if equation.op is argmax:
        return windows.where(equation.inputs[0])
    if equation.op is dot_general:
        first, second = map(windows.of, equation.inputs)
        return {key: bound for key, bound in first.items() if key in second}
    return windows.of(equation.inputs[0])


def _elements(equation: Equation, slice_: BackwardSlice) -> list[Atom]:
    """Return the operand of the reduction at one index; two factors of it for a dot product."""
    lanes = [slice_.lane(a) for a in equation.inputs]
    if equation.op is argmax:
        nowhere = Literal(np.asarray(np.iinfo(np.int64).max))
        return [slice_.body.emit(select, lanes[0], slice_.position, nowhere)]
    return lanes


def _first(found: Var, equation: Equation, length: int) -> list[Equation]:
    """`argmax` of what is nowhere true is 0."""
    limit, zero, inside = Literal(np.asarray(length)), Literal(np.asarray(0)), Var(scalar(BOOL))
    return [
        Equation(less, (found, limit), {}, (inside,), equation.source),
        Equation(select, (inside, found, zero), {}, equation.outputs, equation.source),
    ]
