"""Ops that NumPy computes on the host where arrays are large: what they give is NumPy's, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import asarray, jit
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Equation, Program
from anabranch.runtime.lower import lower, module
from anabranch.runtime.ops import eigen, factorization, sorting, vector_functions
from anabranch.runtime.ops.correlation import correlate
from anabranch.runtime.ops.dot_general import dot_general
from anabranch.runtime.xla.compiler import compile_text
from tests.internals.ops.op_cases import Case, equation

TARGET = "xla_buffer_python_cpu_callback"
RNG = np.random.default_rng(8)
LINE = np.append(RNG.normal(size=20_000), [np.nan, 0.0, -0.0])
TABLE = RNG.normal(size=(150, 200))
MATRIX = RNG.normal(size=(64, 64))
DEFINITE = MATRIX @ MATRIX.T + np.eye(64)
STACK = np.array([DEFINITE, np.zeros((64, 64)), DEFINITE + 1])
ALONE = ((), ())

CASES = [
    *(
        Case(sorting.sort, (x,), {"axis": x.ndim - 1, "stable": stable})
        for x in (LINE, TABLE.T, LINE.astype(np.int8), LINE.astype(np.complex64), LINE > 0)
        for stable in (False, True)
    ),
    Case(sorting.partition, (LINE,), {"axis": 0, "kth": (5, 700)}),
    Case(correlate, (LINE[:2000], LINE[:100]), {"mode": "same"}),
    Case(dot_general, (LINE[:-3], LINE[:-3]), {"contract": ((0,), (0,)), "batch": ALONE}),
    Case(dot_general, (TABLE + 1j, TABLE.T - 2j), {"contract": ((1,), (0,)), "batch": ALONE}),
    *(Case(factorization.qr, (MATRIX,), {"mode": mode}) for mode in ("raw", "reduced", "complete")),
    Case(factorization.slogdet, (STACK,)),
    Case(factorization.solve, (STACK, STACK)),
    Case(factorization.cholesky, (STACK,), {"upper": False}),
    Case(eigen.svd, (MATRIX,), {"full": False, "vectors": True}),
    Case(eigen.svd, (MATRIX * np.nan,), {"full": False, "vectors": False}),
    Case(eigen.eigh, (STACK,), {"lower": True, "vectors": True}),
    Case(eigen.eig, (MATRIX,), {"vectors": True}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_numpy_computes_it(case):
    made = equation(case)
    program = Program(tuple(made.inputs), (made,), tuple(made.outputs))
    text, callbacks, _ = module(program)
    assert TARGET in text
    assert TARGET not in lower(program)
    for got, wanted in zip(
        compile_text(text, callbacks=callbacks)(case.inputs), evaluate(program, *case.inputs), strict=True
    ):
        np.testing.assert_array_equal(got, wanted)
        assert got.dtype == wanted.dtype


@pytest.mark.parametrize("axis", [0, 1])
def test_a_matrix_times_its_own_transpose(axis):
    made = equation(Case(dot_general, (TABLE, TABLE), {"contract": ((axis,), (axis,)), "batch": ALONE}))
    x = made.inputs[0]
    program = Program((x,), (Equation(dot_general, (x, x), made.params, made.outputs),), tuple(made.outputs))
    text, callbacks, _ = module(program)
    assert TARGET in text
    (got,) = compile_text(text, callbacks=callbacks)([TABLE])
    np.testing.assert_array_equal(got, TABLE.T @ TABLE if axis == 0 else TABLE @ TABLE.T)


def test_products_with_the_own_transpose_are_found():
    for f in (lambda a: a.T @ a, lambda a: a @ a.T, lambda a: np.dot(a.T, a)):
        as_xlas = jit(f, native_loops=False)
        assert TARGET in as_xlas.lower(TABLE).as_text()
        np.testing.assert_array_equal(as_xlas(TABLE), f(TABLE))
        np.testing.assert_array_equal(jit(f)(TABLE), f(TABLE))
    assert TARGET not in jit(lambda a, b: a.T @ b, native_loops=False).lower(TABLE, TABLE + 1).as_text()


def test_device_arrays_and_loops():
    def highest(a, n):
        total = 0.0
        for _ in range(n):
            a = np.sort(a)[::-1] * 1.5
            total += np.max(a) + np.argmax(a)
        return total

    line = LINE[:-3]
    np.testing.assert_allclose(jit(highest)(line, 3), highest(line, 3))
    np.testing.assert_array_equal(np.asarray(jit(lambda x: np.sort(x))(asarray(line))), np.sort(line))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("ufunc", [np.arcsin, np.tan, np.log2, np.cbrt, np.power, np.arctan2])
def test_functions_that_numpy_vectorises_are_its_own(ufunc, dtype):
    x = np.append(RNG.normal(size=(2, 2000)), [[np.nan, np.inf, 0.0, -0.0]] * 2, axis=1).astype(dtype)
    called = vector_functions._is_vectorised(ufunc.__name__, x.dtype.char)
    args = tuple(x[: ufunc.nin])
    compiled = jit(lambda *args: ufunc(*args))
    assert (TARGET in compiled.lower(*args).as_text()) is called
    with np.errstate(all="ignore"):
        expected = ufunc(*args)
    if called:
        np.testing.assert_array_equal(compiled(*args).view(np.uint8), expected.view(np.uint8))


def test_few_elements_are_left_to_xla():
    assert TARGET not in jit(np.arcsin).lower(LINE[:100]).as_text()
