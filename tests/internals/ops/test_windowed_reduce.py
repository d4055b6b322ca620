"""Folds: NumPy's evaluation and XLA's, at once and in chunks, agree on every window."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Equation, Program, Var
from anabranch.runtime.lower import lower
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.ops.vector_lanes import Strip
from anabranch.runtime.ops.windowed_reduce import windowed_reduce
from anabranch.runtime.xla.compiler import compile_text

INT = ArrayType((), np.dtype(np.int64))
WINDOWS = [
    (0, 0),
    (0, 1),
    (0, 150),
    (3, 3),
    (5, 2),
    (-4, 9),
    (100, 150),
    (86, 149),
    (149, 400),
    (20, 148),
    (-(2**62), 2**62),
    (2**33, 2**33 + 9),
]


def scalar(dtype):
    return Var(ArrayType((), np.dtype(dtype)))


def body(dtype, *ops):
    """The position, two elements and a scalar, through ops that take what was made last and one of these."""
    inputs = (Var(INT), scalar(dtype), scalar(dtype), scalar(dtype))
    made, equations = inputs[1], []
    for name, other in ops:
        out = Var(made.type)
        equations.append(Equation(OPS[name], (made, inputs[other]), {}, (out,)))
        made = out
    return inputs, tuple(equations), made


def program(the_body, combine, x, y, scale, native):
    """A windowed reduction of a row of x and a column of y, inside of a loop or not."""
    lines = (Strip(1, 2), Strip(0, 2))
    low, high, i, j = (Var(INT) for _ in range(4))
    xs, ys, s = Var(ArrayType(x.shape, x.dtype)), Var(ArrayType(y.shape, y.dtype)), scalar(scale.dtype)
    zero = Var(INT)
    operands = (low, high, xs, i, zero, ys, zero, j, s)
    params = {"body": the_body, "strips": lines, "combine": combine, "length": 150}
    (type,) = windowed_reduce.type(*(a.type for a in operands), **params)
    out = Var(type)
    inputs = (low, high, i, j, zero, xs, ys, s)
    whole = Program(inputs, (Equation(windowed_reduce, operands, params, (out,)),), (out,))
    if not native:
        return whole
    inner = tuple(Var(v.type) for v in inputs)
    index, carry = Var(INT), Var(type)
    names = dict(zip(inputs, inner, strict=True))
    result = Var(type)
    step = Equation(windowed_reduce, tuple(names[a] for a in operands), params, (result,))
    looped = Program((*inner, index, carry), (step,), (result,))
    end, start = Var(type), Var(type)
    trip = Var(INT)
    loop = OPS["for"]
    settings = {"body": looped, "consts": len(inputs), "carries": 1, "length": None}
    return Program((*inputs, trip, start), (Equation(loop, (trip, *inputs, start), settings, (end,)),), (end,))


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize(
    ("combine", "reduce", "dtype"),
    [
        ("add", np.add.reduce, np.float64),
        ("add", np.add.reduce, np.float32),
        ("add", np.add.reduce, np.int64),
        ("multiply", np.multiply.reduce, np.float64),
        ("minimum", np.minimum.reduce, np.float64),
        ("maximum", np.maximum.reduce, np.int32),
    ],
)
def test_windows(rng, combine, reduce, dtype, native):
    x, y = (rng.integers(1, 4, (9, 150)).astype(dtype) for _ in range(2))
    y = np.ascontiguousarray(y.T)
    scale = np.asarray(2, dtype)
    inputs, equations, made = body(dtype, ("add", 2), ("subtract", 3))
    if combine == "multiply":
        inputs, equations, made = body(dtype, ("divide", 2))
    folded = program(Program(inputs, equations, (made,)), combine, x, y, scale, native)
    run = compile_text(lower(folded))
    elements = x[4] / y[:, 7] if combine == "multiply" else x[4] + y[:, 7] - scale
    for low, high in WINDOWS:
        args = [np.int64(low), np.int64(high), np.int64(4), np.int64(7), np.int64(0), x, y, scale]
        if native:
            args += [np.int64(2), np.zeros((), dtype)]
        window = elements[max(low, 0) : max(high, 0)]
        (wanted,) = evaluate(folded, *args)
        if window.size:
            np.testing.assert_allclose(wanted, reduce(window), rtol=1e-12 if dtype != np.float32 else 1e-5)
        (got,) = run([np.asarray(a) for a in args])
        np.testing.assert_allclose(got, wanted, rtol=1e-12 if dtype != np.float32 else 1e-5)


@pytest.mark.parametrize("native", [False, True])
def test_factors(rng, native):
    x, y = rng.random((9, 150)), rng.random((150, 9))
    inputs, _, _ = body(np.float64)
    folded = program(Program(inputs, (), inputs[1:3]), "add", x, y, np.asarray(1.0), native)
    run = compile_text(lower(folded))
    for low, high in WINDOWS:
        args = [np.int64(low), np.int64(high), np.int64(4), np.int64(7), np.int64(0), x, y, np.asarray(1.0)]
        if native:
            args += [np.int64(1), np.zeros(())]
        part = slice(max(low, 0), max(high, 0))
        (got,) = run([np.asarray(a) for a in args])
        np.testing.assert_allclose(got, x[4, part] @ y[part, 7], rtol=1e-12)
        np.testing.assert_allclose(evaluate(folded, *args)[0], got, rtol=1e-12)
