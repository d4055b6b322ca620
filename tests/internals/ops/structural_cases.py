"""Arrays of every dtype, and the comparison of an op with NumPy's own function: alone, and inside a loop's body."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Literal, Program, Var
from anabranch.runtime.ops.stablehlo_text import tensor
from anabranch.runtime.ops.stablehlo_writer import Emitter
from anabranch.runtime.xla.compiler import compile_text
from tests.internals.ops.op_cases import Case, Outcome, differs, equation, report, run

NDArray = np.ndarray[Any, Any]

BOOL = np.dtype(np.bool_)
INTEGERS = [np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = [np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)]
COMPLEX = [np.dtype(np.complex64), np.dtype(np.complex128)]
DTYPES = [BOOL, *INTEGERS, *FLOATS, *COMPLEX]
INEXACT = [*FLOATS, *COMPLEX]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A case and what NumPy's own function gives for it."""

    case: Case
    expected: Any


def of(op: Op, *inputs: Any, expected: Any, **params: Any) -> Check:
    return Check(Case(op, tuple(map(np.asarray, inputs)), params), expected)


def check(checks: Sequence[Check], *, ulps: float = 0, absolute: float = 0, zero_signs: bool = True) -> None:
    """Evaluation must be NumPy's function to the bit; XLA's answer must be within the tolerance."""
    for outcome, item in zip(run([c.case for c in checks]), checks, strict=True):
        (wanted,), (got,) = outcome.wanted, outcome.got
        expected = np.asarray(item.expected)
        assert wanted.dtype == expected.dtype, item.case
        assert wanted.shape == expected.shape, item.case
        assert not differs(wanted, expected).any(), f"evaluation: {item.case}"
        wrong = differs(got, wanted, ulps=ulps, absolute=absolute, zero_signs=zero_signs)
        assert not wrong.any(), _report(outcome, wrong)


def _report(outcome: Outcome, wrong: NDArray) -> str:
    if all(x.shape == wrong.shape for x in outcome.case.inputs):
        return report(outcome, wrong, 0)
    at = tuple(int(i[0]) for i in np.nonzero(wrong))
    counts = f"{outcome.case}: {np.count_nonzero(wrong)} of {wrong.size} differ"
    return f"{counts}, the first at {at}: {outcome.got[0][at]!r}, NumPy has {outcome.wanted[0][at]!r}"


def check_in_loop(cases: Sequence[Case], *, absolute: float = 0) -> None:
    """The lowerings stand inside the body of a loop of two turns, the first of which computes on zeros."""
    equations = tuple(map(equation, cases))
    inputs = tuple(v for e in equations for v in e.inputs if isinstance(v, Var))
    program = Program(inputs, equations, tuple(v for e in equations for v in e.outputs))
    arguments = [x for case in cases for x in case.inputs]
    got = compile_text(_looped(program))([np.zeros((), np.int32), *arguments])
    sources = [case for case, e in zip(cases, equations, strict=True) for _ in e.outputs]
    for case, result, wanted in zip(sources, got, evaluate(program, *arguments), strict=True):
        assert not differs(result, wanted, ulps=64, absolute=absolute, zero_signs=False).any(), case


def _looped(program: Program) -> str:
    counter = ArrayType((), np.dtype(np.int32))
    n = len(program.inputs)
    emitter = Emitter()
    types = [counter, *program.in_types, *program.out_types]
    arguments = [f"%arg{i}" for i in range(n + 1)]
    zeros = [emitter.program(Program((), (), (Literal(np.zeros(t.shape, t.dtype)),)), [])[0] for t in program.out_types]

    def condition(carry: list[str]) -> list[str]:
        more = emitter.compare(carry[0], emitter.constant(2, counter), "LT", counter)
        return emitter.typed([more], [ArrayType((), BOOL)])

    def body(carry: list[str]) -> list[str]:
        after = emitter.binary("add", carry[0], emitter.constant(1, counter), counter)
        results = emitter.program(program, carry[1 : n + 1])
        return emitter.typed([after, *carry[1 : n + 1], *results], types)

    regions = [emitter.region(types, condition), emitter.region(types, body)]
    results = emitter.multi("while", [*arguments, *zeros], types, types, regions)[n + 1 :]
    binders = ", ".join(f"{a}: {tensor(t)}" for a, t in zip(arguments, types, strict=False))
    outs = ", ".join(map(tensor, program.out_types))
    lines = [f"func.func public @main({binders}) -> ({outs}) {{", *emitter.lines]
    functions = [line for function in emitter.functions for line in function]
    return "\n".join(["module @looped {", *lines, f"return {', '.join(results)} : {outs}", "}", *functions, "}"])


def sample(rng: np.random.Generator, dtype: np.dtype[Any], *shape: int) -> NDArray:
    """Values of a dtype with repeats; the extremes among integers, moderate floats."""
    if dtype == BOOL:
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        picked = rng.integers(max(info.min, -9), 9, shape, endpoint=True).astype(dtype)
        return np.where(rng.random(shape) < 0.1, rng.choice([info.min, info.max], shape), picked).astype(dtype)
    values = rng.integers(-12, 12, shape) / 4
    if dtype.kind == "c":
        return (values + 1j * rng.integers(-12, 12, shape) / 4).astype(dtype)
    return values.astype(dtype)


def with_specials(rng: np.random.Generator, array: NDArray) -> NDArray:
    """NaN, infinities and zeros of both signs at random places of an array of floats or complex numbers."""
    if array.dtype.kind not in "fc":
        return array
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0])
    out = array.copy()
    for part in (out.real, out.imag) if array.dtype.kind == "c" else (out,):
        mask = rng.random(array.shape) < 0.2
        part[mask] = rng.choice(special, np.count_nonzero(mask))
    return out
