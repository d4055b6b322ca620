"""Every elementwise op gives the same in native loops, element by element, as NumPy does on whole arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from anabranch.runtime.host.machine_code import NativeOptions
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Equation, Literal, Program, Var
from anabranch.runtime.lower import module
from anabranch.runtime.ops.elementwise.term import BOOL, FLOAT64, INT64
from anabranch.runtime.ops.elementwise.ufunc import Ufunc
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.xla.compiler import compile_text
from tests.equivalence import check
from tests.internals.ops.elementwise_values import pairs, values
from tests.internals.ops.op_cases import Case, Outcome, differs, report
from tests.internals.ops.test_elementwise import ABSOLUTE, COMPLEX_ULPS, ULPS, cases

UFUNCS = sorted(name for name, op in OPS.items() if isinstance(op, Ufunc))


def looped(cases: Sequence[Case]) -> Program:
    """A loop for each case, over the elements of its arrays, each of which the op computes alone."""
    inputs: list[Var] = []
    equations: list[Equation] = []
    for case in cases:
        length = case.inputs[0].size
        scalars = [Var(ArrayType((), x.dtype)) for x in case.inputs]
        made = tuple(Var(t) for t in case.op.type(*(v.type for v in scalars), **case.params))
        index = Var(ArrayType((), INT64))
        body = Program((index, *scalars), (Equation(case.op, tuple(scalars), case.params, made),), made)
        arrays = tuple(Var(ArrayType((length,), x.dtype)) for x in case.inputs)
        stacked = tuple(Var(ArrayType((length,), v.type.dtype)) for v in made)
        params = {"body": body, "consts": 0, "carries": 0, "length": length}
        inputs += arrays
        equations.append(Equation(OPS["for"], (Literal(np.array(length)), *arrays), params, stacked))
    return Program(tuple(inputs), tuple(equations), tuple(v for e in equations for v in e.outputs))


def run(cases: Iterable[Case]) -> list[Outcome]:
    """The outcomes of loops in machine code, in one Program, of those cases that have such a form."""
    cases = [case for case in cases if module(looped([case]), native=NativeOptions()).callbacks]
    program = looped(cases)
    made = module(program, native=NativeOptions())
    arguments = [x for case in cases for x in case.inputs]
    got = iter(compile_text(made.text, callbacks=made.callbacks)(arguments))
    with np.errstate(all="ignore"):
        wanted = iter(evaluate(program, *arguments))
    return [
        Outcome(case, tuple(next(got) for _ in e.outputs), tuple(next(wanted) for _ in e.outputs))
        for case, e in zip(cases, program.equations, strict=True)
    ]


def compare(outcome: Outcome, ulps: float, absolute: float = 0, zero_signs: bool = True) -> None:
    for i, (got, wanted) in enumerate(zip(outcome.got, outcome.wanted, strict=True)):
        eps = np.finfo(got.dtype).eps if got.dtype.kind in "fc" else 0
        wrong = differs(got, wanted, ulps=ulps, absolute=absolute * eps, zero_signs=zero_signs)
        assert not wrong.any(), report(outcome, wrong, i)


@pytest.mark.parametrize("name", UFUNCS)
def test_ufunc(name, rng):
    outcomes = run(cases(OPS[name], rng))
    for outcome in outcomes:
        ulps = (COMPLEX_ULPS if outcome.case.inputs[0].dtype.kind == "c" else ULPS).get(name, 0)
        compare(outcome, ulps, ABSOLUTE.get(name, 0), name not in ("fmax", "fmin"))
    assert outcomes, f"no native form of {name}"


@pytest.mark.parametrize("source", "?bBhHiIqQfdFD")
def test_conversions(source, rng):
    some = values(np.dtype(source), 50, rng)
    targets = [np.dtype(kind) for kind in "?bBhHiIqQfdFD"]
    outcomes = run(Case(OPS["convert"], (some,), {"dtype": target}) for target in targets)
    assert len(outcomes) == len(targets)
    for outcome in outcomes:
        compare(outcome, 0)


@pytest.mark.parametrize(
    ("name", "dtypes"),
    [
        ("add_overflows", (INT64, INT64)),
        ("subtract_overflows", (INT64, INT64)),
        ("multiply_overflows", (INT64, INT64)),
        ("int_true_divide", (INT64, INT64)),
        ("round_digits", (FLOAT64, INT64)),
        ("select", (BOOL, FLOAT64, FLOAT64)),
    ],
)
def test_other_ops(name: str, dtypes: Sequence[np.dtype], rng):
    inputs = [values(d, 20, rng) for d in dtypes]
    if name == "round_digits":
        inputs[1] = np.arange(-5, 20)
    if name == "int_true_divide":
        inputs[1] = inputs[1][inputs[1] != 0]  # a divisor of 0 is checked beforehand
    first, second = pairs(inputs[0], inputs[1])
    arrays = (first, second, rng.permutation(second))[: len(dtypes)]
    (outcome,) = run([Case(OPS[name], tuple(np.ascontiguousarray(a) for a in arrays))])
    compare(outcome, 0)


INTS = np.array([-(2**63), -7, -1, 0, 0, 1, 7, 2**63 - 1] * 5)
FLOATS = np.array([-np.inf, -1e300, -(2.0**63), -2147483648.5, -1.5, -0.5, 0.5, 127.9, 2.0**31, 2.0**63, np.nan] * 3)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64])
def test_whole_arrays_become_ints(dtype):
    check(lambda x: (x.astype(dtype), (x[::-2] + x[::2]).astype(dtype)), FLOATS)
    check(lambda x: x.astype(dtype), FLOATS.astype(np.float32))


def test_whole_arrays_of_ints_are_divided():
    check(lambda x, y: (x // y, x % y, np.fmod(x, y), np.divmod(x[:8], y.reshape(5, 8))), INTS, np.roll(INTS, 3))
    check(lambda x: (x // 7, x % -3, 5 // x, x // 0, x % -1, divmod(x, 10), divmod(x, 0)), INTS)
    for divisor in (3, 641, 2**32 + 1, 2**62 + 1, 2**63 - 1):
        check(lambda x: (x // divisor, x % divisor), np.append(INTS, [divisor - 1, divisor, -divisor, -divisor - 1]))
