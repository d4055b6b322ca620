"""Every ufunc's op gives NumPy's answers through XLA, on all dtypes and on the values that tend to go wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops.elementwise import LEFT_OUT
from anabranch.runtime.ops.elementwise.ufunc import Ufunc
from anabranch.runtime.ops.table import OPS
from tests.internals.ops.elementwise_values import pairs, values
from tests.internals.ops.op_cases import Case, differs, report, run

UFUNCS = {name: op for name, op in OPS.items() if isinstance(op, Ufunc)}

# In units of the last place of the result (of its absolute value where it is complex). What is not here is exact.
# NumPy's own results differ by two or three from CPU to CPU: it has other code where there are wide vectors.
ULPS: dict[str, float] = {
    **dict.fromkeys(("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "hypot"), 4),
    **dict.fromkeys(("sin", "cos", "tan", "sinh", "cosh", "tanh", "logaddexp", "logaddexp2"), 4),
    **dict.fromkeys(("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "arctan2"), 4),
    **dict.fromkeys(("power", "float_power", "cbrt"), 4),
}
COMPLEX_ULPS: dict[str, float] = {
    **ULPS,
    **dict.fromkeys(("absolute", "sign", "divide", "reciprocal", "sqrt"), 2),
    # An error of one unit in y log x is as many units of the power as y log x is large.
    **dict.fromkeys(("power", "float_power"), 300),
}
# Sums that cancel: NumPy's own error is in units of 1, not of the result.
ABSOLUTE = dict.fromkeys(("log1p", "logaddexp", "logaddexp2"), 3)


def loops(op: Ufunc) -> list[tuple[np.dtype, ...]]:
    """The distinct dtypes of a ufunc's loops that an op has."""
    inputs = (kinds.split("->")[0] for kinds in op.ufunc.types)
    return list(dict.fromkeys(tuple(map(np.dtype, chars)) for chars in inputs if not set(chars) & set("gGOmM")))


def cases(op: Ufunc, rng: np.random.Generator) -> Iterator[Case]:
    for dtypes in loops(op):
        if len(dtypes) == 1:
            yield Case(op, (values(dtypes[0], 200, rng),))
        else:
            yield Case(op, pairs(*(values(d, 4, rng) for d in dtypes)))


def test_every_ufunc_of_numpy_is_an_op_or_left_out_for_a_reason():
    ufuncs = {f.__name__ for f in vars(np).values() if isinstance(f, np.ufunc)}
    assert ufuncs - set(LEFT_OUT) == set(UFUNCS)
    assert all(op.ufunc.__name__ == name for name, op in UFUNCS.items())


@pytest.mark.parametrize("name", UFUNCS)
def test_ufunc(name, rng):
    for outcome in run(list(cases(UFUNCS[name], rng))):
        ulps = (COMPLEX_ULPS if outcome.case.inputs[0].dtype.kind == "c" else ULPS).get(name, 0)
        for i, (got, wanted) in enumerate(zip(outcome.got, outcome.wanted, strict=True)):
            eps = np.finfo(got.dtype).eps if got.dtype.kind in "fc" else 0
            wrong = differs(
                got,
                wanted,
                ulps=ulps,
                absolute=ABSOLUTE.get(name, 0) * eps,
                # NumPy's own answer for -0.0 and 0.0 changes with the array's length.
                zero_signs=name not in ("fmax", "fmin"),
            )
            assert not wrong.any(), report(outcome, wrong, i)


@pytest.mark.parametrize("shape", [(), (0,), (2, 3), (2, 0)])
def test_shapes(shape):
    """A selection of rules: plain, expanded, looping, two results."""
    ops = [(np.add, 2), (np.floor_divide, 2), (np.gcd, 2), (np.power, 2), (np.divmod, 2), (np.invert, 1)]
    outcomes = run([Case(OPS[f.__name__], (np.full(shape, 12), np.full(shape, 5))[:arity]) for f, arity in ops])
    for outcome in outcomes:
        for got, wanted in zip(outcome.got, outcome.wanted, strict=True):
            np.testing.assert_array_equal(got, wanted, strict=True)


def test_ldexp_over_the_whole_range():
    x = np.array([1.0, -1.5, 2.0**1000, 2.0**-1000, 3.0e-5])
    outcomes = run(
        [Case(OPS[np.ldexp.__name__], pairs(x, np.arange(-2300, 2300, 7, dtype=d))) for d in (np.int32, np.int64)]
    )
    for outcome in outcomes:
        wrong = differs(outcome.got[0], outcome.wanted[0])
        assert not wrong.any(), report(outcome, wrong, 0)


@pytest.mark.parametrize("name", ["log2", "log10", "exp2"])
def test_whole_results_come_out_whole(name):
    whole = np.arange(0, 300.0)
    base = 10.0 if name == "log10" else 2.0
    arguments = whole if name == "exp2" else base**whole
    for dtype in (np.float64, np.float32):
        given = (arguments < np.finfo(dtype).max) & (whole < (22 if base == 10 else np.inf))
        (outcome,) = run([Case(UFUNCS[name], (arguments[given].astype(dtype),))])
        # NumPy's own are whole on some CPUs only.
        exact = base**whole if name == "exp2" else whole
        np.testing.assert_array_equal(outcome.got[0], exact[given].astype(dtype))


@pytest.mark.parametrize(
    "name", ["signbit", "copysign", "nextafter", "spacing", "frexp", "isfinite", "negative", "fabs", "logical_not"]
)
def test_subnormal_numbers_where_no_arithmetic_is_done(name):
    some = np.array([5e-324, -5e-324, 1e-310, -2e-308, 2.3e-308, 0.0, -0.0, 1.0, np.inf, np.nan])
    op = UFUNCS[name]
    (outcome,) = run([Case(op, pairs(some, some)[: op.ufunc.nin])])
    for got, wanted in zip(outcome.got, outcome.wanted, strict=True):
        np.testing.assert_array_equal(got, wanted)
        np.testing.assert_array_equal(np.signbit(got * 1.0)[got == got], np.signbit(wanted * 1.0)[got == got])


def test_negative_integer_exponents_count_as_zero():
    (outcome,) = run([Case(UFUNCS["power"], (np.array([2, 3, 0]), np.array([-1, 3, -5])))])
    assert outcome.got[0].tolist() == outcome.wanted[0].tolist() == [1, 27, 1]


def test_types():
    f64, i32 = ArrayType((2, 3), np.dtype(float)), ArrayType((2, 3), np.dtype(np.int32))
    assert UFUNCS["add"].type(f64, f64) == (f64,)
    assert UFUNCS["less"].type(i32, i32) == (ArrayType((2, 3), np.dtype(bool)),)
    assert UFUNCS["frexp"].type(f64) == (f64, i32)
    with pytest.raises(TypeError, match="add: no loop for float64, int32"):
        UFUNCS["add"].type(f64, i32)
    with pytest.raises(TypeError, match="shapes differ"):
        UFUNCS["add"].type(f64, ArrayType((3,), np.dtype(float)))
    with pytest.raises(TypeError, match="takes 2 inputs"):
        UFUNCS["add"].type(f64)
