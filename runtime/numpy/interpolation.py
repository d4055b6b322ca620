"""Interpolation between sample points."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import (
    atom_of,
    dtype_of,
    fresh,
    handle,
    has_dynamic_array,
    iota,
    result,
    zeros_atom,
)
from anabranch.runtime.numpy.operands import elementwise
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.sorted_search import bisect
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.failures import run_time_checks

rules = Rules()

_F = registry.FUNCTIONS


@rules.any_shape(np.interp)
def interp(
    x: object, xp: object, fp: object, left: object = None, right: object = None, period: object = None
) -> Value:
    """As `numpy.interp`; sample points of run-time size are followed by their last one."""
    if has_dynamic_array((xp, fp)):
        xp, fp = _samples(operands.array(xp), operands.array(fp), period)
    return _interpolated(x, xp, fp, left, right, period)


def _samples(xp: Value, fp: Value, period: object) -> list[Value]:
    """Sample points of which some have a run-time size, as arrays of one static size."""
    if period is not None:
        next(filter(wrap.is_dynamic_array, (xp, fp)))._needs_size("sample points of static size, for period=,")
    nothing = atoms.logical_not(broadcasting.differ(xp.shape[0], 0))
    broadcasting.refuse(nothing, ValueError, "array of sample points is empty")
    wrong = broadcasting.differ(xp.shape[0], fp.shape[0])
    broadcasting.refuse(wrong, ValueError, "fp and xp are not of the same length.")
    known = list(map(_padded_with_last, (xp, fp)))
    size = min(v.shape[0] for v in known)
    return [v[:size] for v in known]


def _padded_with_last(x: Value) -> Value:
    """The elements, then the last of them for ever."""
    if not wrap.is_dynamic_array(x):
        return x
    x = x.left_packed()
    last = size_arithmetic.add(x.shape[0], -1)
    places = _F[np.minimum](fresh(iota(x.capacity)), last)
    return _F[np.take](x.memory, _F[np.maximum](places, 0))


@elementwise("x")
def _interpolated(x: object, xp: object, fp: object, left: object, right: object, period: object) -> Value:
    if dtype_of(fp).kind == "c":
        parts = []
        for part in (_F[np.real], _F[np.imag]):
            low, high = (v if v is None else part(v) for v in (left, right))
            parts.append(interp(x, xp, part(fp), low, high, period))
        return result(atoms.op("complex", *map(atom_of, parts)))
    if period is not None:
        return _periodic(x, xp, fp, period)
    points, known, values = (atom_of(v, np.float64) for v in (x, xp, fp))
    if len(known.type.shape) != 1 or len(values.type.shape) != 1:
        raise ValueError("object too deep for desired array")
    n, shape = known.type.size, points.type.shape
    if n == 0:
        raise ValueError("array of sample points is empty")
    if n != values.type.size:
        raise ValueError("fp and xp are not of the same length.")
    # The last sample point that is not after x.
    found = atoms.op("materialize", bisect(known, points, right=True))  # which XLA would search for in each use
    place = atoms.ufunc(np.subtract, found, zeros_atom(shape, np.int64, 1))
    low = _within(place, max(n - 2, 0))
    y = _between(points, known, values, low, n)
    first, last = atoms.cut(values, 0, 1), atoms.cut(values, n - 1, n)
    below = atom_of(left, np.float64) if left is not None else atoms.reshape(first, ())
    above = atom_of(right, np.float64) if right is not None else atoms.reshape(last, ())
    at_end = atoms.ufunc(np.greater_equal, place, zeros_atom(shape, np.int64, n - 1))
    y = atoms.select(at_end, atoms.broadcast_to(atoms.reshape(last, ()), shape), y)
    start, end = (atoms.broadcast_to(atoms.reshape(atoms.cut(known, i, i + 1), ()), shape) for i in (0, n - 1))
    y = atoms.select(atoms.ufunc(np.greater, points, end), atoms.broadcast_to(above, shape), y)
    y = atoms.select(atoms.ufunc(np.less, points, start), atoms.broadcast_to(below, shape), y)
    return result(atoms.select(atoms.ufunc(np.isnan, points), points, y))


def _periodic(x: object, xp: object, fp: object, period: object) -> Value:
    """Interpolation where the sample points are repeated: sorted within one period, with a neighbour on either side."""
    zero = apply_ufunc.apply(np.equal, (period, 0))
    run_time_checks.fail_if(atom_of(zero), lambda _: ValueError("period must be a non-zero value"))
    known, values = handle(xp), handle(fp)
    if known.ndim != 1 or values.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if known.shape != values.shape:
        raise ValueError("fp and xp are not of the same length")
    if not known.shape[0]:
        raise ValueError("array of sample points is empty")
    length = _F[np.absolute](period)
    place: Any = _F[np.remainder](known.astype(np.float64), length)
    order = _F[np.argsort](place)
    place, value = place[order], values.astype(np.float64)[order]
    place = _F[np.concatenate]((place[-1:] - length, place, place[:1] + length))
    value = _F[np.concatenate]((value[-1:], value, value[:1]))
    return interp(_F[np.remainder](handle(x).astype(np.float64), length), place, value)[()]


def _within(index: Atom, most: int) -> Atom:
    shape = index.type.shape
    index = atoms.ufunc(np.maximum, index, zeros_atom(shape, np.int64))
    return atoms.ufunc(np.minimum, index, zeros_atom(shape, np.int64, most))


def _between(x: Atom, known: Atom, values: Atom, low: Atom, n: int) -> Atom:
    """On the line through two neighbouring samples; from the other end where the first way gives NaN, as NumPy does."""
    shape = x.type.shape
    high = _within(atoms.ufunc(np.add, low, zeros_atom(shape, np.int64, 1)), n - 1)
    x0, x1 = (atoms.op("gather", known, atoms.reshape(i, (*shape, 1))) for i in (low, high))
    y0, y1 = (atoms.op("gather", values, atoms.reshape(i, (*shape, 1))) for i in (low, high))
    slope = atoms.ufunc(np.divide, atoms.ufunc(np.subtract, y1, y0), atoms.ufunc(np.subtract, x1, x0))
    y = _linear(slope, x, x0, y0)
    again = _linear(slope, x, x1, y1)
    again = atoms.select(atoms.logical_and(atoms.ufunc(np.isnan, again), atoms.ufunc(np.equal, y0, y1)), y0, again)
    y = atoms.select(atoms.ufunc(np.isnan, y), again, y)
    return atoms.select(atoms.ufunc(np.equal, x, x0), y0, y)


def _linear(slope: Atom, x: Atom, x0: Atom, y0: Atom) -> Atom:
    return atoms.ufunc(np.add, atoms.ufunc(np.multiply, slope, atoms.ufunc(np.subtract, x, x0)), y0)
