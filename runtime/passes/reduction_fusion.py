"""Reductions in small loops become folds, which compute elements as they combine them, and only those of a window.

`A[i, :j] @ A[j, :j]` is a product of two rows under a mask. XLA would make both rows first, and then go over all of
them one element after the other; a fold reads what lies below j where it is.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops import cost
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.ops.windowed_reduce import is_short
from anabranch.runtime.passes.copy_insertion import keep_blocks_apart
from anabranch.runtime.passes.cse import compute_once
from anabranch.runtime.passes.dce import drop_dead_code
from anabranch.runtime.passes.def_use import Scope
from anabranch.runtime.passes.elementwise_slice import Cone, is_elementwise
from anabranch.runtime.passes.update_fusion import patched
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


def fold_reductions(program: Program) -> Program:
    """The Program with the reductions in loops that become native functions as folds."""
    return _Folding().program(program, native=False)


class _Folding:
    """One run of the pass: what has been tried for a loop that turned out too large is there for the loops in it."""

    def __init__(self) -> None:
        # By the sub-Program's identity, with the sub-Program itself, which lives on so that it stays its own.
        self._native: dict[int, tuple[Program, Program]] = {}

    def program(self, program: Program, native: bool) -> Program:
        equations: list[Equation] = []
        scope = Scope(program)
        for at, equation in enumerate(program.equations):
            if any(True for _ in equation.programs()):
                equations.append(self._nested(equation, native))
            else:
                equations += (_changed(equation, scope, at) if native else None) or [equation]
        return dataclasses.replace(program, equations=tuple(equations))

    def _nested(self, equation: Equation, native: bool) -> Equation:
        """An equation with sub-Programs; a loop that is small with its reductions as folds is a native function."""
        if equation.op.name in ("for", "while") and not native:
            # What only the reductions needed counts no more.
            fused = equation.with_programs(lambda p: drop_dead_code(self._inside(p, True)))
            inner = tuple(fused.programs())
            if all(map(cost.is_small, inner)) and all(cost.is_small(keep_blocks_apart(p)) for p in inner):
                return fused
        return equation.with_programs(lambda p: self._inside(p, native))

    def _inside(self, program: Program, native: bool) -> Program:
        if not native:
            return self.program(compute_once(program), native)
        if id(program) not in self._native:
            self._native[id(program)] = program, self.program(compute_once(program), native)
        return self._native[id(program)][1]


def _changed(equation: Equation, scope: Scope, at: int) -> list[Equation] | None:
    return _folded(equation, scope, at) or _picked(equation, scope, at) or patched(equation, scope, at)


def _folded(equation: Equation, scope: Scope, at: int) -> list[Equation] | None:
    """The equations that stand for a reduction of a line; None where it stays."""
    name, line = equation.op.name, equation.inputs[0] if equation.inputs else None
    if name not in _COMBINES or line is None or len(line.type.shape) != 1 or not _takes(equation):
        return None
    (length,), combine = line.type.shape, _COMBINES[name]
    windows = Windows(scope, combine)
    bounds = _windowed(equation, windows)
    cone = Cone(scope, windows, at, length, bounds)
    elements = _elements(equation, cone)
    body = cone.program(*elements)
    if is_short(body, length):
        return None
    inputs = (*cone.limits(bounds), *cone.operands())
    params = {"body": body, "lines": cone.shapes(), "combine": combine, "length": length}
    op = OPS["fold"]
    out = equation.outputs[0] if name != "argmax" else Var(elements[0].type)
    fold = Equation(op, inputs, params, (out,), equation.source)
    return [*cone.before, fold, *(_first(out, equation, length) if name == "argmax" else [])]


def _picked(equation: Equation, scope: Scope, at: int) -> list[Equation] | None:
    """One element of a line that is computed: it alone is computed; None for anything else."""
    if equation.op.name != "dynamic_slice" or equation.params["sizes"] != (1,):
        return None
    line, index = equation.inputs
    maker = scope.maker(line)
    if maker is None or not is_elementwise(maker) or line.type.size == 1:
        return None
    (length,) = line.type.shape
    cone = Cone(scope, Windows(scope, "add"), at, length, ())
    return cone.element(line, index, equation)


def _takes(equation: Equation) -> bool:
    """Return whether a reduction is of a kind that a fold has."""
    name, dtype = equation.op.name, equation.inputs[0].type.dtype
    if name in ("argmax", "reduce_any", "reduce_all"):
        return bool(dtype == np.bool_)
    if dtype.kind not in "iuf" or (dtype.kind == "f" and dtype.itemsize < 4):
        return False
    if name == "dot_general":
        return bool(equation.params["contract"] == ((0,), (0,)) and len(equation.inputs[1].type.shape) == 1)
    return bool(equation.params["axes"])


def _windowed(equation: Equation, windows: Windows) -> Bounds:
    """The bounds outside of which nothing is combined."""
    if equation.op.name == "argmax":
        return windows.where(equation.inputs[0])
    if equation.op.name == "dot_general":
        first, second = map(windows.of, equation.inputs)
        return {key: bound for key, bound in first.items() if key in second}
    return windows.of(equation.inputs[0])


def _elements(equation: Equation, cone: Cone) -> list[Atom]:
    """Return the operand of the reduction at one index; two factors of it for a dot product."""
    lanes = [cone.lane(a) for a in equation.inputs]
    if equation.op.name == "argmax":
        nowhere = Literal(np.asarray(np.iinfo(np.int64).max))
        return [cone.emit("select", lanes[0], cone.position, nowhere)]
    return lanes


def _first(found: Var, equation: Equation, length: int) -> list[Equation]:
    """`argmax` of what is nowhere true is 0."""
    limit, zero, inside = Literal(np.asarray(length)), Literal(np.asarray(0)), Var(_BOOL_TYPE)
    return [
        Equation(OPS["less"], (found, limit), {}, (inside,), equation.source),
        Equation(OPS["select"], (inside, found, zero), {}, equation.outputs, equation.source),
    ]


_BOOL_TYPE = Literal(np.zeros((), np.bool_)).type
