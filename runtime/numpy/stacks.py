"""Stacks of matrices: checks, and matrices of run-time sizes, with ones on the diagonal after their elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import fresh, handle, zeros_atom
from anabranch.runtime.numpy.operands import Operand
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import bind
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.failures import run_time_checks


def of_matrix(function: Callable[[TracedArray], TracedArray], a: Value) -> Value:
    """The function of a matrix of run-time size, or of a stack of such, that gives a matrix of the same size."""
    matrix = _square(a)
    found = function(fresh(_with_ones(matrix)))
    return wrap.with_extents(found, matrix.extents, operands.origin(a))


def of_numbers(function: Callable[[TracedArray], Value], a: Value) -> Value:
    """The function of a matrix of run-time size that gives numbers, such as its determinant."""
    matrix = _square(a)
    if any(matrix.extents[:-2]):
        handle(a)  # which refuses it: the numbers would be as many as there are matrices
    return function(fresh(_with_ones(matrix)))


def gufunc(vectors: bool) -> tuple[str, str]:
    """NumPy's name of the function that solves systems, and its signature, for one right-hand side or for several."""
    return ("solve1", "(m,m),(m)->(m)") if vectors else ("solve", "(m,m),(m,n)->(m,n)")


def solved(function: Callable[[TracedArray, TracedArray], TracedArray], a: Value, b: Value) -> Value:
    """The solution of a system whose sizes are known only at run time, by a function for those that are known."""
    if operands.array(a).ndim != 2 or operands.array(b).ndim not in (1, 2):
        return function(handle(a), handle(b))
    matrix, right = _square(a), Operand.of(b)
    name, signature = gufunc(right.ndim == 1)
    text = (
        f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {signature} "
        "(size {} is different from {})"
    )
    same_size(right.shape[0], matrix.shape[0], run_time_checks.IntMessage(ValueError, text))
    operands.align([(matrix, 0), (matrix, 1), (right, 0)])
    found = function(fresh(_with_ones(matrix)), fresh(right.padded(0, range(right.ndim))))
    return wrap.with_extents(found, right.extents, operands.origin(a, b))


def _square(a: Value) -> Operand:
    """A matrix, or a stack of such, whose last two axes have their elements at the front."""
    matrix = Operand.of(a)
    if matrix.ndim < 2:
        raise np.linalg.LinAlgError(f"{matrix.ndim}-dimensional array given. Array must be at least two-dimensional")
    last = matrix.ndim - 1
    text = "Last 2 dimensions of the array must be square"
    same_size(matrix.shape[last - 1], matrix.shape[last], run_time_checks.IntMessage(np.linalg.LinAlgError, text))
    operands.align([(matrix, last - 1), (matrix, last)])
    return matrix


def same_size(n: Bound, m: Bound, error: run_time_checks.IntMessage) -> None:
    """Raise an error with both sizes where they differ."""
    first, second = size_arithmetic.atom_of(n), size_arithmetic.atom_of(m)
    run_time_checks.fail_if(atoms.ufunc(np.not_equal, first, second), error, first, second)


def _with_ones(matrix: Operand) -> Atom:
    """The buffer with the elements of the identity where none of the matrix is."""
    valid, shape = matrix.valid(), matrix.value.type.shape
    if valid is None:
        return matrix.value
    ones = atoms.literal(np.eye(shape[-1], dtype=matrix.value.type.dtype))
    return atoms.select(valid, matrix.value, atoms.broadcast_to(ones, shape))


# NumPy has no public name for these.
_RESULTS: list[Any] = [
    type(f(np.eye(1))) for f in (np.linalg.eigh, np.linalg.eig, np.linalg.qr, np.linalg.slogdet, np.linalg.svd)
]
EighResult, EigResult, QRResult, SlogdetResult, SVDResult = _RESULTS
FLOAT64, _COMPLEX128 = np.dtype(np.float64), np.dtype(np.complex128)
_REAL: dict[str, np.dtype] = {"F": np.dtype(np.float32), "D": FLOAT64}


def assert_stacked(*arrays: TracedArray) -> None:
    """Raise NumPy's error for what is no matrix and no stack of matrices."""
    for a in arrays:
        if a.ndim < 2:
            raise np.linalg.LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")


def assert_square(*arrays: TracedArray) -> None:
    """Raise NumPy's error for what is no square matrix and no stack of such."""
    assert_stacked(*arrays)
    for a in arrays:
        if a.shape[-1] != a.shape[-2]:
            raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")


def result_dtype(*arrays: TracedArray) -> np.dtype:
    """The dtype of a result: that of the inexact operands, and float64 where another takes part."""
    for a in arrays:
        if a.dtype.kind not in "biu" and a.dtype.char not in "fdFD":
            raise TypeError(f"array type {a.dtype.name} is unsupported in linalg")
    dtype: np.dtype = np.result_type(*(a.dtype if a.dtype.kind in "fc" else FLOAT64 for a in arrays))
    return dtype


def computed(*arrays: TracedArray) -> list[Atom]:
    """The operands as NumPy passes them to LAPACK: float64, or complex128 where one is complex."""
    dtype = _COMPLEX128 if result_dtype(*arrays).kind == "c" else FLOAT64
    return [atoms.convert(a.atom, dtype) for a in arrays]


def real_of(dtype: np.dtype) -> np.dtype:
    """The dtype of the parts of a number."""
    return _REAL.get(dtype.char, dtype)


def run(name: str, *inputs: Atom, **params: Value) -> tuple[Atom, ...]:
    """All outputs of an op."""
    return bind(OPS[name], *inputs, **params)


def failing(info: Atom, message: str) -> None:
    """Raise `LinAlgError` where LAPACK has failed for one of the matrices."""
    bad = atoms.ufunc(np.not_equal, info, zeros_atom(info.type.shape, np.int32))
    fail_where(bad, message)


def fail_where(bad: Atom, message: str) -> None:
    """Raise `LinAlgError` where one of these bools is true."""
    run_time_checks.fail_if(atoms.any_of(bad), lambda _: np.linalg.LinAlgError(message))


def as_dtype(atom: Atom, dtype: np.dtype) -> TracedArray:
    """A new array of this dtype."""
    return fresh(atoms.convert(atom, dtype))
