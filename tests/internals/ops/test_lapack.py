"""LAPACK's routines and Fourier transforms through XLA, against the ops' own evaluations, which are NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Program
from anabranch.runtime.ops import cost, eigen, factorization, fourier
from tests.internals.ops.op_cases import Case, differs, equation, run
from tests.internals.ops.structural_cases import check_in_loop

RNG = np.random.default_rng(5)
SQUARE = RNG.normal(size=(5, 5))
STACK = RNG.normal(size=(2, 3, 4, 4))
COMPLEX = STACK + 1j * RNG.normal(size=STACK.shape)
DEFINITE = SQUARE @ SQUARE.T + np.eye(5)
HERMITIAN = COMPLEX @ COMPLEX.conj().swapaxes(-1, -2) + np.eye(4)
SINGULAR = np.array([np.eye(3), np.ones((3, 3)), np.diag([1.0, 2, 0])])
EMPTY = tuple(np.zeros(shape) for shape in ((0, 0), (0, 3, 3), (2, 0, 0)))
SQUARES = (SQUARE, STACK, COMPLEX, COMPLEX[0, 0], np.array([[2.5]]), *EMPTY)
LARGE = RNG.normal(size=(40, 40))
RECTANGLES = (RNG.normal(size=(5, 3)), RNG.normal(size=(2, 3, 6)), COMPLEX[..., :2], COMPLEX[..., :3, :])
RECTANGLES += tuple(np.zeros(shape) for shape in ((3, 0), (0, 3), (2, 0, 3), (0, 2, 3)))


def case(op: Op, *inputs: np.ndarray, **params: object) -> Case:
    return Case(op, inputs, params)


CASES = [
    *(case(factorization.slogdet, a) for a in (*SQUARES, LARGE, SINGULAR, SINGULAR + 0j)),
    *(case(factorization.solve, a, a[..., : n + 1] + 1) for n, a in enumerate(SQUARES)),
    *(case(factorization.inverse, a) for a in (*SQUARES, LARGE)),
    case(factorization.solve, COMPLEX, np.zeros((2, 3, 4, 0), complex)),
    case(factorization.solve, LARGE, LARGE.T),
    case(factorization.solve, SINGULAR[:1], np.ones((1, 3, 200))),
    *(case(factorization.cholesky, a, upper=upper) for a in (DEFINITE, HERMITIAN, *EMPTY) for upper in (False, True)),
    *(case(factorization.qr, a, mode=mode) for a in (*SQUARES, *RECTANGLES) for mode in ("raw", "reduced", "complete")),
    *(
        case(eigen.svd, a, full=full, vectors=vectors)
        for a in (*SQUARES, *RECTANGLES)
        for full, vectors in ((False, False), (False, True), (True, True))
    ),
    *(
        case(eigen.eigh, a, lower=lower, vectors=vectors)
        for a in SQUARES
        for lower in (False, True)
        for vectors in (False, True)
    ),
    *(case(eigen.eig, a, vectors=vectors) for a in SQUARES for vectors in (False, True)),
]
LINES = (RNG.normal(size=(3, 7)), RNG.normal(size=8).astype(np.float32), np.zeros((0, 4)), np.zeros((2, 1)))
TRANSFORMS = [
    *(case(fourier.fft, x, kind="rfft", n=x.shape[-1]) for x in LINES),
    *(case(fourier.fft, x * np.complex64(2 + 1j), kind=k, n=x.shape[-1]) for x in LINES for k in ("fft", "ifft")),
    *(case(fourier.fft, np.fft.rfft(x), kind="irfft", n=x.shape[-1]) for x in LINES),
    # What is not the transform of real numbers: the imaginary parts that cannot be are ignored.
    case(fourier.fft, COMPLEX, kind="irfft", n=6),
    case(fourier.fft, COMPLEX, kind="irfft", n=7),
]


def test_as_numpy() -> None:
    for outcome in run([*CASES, *TRANSFORMS]):
        for got, wanted in zip(outcome.got, outcome.wanted, strict=True):
            # In units of the largest number: which of the small ones are exact depends on the CPU.
            largest = np.max(np.abs(wanted), where=np.isfinite(wanted), initial=1)
            absolute = (1e-6 if got.dtype.itemsize < 8 else 1e-12) * largest
            assert not differs(got, wanted, ulps=128, absolute=absolute).any(), outcome.case


def test_in_a_loop() -> None:
    first = {c.op: c for c in reversed((*CASES, *TRANSFORMS)) if c.inputs[0].size > 1}
    check_in_loop(list(first.values()), absolute=1e-12)


@pytest.mark.parametrize("matrix", [SINGULAR, SINGULAR + 0j])
def test_what_fails_is_told(matrix: np.ndarray) -> None:
    failing = [
        case(factorization.solve, matrix, matrix),
        case(factorization.inverse, matrix),
        case(factorization.solve, matrix, matrix[..., :0]),
        case(factorization.cholesky, -matrix, upper=True),
        case(eigen.svd, matrix * np.nan, full=True, vectors=True),
    ]
    for outcome in run(failing):
        got, wanted = outcome.got[-1], outcome.wanted[-1]
        assert ((got != 0) == (wanted != 0)).all(), outcome.case
        assert wanted.any(), outcome.case


def test_in_no_native_loop() -> None:
    calls = {c.op for c in (*CASES, *TRANSFORMS)}
    assert {op.name for op in calls} == {
        *("slogdet", "solve", "inverse", "cholesky", "qr", "svd", "eigh", "eig", "fft"),
    }
    for op in calls:
        (small, *_) = [c for c in (*CASES, *TRANSFORMS) if c.op is op]
        made = equation(small)
        assert not cost.is_small(Program(tuple(made.inputs), (made,), tuple(made.outputs))), op


@pytest.mark.parametrize(
    ("op", "types", "params"),
    [
        (factorization.slogdet, [ArrayType((2, 3), np.dtype("f8"))], {}),
        (factorization.slogdet, [ArrayType((3, 3), np.dtype("f4"))], {}),
        (factorization.solve, [ArrayType((3, 3), np.dtype("f8")), ArrayType((2, 1), np.dtype("f8"))], {}),
        (factorization.solve, [ArrayType((3, 3), np.dtype("f8")), ArrayType((3, 1), np.dtype("c16"))], {}),
        (factorization.cholesky, [ArrayType((3, 3), np.dtype("f8"))], {"upper": 1}),
        (factorization.qr, [ArrayType((3, 4), np.dtype("f8"))], {"mode": "economic"}),
        (eigen.svd, [ArrayType((3,), np.dtype("f8"))], {"full": True, "vectors": True}),
        (eigen.eigh, [ArrayType((3, 3), np.dtype("i8"))], {"lower": True, "vectors": True}),
        (fourier.fft, [ArrayType((3,), np.dtype("f8"))], {"kind": "fft", "n": 3}),
        (fourier.fft, [ArrayType((3,), np.dtype("c16"))], {"kind": "rfft", "n": 3}),
        (fourier.fft, [ArrayType((3,), np.dtype("c16"))], {"kind": "irfft", "n": 3}),
        (fourier.fft, [ArrayType((3,), np.dtype("c16"))], {"kind": "dct", "n": 3}),
    ],
)
def test_types(op, types, params) -> None:
    with pytest.raises(TypeError, match=op.name):
        op.type(*types, **params)
