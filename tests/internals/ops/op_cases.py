"""Run ops through XLA and through their own evaluation, and compare."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Equation, Program, Var
from anabranch.runtime.lower import lower
from anabranch.runtime.xla.compiler import compile_text

NDArray = np.ndarray[Any, Any]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One op on some arrays."""

    op: Op
    inputs: tuple[NDArray, ...]
    params: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.op.name}({', '.join(str(x.dtype) for x in self.inputs)}){dict(self.params) or ''}"


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The result that XLA gave for a case and what the op's evaluation gives."""

    case: Case
    got: tuple[NDArray, ...]
    wanted: tuple[NDArray, ...]


def array_type(array: NDArray) -> ArrayType:
    return ArrayType(array.shape, array.dtype)


def equation(case: Case) -> Equation:
    variables = tuple(Var(array_type(x)) for x in case.inputs)
    outputs = tuple(Var(t) for t in case.op.type(*(v.type for v in variables), **case.params))
    return Equation(case.op, variables, case.params, outputs)


def run(cases: Sequence[Case]) -> list[Outcome]:
    """All cases as the equations of one Program, which compiles faster than a Program each."""
    equations = tuple(map(equation, cases))
    inputs = tuple(v for e in equations for v in e.inputs)
    program = Program(inputs, equations, tuple(v for e in equations for v in e.outputs))  # type: ignore[arg-type]
    arguments = [x for case in cases for x in case.inputs]
    got = iter(compile_text(lower(program))(arguments))
    wanted = iter(evaluate(program, *arguments))
    return [
        Outcome(case, tuple(next(got) for _ in e.outputs), tuple(next(wanted) for _ in e.outputs))
        for case, e in zip(cases, equations, strict=True)
    ]


def differs(got: NDArray, wanted: NDArray, *, ulps: float = 0, absolute: float = 0, zero_signs: bool = True) -> NDArray:
    """Where two arrays differ by more than `ulps` of the wanted value. Signs and payloads of NaN don't count.

    XLA on the CPU counts subnormal numbers as zero, so a wanted subnormal may come as one or as zero.
    """
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    if got.dtype.kind == "c":
        size = np.where(np.isfinite(wanted), np.abs(wanted), 0)
        slack = absolute + size * (ulps * np.finfo(got.real.dtype).eps)
        parts = ((got.real, wanted.real), (got.imag, wanted.imag))
        return np.logical_or(*(differs(g, w, absolute=slack, zero_signs=zero_signs) for g, w in parts))
    if got.dtype.kind != "f":
        return got != wanted
    info = np.finfo(got.dtype)
    g, w = got.astype(np.float64), wanted.astype(np.float64)
    near = np.abs(g - w) <= np.maximum(np.abs(w) * (ulps * float(info.eps)), absolute)
    small = float(info.tiny) * (1 + 4 * float(info.eps))
    same = (g == w) | near | (np.isnan(g) & np.isnan(w)) | ((np.abs(w) < small) & (np.abs(g) < small))
    if zero_signs:
        same &= (np.signbit(g) == np.signbit(w)) | np.isnan(w) | ~((g == 0) & (w == 0))
    return ~same


def report(outcome: Outcome, wrong: NDArray, output: int) -> str:
    """The first few differences, for a failing test's message."""
    lines = [f"{outcome.case} output {output}: {np.count_nonzero(wrong)} of {wrong.size} differ"]
    for i in np.flatnonzero(wrong)[:5]:
        inputs = ", ".join(repr(x.ravel()[i].item()) for x in outcome.case.inputs)
        got, wanted = outcome.got[output].ravel()[i].item(), outcome.wanted[output].ravel()[i].item()
        lines.append(f"    ({inputs}): {got!r}, NumPy has {wanted!r}")
    return "\n".join(lines)
