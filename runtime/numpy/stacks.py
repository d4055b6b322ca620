"""Checks of shapes, dtypes, failures, and NumPy's classes of results, for functions on stacks of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import fresh, zeros_atom
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import bind
from anabranch.runtime.values import atoms
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.failures import run_time_checks

# NumPy has no public name for these.
_RESULTS: list[Any] = [
    type(f(np.eye(1))) for f in (np.linalg.eigh, np.linalg.eig, np.linalg.qr, np.linalg.slogdet, np.linalg.svd)
]
EighResult, EigResult, QRResult, SlogdetResult, SVDResult = _RESULTS
FLOAT64, COMPLEX128 = np.dtype(np.float64), np.dtype(np.complex128)
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
    dtype = COMPLEX128 if result_dtype(*arrays).kind == "c" else FLOAT64
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
