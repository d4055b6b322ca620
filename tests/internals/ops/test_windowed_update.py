"""Patches: NumPy's evaluation and XLA's agree on every window, in a loop or not."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Equation, Program, Var
from anabranch.runtime.lower import lower
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.ops.vector_lanes import Strip
from anabranch.runtime.ops.windowed_update import windowed_update
from anabranch.runtime.xla.compiler import compile_text

INT = ArrayType((), np.dtype(np.int64))
WINDOWS = [(0, 0), (0, 1), (0, 300), (3, 3), (5, 2), (-4, 9), (100, 300), (280, 999), (20, 290), (-(2**62), 2**62)]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_windows(rng, axis, dtype):
    shape = (5, 300) if axis else (300, 5)
    target, other = (rng.integers(0, 50, shape).astype(dtype) for _ in range(2))
    element = ArrayType((), np.dtype(dtype))
    position, mine, beside, apart, twice = Var(INT), *(Var(element) for _ in range(4))
    made, out = Var(element), Var(ArrayType(shape, np.dtype(dtype)))
    equations = (
        Equation(OPS["multiply"], (mine, beside), {}, (twice,)),
        Equation(OPS["add"], (twice, apart), {}, (made,)),
    )
    params = {
        "body": Program((position, mine, beside, apart), equations, (made,)),
        "strips": (Strip(axis, 2),) * 3,
        "own": (0, 1),
        "length": 300,
    }
    low, high, zero, i, j = (Var(INT) for _ in range(5))
    x, y = Var(out.type), Var(out.type)
    starts = [(i, zero), (j, zero), (j, zero)] if axis else [(zero, i), (zero, j), (zero, j)]
    inputs = (low, high, x, *starts[0], *starts[1], y, *starts[2])
    assert windowed_update.type(*(a.type for a in inputs), **params) == (out.type,)
    program = Program((low, high, zero, i, j, x, y), (Equation(windowed_update, inputs, params, (out,)),), (out,))
    run = compile_text(lower(program))
    for first, stop in WINDOWS:
        for line in (2, 3):
            args = [*(np.asarray(v, np.int64) for v in (first, stop, 0, 2, line)), target, other]
            expected = target.copy()
            part = slice(max(first, 0), max(stop, 0))
            a, b = (expected, other) if axis else (expected.T, other.T)
            a[2, part] = a[2, part] * a[line, part] + b[line, part]
            np.testing.assert_array_equal(evaluate(program, *args)[0], expected)
            np.testing.assert_array_equal(run(args)[0], expected)
