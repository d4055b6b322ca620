"""Every elementwise op gives the same in native loops, element by element, as NumPy does on whole arrays."""

from __future__ import annotations

from collections.abc import Sequence

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
from tests.internals.ops.elementwise_values import pairs, values
from tests.internals.ops.op_cases import Case, Outcome, differs, report
from tests.internals.ops.test_elementwise import ABSOLUTE, COMPLEX_ULPS, ULPS, cases

UFUNCS = sorted(name for name, op in OPS.items() if isinstance(op, Ufunc))


def looped(case: Case) -> Program:
    """A loop over the elements of the case's arrays, each of which the op computes alone."""
    length = case.inputs[0].size
    scalars = [Var(ArrayType((), x.dtype)) for x in case.inputs]
    made = tuple(Var(t) for t in case.op.type(*(v.type for v in scalars), **case.params))
    index = Var(ArrayType((), INT64))
    body = Program((index, *scalars), (Equation(case.op, tuple(scalars), case.params, made),), made)
    arrays = tuple(Var(ArrayType((length,), x.dtype)) for x in case.inputs)
    stacked = tuple(Var(ArrayType((length,), v.type.dtype)) for v in made)
    params = {"body": body, "consts": 0, "carries": 0, "length": length}
    trip = Literal(np.array(length))
    return Program(arrays, (Equation(OPS["for"], (trip, *arrays), params, stacked),), stacked)


def run(case: Case) -> Outcome | None:
    """The outcome of the loop in machine code; None where it has no such form."""
    program = looped(case)
    made = module(program, native=NativeOptions())
    if not made.callbacks:
        return None
    got = compile_text(made.text, callbacks=made.callbacks)(case.inputs)
    with np.errstate(all="ignore"):
        return Outcome(case, tuple(got), tuple(evaluate(program, *case.inputs)))


def compare(outcome: Outcome, ulps: float, absolute: float = 0, zero_signs: bool = True) -> None:
    for i, (got, wanted) in enumerate(zip(outcome.got, outcome.wanted, strict=True)):
        eps = np.finfo(got.dtype).eps if got.dtype.kind in "fc" else 0
        wrong = differs(got, wanted, ulps=ulps, absolute=absolute * eps, zero_signs=zero_signs)
        assert not wrong.any(), report(outcome, wrong, i)


@pytest.mark.parametrize("name", UFUNCS)
def test_ufunc(name, rng):
    native = []
    for case in cases(OPS[name], rng):
        outcome = run(case)
        if outcome is None:
            continue
        native.append(case)
        ulps = (COMPLEX_ULPS if case.inputs[0].dtype.kind == "c" else ULPS).get(name, 0)
        compare(outcome, ulps, ABSOLUTE.get(name, 0), name not in ("fmax", "fmin"))
    assert native, f"no native form of {name}"


@pytest.mark.parametrize("source", "?bBhHiIqQfdFD")
def test_conversions(source, rng):
    some = values(np.dtype(source), 50, rng)
    for target in map(np.dtype, "?bBhHiIqQfdFD"):
        outcome = run(Case(OPS["convert"], (some,), {"dtype": target}))
        assert outcome is not None
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
    outcome = run(Case(OPS[name], tuple(np.ascontiguousarray(a) for a in arrays)))
    assert outcome is not None
    compare(outcome, 0)
