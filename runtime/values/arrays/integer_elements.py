"""Floats that become elements of arrays of integers one by one: NaN, infinities and what is too large raise."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays import indexing
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers import python_conversions
from anabranch.runtime.values.python_numbers.python_operands import overflow, raised
from anabranch.runtime.values.tracer import Tracer

_LARGEST = 8


def element(value: Value, dtype: np.dtype) -> Value:
    """Return the value to assign to an element of a dtype: NumPy's float scalars are converted by `int`, too."""
    scalar = isinstance(value, Tracer) and value.abstract.kind is Kind.SCALAR
    if scalar and value.abstract.dtype.kind == "f" and dtype.kind in "iu" and dtype != np.uint64:
        return python_conversions.to_kind(python_conversions.of_numpy(wrap.as_atom(value)), int)
    return indexing.assigned(value, dtype)


def check_ints(floats: Atom, dtype: np.dtype) -> None:
    """Raise as `int` does where one of some floats that become integers of a dtype is NaN, infinite or too large."""
    if floats.type.dtype.kind != "f" or dtype.kind not in "iu":
        return
    known, wide = np.iinfo(dtype), atoms.convert(floats, np.float64)
    large = atoms.ufunc(np.greater_equal, wide, _like(known.max + 1, wide))
    # What is above the least integer less one is cut off to that integer, where a float has room for the difference.
    below = np.less if dtype.itemsize == _LARGEST else np.less_equal
    small = atoms.ufunc(below, wide, _like(known.min - (below is np.less_equal), wide))
    run_time_checks.fail_if(_any(atoms.ufunc(np.isnan, wide)), raised(int, float("nan")))
    run_time_checks.fail_if(_any(atoms.ufunc(np.isinf, wide)), raised(int, float("inf")))
    run_time_checks.fail_if(_any(atoms.logical_or(large, small)), overflow)


def _like(value: float, atom: Atom) -> Atom:
    return atoms.broadcast_to(atoms.literal(float(value)), atom.type.shape)


def _any(atom: Atom) -> Atom:
    shape = atom.type.shape
    return atoms.op("reduce_any", atom, axes=tuple(range(len(shape)))) if shape else atom
