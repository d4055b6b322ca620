"""Convolution and correlation."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import (
    atom_of,
    dtype_of,
    fresh,
    has_dynamic_array,
    zeros_atom,
)
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()


_MODES = {"valid": "valid", "same": "same", "full": "full", 0: "valid", 1: "same", 2: "full"}


def _windows(a: Atom, v: Atom, mode: Value) -> Atom:
    """Sums of products of v with every window of a; a is the longer one."""
    if mode not in _MODES:
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")
    return atoms.op("correlate", a, v, mode=_MODES[mode])


def _within_bounds(places: Atom, low: int, high: Bound) -> Atom:
    """The places that are no less than one bound, and less than another."""
    shape = places.type.shape
    limit = atoms.broadcast_to(size_arithmetic.atom_of(high), shape)
    above = atoms.ufunc(np.greater_equal, places, zeros_atom(shape, np.int64, low))
    return atoms.logical_and(above, atoms.ufunc(np.less, places, limit))


def _summed(padded: Atom, places: Atom, v: Atom, there: Atom) -> Atom:
    """Sums of products of v with the windows at these places, of the terms that are there."""
    shape, dtype = places.type.shape, v.type.dtype
    windows = atoms.op("gather", padded, atoms.reshape(places, (*shape, 1)))
    terms = atoms.ufunc(np.multiply, windows, atoms.broadcast_to(v, shape))
    made = atoms.op("reduce_sum", atoms.select(there, terms, zeros_atom(shape, dtype)), axes=(1,))
    return atoms.convert(made, dtype)


def _places(length: int, m: int) -> Atom:
    lines = [atoms.op("iota", shape=(length, m), dtype=np.dtype(np.int64), axis=i) for i in (0, 1)]
    return atoms.reshape(atoms.ufunc(np.add, *lines), (length, m, 1))


def _vectors(a: object, v: object) -> tuple[Atom, Atom]:
    dtype = np.result_type(dtype_of(a), dtype_of(v))
    values = tuple(atom_of(x, dtype) for x in (a, v))
    left, right = (x if x.type.shape else atoms.reshape(x, (1,)) for x in values)
    if len(left.type.shape) > 1 or len(right.type.shape) > 1:
        raise ValueError("object too deep for desired array")
    return left, right


@rules.any_shape(np.convolve)
def convolve(a: Value, v: Value, mode: Value = "full") -> Value:
    """As `numpy.convolve`."""
    if has_dynamic_array((a, v)):
        return _of_run_time_size(operands.array(a), operands.array(v), mode, ("a", "v"))
    x, y = _vectors(a, v)
    if not x.type.size:
        raise ValueError("a cannot be empty")
    if not y.type.size:
        raise ValueError("v cannot be empty")
    if y.type.size > x.type.size:
        x, y = y, x
    return fresh(_windows(x, atoms.op("reverse", y, axes=(0,)), mode))


def _of_run_time_size(a: Value, v: Value, mode: Value, names: tuple[str, str], is_correlation: bool = False) -> Value:
    """A convolution of which an operand has a run-time size: what is no element takes no part in a sum."""
    for x, name in zip((a, v), names, strict=True):
        if x.ndim != 1:
            raise ValueError("object too deep for desired array")
        nothing = atoms.logical_not(broadcasting.differ(x.shape[0], 0))
        broadcasting.refuse(nothing, ValueError, f"{name} cannot be empty")
    (x, k), (y, m) = ((operands.left_packed(z), operands.capacity(z)[0]) for z in (a, v))
    if not k or not m:
        return a
    left, right = _vectors(operands.memory(x), operands.memory(y))
    places = atoms.reshape(_places(k + m - 1, m), (k + m - 1, m))
    there = atoms.logical_and(
        _within_bounds(places, m - 1, size_arithmetic.add(x.shape[0], m - 1)),
        atoms.broadcast_to(atoms.op("reverse", operands.front(y.shape[0], m), axes=(0,)), (k + m - 1, m)),
    )
    zero = atoms.literal(0, left.type.dtype)
    padded = atoms.op("pad", left, zero, low=(m - 1,), high=(m - 1,), interior=(0,))
    full = fresh(_summed(padded, places, atoms.op("reverse", right, axes=(0,)), there))
    n, m = a.shape[0], v.shape[0]
    total = size_arithmetic.limited(size_arithmetic.add(size_arithmetic.add(n, m), -1), 0, full.shape[0])
    made = wrap.with_extents(full, (operands.window(total),), operands.origin(a, v))
    if mode == "full":
        return made
    short, long = size_arithmetic.minimum(n, m), size_arithmetic.maximum(n, m)
    if mode not in ("same", "valid"):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")
    if mode == "valid":
        return made[size_arithmetic.add(short, -1) : long]
    # A correlation with what is longer is computed the other way round, and turned.
    start: Value = (short - 1 + (is_correlation and m > n)) // 2
    return made[start : start + long]


@rules.any_shape(np.correlate)
def correlate(a: object, v: object, mode: object = "valid") -> Value:
    """As `numpy.correlate`."""
    if not all(operands.array(x).ndim for x in (a, v)):
        raise ValueError("object of too small depth for desired array")
    if has_dynamic_array((a, v)):
        x, y = operands.array(a), operands.array(v)
        y = FUNCTIONS[np.conjugate](y)[::-1] if y.ndim == 1 else y
        names = "first array argument", "second array argument"
        return _of_run_time_size(x, y, _MODES.get(mode, mode), names, is_correlation=True)
    x, y = _vectors(a, v)
    if not x.type.size:
        raise ValueError("first array argument cannot be empty")
    if not y.type.size:
        raise ValueError("second array argument cannot be empty")
    y = atoms.ufunc(np.conjugate, y) if y.type.dtype.kind == "c" else y
    if y.type.size <= x.type.size:
        return fresh(_windows(x, y, mode))
    return fresh(atoms.op("reverse", _windows(y, x, mode), axes=(0,)))
